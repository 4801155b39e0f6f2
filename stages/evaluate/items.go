package evaluate

import (
	"context"
	"fmt"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/evaluate/protocol"
)

// companions are the datasets that are in the folder of the results: their items, a unit for
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
	if b.itemsFolder, err = storage.Locate(storage.Join(output, dataset.ItemsFolder)); err != nil {
		return nil, err
	}
	b.textsFolder, err = storage.Locate(storage.Join(output, dataset.TextsFolder))
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
			return fmt.Errorf("the results are complete, and what belongs to them in %s is damaged or gone: delete the folder of the results, and evaluate again; what was encoded and trained is kept elsewhere",
				folder)
		}
	}
	return nil
}

// begin makes the plans, and the texts of the items of all tasks, each text once.
func (b *companions) begin(ctx context.Context, tasks []protocol.Loaded) error {
	if b.created {
		return nil
	}
	if _, err := b.items.CreateOver(ctx, b.itemsFolder, b.itemsUnits, false); err != nil {
		return err
	}
	ids, next := map[uint64]bool{}, 0 // texts of the tasks before next
	add := func(t protocol.Loaded) {
		for text := range protocol.TestedTexts(t.Protocol) {
			ids[protocol.TextID(text)] = true
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
		for text := range protocol.TestedTexts(tasks[unit.Ordinal].Protocol) {
			id := protocol.TextID(text)
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
func (b *companions) write(ctx context.Context, unit int, m measured) error {
	writer, err := dataset.Begin[schemas.Item](b.itemsFolder, b.items, unit, dataset.NewChain(chainItems, stepMeasure))
	if err != nil {
		return err
	}
	defer writer.Abort()
	for _, p := range m.parts {
		for row := range p.Items(m.model, m.task) {
			if err := writer.Write(ctx, row); err != nil {
				return err
			}
		}
		if err := writer.Funnel().Keep(chainItems, "und", int64(len(p.A))); err != nil {
			return err
		}
	}
	return writer.Commit(ctx)
}
