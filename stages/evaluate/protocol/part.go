package protocol

import (
	"iter"
	"slices"

	"sentweave/schemas"
	"sentweave/stages/encoder"
	"sentweave/stages/metrics"
)

// Part is what an encoder made of the items of a subtask in a language, in the order of the
// data. It is the seam by which protocols give items: lists that a protocol has no use for are
// nil, the others are as long as A.
type Part struct {
	Subtask, Language string
	// Seed is that of the classifier, if one was trained.
	Seed *int64
	// A and B are the texts; where a translation is sought, B are the right ones.
	A, B []encoder.Text
	// Found are the places of what was found among candidates; −1 is nothing.
	Found      []int
	Candidates []encoder.Text
	// Score is a similarity or a predicted score if there is gold. Otherwise it is 1 for a right
	// answer and 0 for a wrong one, or a measure between them.
	Score, Gold []float64
	// Label and Predicted are classes.
	Label, Predicted []string
}

// Keeper takes the parts of a task. Their lists are not changed afterwards.
type Keeper func(Part)

// Under gives the subtasks of parts a prefix.
func (k Keeper) Under(prefix string) Keeper {
	return func(p Part) {
		p.Subtask = prefix + p.Subtask
		k(p)
	}
}

// Hits are the scores of answers that are right or wrong.
func Hits(right []bool) []float64 {
	list := make([]float64, len(right))
	for i, r := range right {
		if r {
			list[i] = 1
		}
	}
	return list
}

// Classified sets labels, predictions and scores by the names of classes.
func (p Part) Classified(names []string, gold, predicted []int) Part {
	for i, class := range gold {
		score := 0.
		if predicted[i] == class {
			score = 1
		}
		p.Label, p.Predicted, p.Score = append(p.Label, names[class]), append(p.Predicted, names[predicted[i]]), append(p.Score, score)
	}
	return p
}

// Items are the items as they are written.
func (p Part) Items(model, task string) iter.Seq[schemas.Item] {
	return func(yield func(schemas.Item) bool) {
		for i := range p.A {
			item := schemas.Item{
				Model: model, Task: task, Subtask: p.Subtask, Language: p.Language, Position: int32(i), Seed: p.Seed, TextA: TextID(p.A[i]),
				Score: p.Score[i],
			}
			if p.B != nil {
				id := TextID(p.B[i])
				item.TextB = &id
			}
			if p.Found != nil && p.Found[i] >= 0 {
				id := TextID(p.Candidates[p.Found[i]])
				item.Found = &id
			}
			if p.Gold != nil {
				item.Gold = &p.Gold[i]
			}
			if p.Label != nil {
				item.Label, item.Predicted = p.Label[i], p.Predicted[i]
			}
			if !yield(item) {
				return
			}
		}
	}
}

// GroupsOf gathers the parts of one model.
func GroupsOf(parts []Part) (list []metrics.Group) {
	for _, p := range parts {
		i := slices.IndexFunc(list, func(g metrics.Group) bool { return g.Subtask == p.Subtask && g.Language == p.Language })
		if i < 0 {
			i, list = len(list), append(list, metrics.Group{Subtask: p.Subtask, Language: p.Language, A: textIDs(p.A), B: textIDs(p.B),
				Gold: p.Gold, Labels: p.Label, Outcomes: make([][]metrics.Outcome, 1)})
		}
		r := metrics.Outcome{Score: p.Score, Predicted: p.Predicted}
		if p.Found != nil {
			r.Found = make([]uint64, len(p.A))
			for k, place := range p.Found {
				if place >= 0 {
					r.Found[k] = TextID(p.Candidates[place])
				}
			}
		}
		list[i].Outcomes[0] = append(list[i].Outcomes[0], r)
	}
	return list
}

func textIDs(texts []encoder.Text) (ids []uint64) {
	for _, t := range texts {
		ids = append(ids, TextID(t))
	}
	return ids
}

// TextID is the id of a text in its language.
func TextID(t encoder.Text) uint64 { return schemas.TextID(t.Language, t.Text) }
