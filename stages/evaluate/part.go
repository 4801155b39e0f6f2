package evaluate

import (
	"iter"
	"slices"

	"sentweave/schemas"
	"sentweave/stages/encoder"
)

// part is what an encoder made of the items of a subtask in a language, in the order of the
// data. It is the seam by which protocols give items: lists that a protocol has no use for are
// nil, the others are as long as a.
type part struct {
	subtask, language string
	// seed is that of the classifier, if one was trained.
	seed *int64
	// a and b are the texts; where a translation is sought, b are the right ones.
	a, b []encoder.Text
	// found are the places of what was found among candidates; −1 is nothing.
	found      []int
	candidates []encoder.Text
	// score is a similarity or a predicted score if there is gold. Otherwise it is 1 for a right
	// answer and 0 for a wrong one, or a measure between them.
	score, gold []float64
	// label and predicted are classes.
	label, predicted []string
}

// keeper takes the parts of a task. Their lists are not changed afterwards.
type keeper func(part)

// under gives the subtasks of parts a prefix.
func (k keeper) under(prefix string) keeper {
	return func(p part) {
		p.subtask = prefix + p.subtask
		k(p)
	}
}

// hits are the scores of answers that are right or wrong.
func hits(right []bool) []float64 {
	list := make([]float64, len(right))
	for i, r := range right {
		if r {
			list[i] = 1
		}
	}
	return list
}

// classified sets labels, predictions and scores by the names of classes.
func (p part) classified(names []string, gold, predicted []int) part {
	for i, class := range gold {
		score := 0.
		if predicted[i] == class {
			score = 1
		}
		p.label, p.predicted, p.score = append(p.label, names[class]), append(p.predicted, names[predicted[i]]), append(p.score, score)
	}
	return p
}

// rows are the items as they are written.
func (p part) rows(model, task string) iter.Seq[schemas.Item] {
	return func(yield func(schemas.Item) bool) {
		for i := range p.a {
			item := schemas.Item{
				Model: model, Task: task, Subtask: p.subtask, Language: p.language, Position: int32(i), Seed: p.seed, TextA: textID(p.a[i]), Score: p.score[i],
			}
			if p.b != nil {
				id := textID(p.b[i])
				item.TextB = &id
			}
			if p.found != nil && p.found[i] >= 0 {
				id := textID(p.candidates[p.found[i]])
				item.Found = &id
			}
			if p.gold != nil {
				item.Gold = &p.gold[i]
			}
			if p.label != nil {
				item.Label, item.Predicted = p.label[i], p.predicted[i]
			}
			if !yield(item) {
				return
			}
		}
	}
}

// groupsOf gathers the parts of one model.
func groupsOf(parts []part) (list []Group) {
	for _, p := range parts {
		i := slices.IndexFunc(list, func(g Group) bool { return g.Subtask == p.subtask && g.Language == p.language })
		if i < 0 {
			i, list = len(list), append(list, Group{Subtask: p.subtask, Language: p.language, A: textIDs(p.a), B: textIDs(p.b), Gold: p.gold, Labels: p.label, Outcomes: make([][]Outcome, 1)})
		}
		r := Outcome{Score: p.score, Predicted: p.predicted}
		if p.found != nil {
			r.Found = make([]uint64, len(p.a))
			for k, place := range p.found {
				if place >= 0 {
					r.Found[k] = textID(p.candidates[place])
				}
			}
		}
		list[i].Outcomes[0] = append(list[i].Outcomes[0], r)
	}
	return list
}

func textIDs(texts []encoder.Text) (ids []uint64) {
	for _, t := range texts {
		ids = append(ids, textID(t))
	}
	return ids
}

func textID(t encoder.Text) uint64 { return schemas.TextID(t.Language, t.Text) }
