package metrics

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// Items reads what models made of items, from the folders of results, a task at a time.
type Items struct {
	shards []itemShard
	// Lacking are the folders of results that have none.
	Lacking []string
}

// itemShard is the items of one model and task.
type itemShard struct {
	task, model string
	rows        iter.Seq2[schemas.Item, error]
}

// OpenItems finds the items that are beside results. Results without items, such as those of
// another verb, have none. A dataset that is given twice, or with its copy, counts once.
func OpenItems(ctx context.Context, locations []string) (*Items, error) {
	items := &Items{}
	manifests := map[string]bool{} // manifests, by their hashes
	for _, location := range locations {
		folder, m, err := dataset.OpenAs[schemas.Item](ctx, storage.Join(location, dataset.ItemsFolder))
		if errors.Is(err, dataset.ErrNoDataset) {
			items.Lacking = append(items.Lacking, location)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("items: %w", err)
		}
		if manifests[m.Check] {
			continue
		}
		manifests[m.Check] = true
		for _, piece := range m.WholeShards() {
			s := itemShard{rows: dataset.SpanRows[schemas.Item](ctx, folder, m, piece.Span)}
			for row, err := range s.rows {
				if err != nil {
					return nil, fmt.Errorf("items: %w", err)
				}
				s.task, s.model = row.Task, row.Model
				break
			}
			items.shards = append(items.shards, s)
		}
	}
	return items, nil
}

// Tasks are those that have items, in the order of the results.
func (items *Items) Tasks() []string {
	return items.names(func(s itemShard) string { return s.task })
}

// Models are those that have items, in the order of the results.
func (items *Items) Models() []string {
	return items.names(func(s itemShard) string { return s.model })
}

func (items *Items) names(extract func(itemShard) string) (list []string) {
	for _, s := range items.shards {
		if name := extract(s); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// ReadTexts returns the texts of items by their ids, which are the keys of ids.
func ReadTexts(ctx context.Context, location string, ids map[uint64]bool) (map[uint64]schemas.Text, error) {
	folder, m, err := dataset.OpenAs[schemas.Text](ctx, storage.Join(location, dataset.TextsFolder))
	if err != nil {
		return nil, fmt.Errorf("texts of items: %w", err)
	}
	texts := map[uint64]schemas.Text{}
	for row, err := range dataset.Rows[schemas.Text](ctx, folder, m) {
		if err != nil {
			return nil, fmt.Errorf("texts of items: %w", err)
		}
		if ids[row.ID] {
			texts[row.ID] = row
		}
	}
	return texts, nil
}

// Task returns the items of a task by groups, with the outcomes of some models in their order. What
// a model made of other items than the first model is left out. Memory is a number for each item of
// each model.
func (items *Items) Task(task string, models []string) ([]Group, error) {
	g := gathering{models: models, places: map[[2]string]int{}}
	for _, s := range items.shards {
		if s.task != task || !slices.Contains(models, s.model) {
			continue
		}
		for row, err := range s.rows {
			if err != nil {
				return nil, fmt.Errorf("items of %s: %w", task, err)
			}
			g.add(row)
		}
		g.end()
	}
	return g.groups, nil
}

// gathering makes groups of rows, which come run by run.
type gathering struct {
	models []string
	groups []Group
	// contents are the hashes of the items of the groups.
	contents []uint64
	places   map[[2]string]int
	// The run that is gathered, in a group of its own, with the hash of its items.
	first   schemas.Item
	run     Group
	outcome Outcome
	content xxh3.Hasher
}

func (g *gathering) add(row schemas.Item) {
	if row.Position == 0 {
		g.end()
		g.first = row
	}
	var buffer [24]byte
	binary.LittleEndian.PutUint64(buffer[:], row.TextA)
	g.run.A, g.outcome.Score = append(g.run.A, row.TextA), append(g.outcome.Score, row.Score)
	if row.TextB != nil {
		g.run.B = append(g.run.B, *row.TextB)
		binary.LittleEndian.PutUint64(buffer[8:], *row.TextB)
	}
	if row.Gold != nil {
		g.run.Gold = append(g.run.Gold, *row.Gold)
		binary.LittleEndian.PutUint64(buffer[16:], math.Float64bits(*row.Gold))
	} else if row.Label == "" && (row.TextB != nil || row.Found != nil) { // something is sought
		id := uint64(0)
		if row.Found != nil {
			id = *row.Found
		}
		g.outcome.Found = append(g.outcome.Found, id)
	}
	if row.Label != "" {
		g.run.Labels, g.outcome.Predicted = append(g.run.Labels, row.Label), append(g.outcome.Predicted, row.Predicted)
	}
	g.content.Write(buffer[:])
	g.content.WriteString(row.Label)
}

// end adds the run to its group.
func (g *gathering) end() {
	run, outcome, content := g.run, g.outcome, g.content.Sum64()
	g.run, g.outcome = Group{}, Outcome{}
	g.content.Reset()
	model := slices.Index(g.models, g.first.Model)
	if len(outcome.Score) == 0 || model < 0 {
		return
	}
	run.Subtask, run.Language = g.first.Subtask, g.first.Language
	key := [2]string{run.Subtask, run.Language}
	index, ok := g.places[key]
	if !ok {
		index = len(g.groups)
		g.places[key] = index
		run.Outcomes = make([][]Outcome, len(g.models))
		g.groups, g.contents = append(g.groups, run), append(g.contents, content)
	}
	if g.contents[index] == content {
		g.groups[index].Outcomes[model] = append(g.groups[index].Outcomes[model], outcome)
	}
}
