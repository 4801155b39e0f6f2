package evaluate

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
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

// tests is what protocols implement whose items have not all of their texts, because they
// also train on some.
type tests interface {
	// tested yields the texts of the items.
	tested() iter.Seq[encoder.Text]
}

// testedBy yields the texts of the items of a protocol.
func testedBy(p protocol) iter.Seq[encoder.Text] {
	if t, ok := p.(tests); ok {
		return t.tested()
	}
	return p.texts()
}

// companions are the datasets that stand in the folder of the results: their items, a unit for
// each unit of the results, and the texts of these, a unit for each task.
type companions struct {
	items, texts             *dataset.Plan
	itemsFolder, textsFolder storage.Folder
	itemsUnits, textsUnits   []dataset.Unit
	created                  bool
}

// Steps of the funnels.
const (
	chainItems = "items"
	chainTexts = "texts"
	stepTexts  = "collect"
)

func newBeside(output string, d dataset.Draft, tasks int) (b *companions, err error) {
	b = &companions{itemsUnits: d.Units}
	d.Schema = schemas.Item{}.Schema()
	if b.items, err = d.Plan(); err != nil {
		return nil, err
	}
	for i := range tasks {
		b.textsUnits = append(b.textsUnits, dataset.Unit{Ordinal: i})
	}
	d.Schema, d.Units = schemas.Text{}.Schema(), b.textsUnits
	if b.texts, err = d.Plan(); err != nil {
		return nil, err
	}
	if b.itemsFolder, err = storage.At(storage.Join(output, dataset.ItemsFolder)); err != nil {
		return nil, err
	}
	b.textsFolder, err = storage.At(storage.Join(output, dataset.TextsFolder))
	return b, err
}

// there says whether the items of complete results and their texts are complete, too.
func (b *companions) there(ctx context.Context) error {
	for i, folder := range []storage.Folder{b.itemsFolder, b.textsFolder} {
		m, err := dataset.Verify(ctx, folder)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || m.Plan.Hash != []*dataset.Plan{b.items, b.texts}[i].Hash {
			return fmt.Errorf("the results are complete, and what belongs to them in %s is damaged or gone: delete the folder of the results, and evaluate again; what was encoded and trained is kept elsewhere", folder)
		}
	}
	return nil
}

// begin makes the plans, and the texts of the items of all tasks, each text once.
func (b *companions) begin(ctx context.Context, tasks []loaded) error {
	if b.created {
		return nil
	}
	if _, err := b.items.CreateOver(ctx, b.itemsFolder, b.itemsUnits, false); err != nil {
		return err
	}
	ids, next := map[uint64]bool{}, 0 // texts of the tasks before next
	add := func(t loaded) {
		for text := range testedBy(t.protocol) {
			ids[textID(text)] = true
		}
	}
	_, _, err := b.texts.Complete(ctx, b.textsFolder, b.textsUnits, false, func(unit dataset.Unit) error {
		if next > unit.Ordinal { // the unit is repeated
			clear(ids)
			next = 0
		}
		for ; next < unit.Ordinal; next++ { // committed by an earlier run
			add(tasks[next])
		}
		next++
		writer, err := dataset.Begin[schemas.Text](b.textsFolder, b.texts, unit.Ordinal, dataset.NewChain(chainTexts, stepTexts))
		if err != nil {
			return err
		}
		defer writer.Abort()
		for text := range testedBy(tasks[unit.Ordinal].protocol) {
			id := textID(text)
			if ids[id] {
				continue
			}
			ids[id] = true
			if err := writer.Write(ctx, schemas.Text{ID: id, Language: text.Language, Text: text.Text}); err != nil {
				return err
			}
			if err := writer.Funnel().Keep(chainTexts, "und", 1); err != nil {
				return err
			}
		}
		return writer.Commit(ctx)
	})
	b.created = err == nil
	return err
}

// write writes the items of a unit.
func (b *companions) write(ctx context.Context, unit int, model, task string, parts []part) error {
	writer, err := dataset.Begin[schemas.Item](b.itemsFolder, b.items, unit, dataset.NewChain(chainItems, stepMeasure))
	if err != nil {
		return err
	}
	defer writer.Abort()
	for _, p := range parts {
		for row := range p.rows(model, task) {
			if err := writer.Write(ctx, row); err != nil {
				return err
			}
		}
		if err := writer.Funnel().Keep(chainItems, "und", int64(len(p.a))); err != nil {
			return err
		}
	}
	return writer.Commit(ctx)
}
