package evaluate

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
type Items struct{ shards []itemShard }

// itemShard is the items of one model and task.
type itemShard struct {
	task string
	rows iter.Seq2[schemas.Item, error]
}

// OpenItems finds the items that stand beside results. Results without items, such as those of
// another verb, have none.
func OpenItems(ctx context.Context, locations []string) (*Items, error) {
	items := &Items{}
	for _, location := range locations {
		folder, err := storage.At(storage.Join(location, dataset.ItemsFolder))
		if err != nil {
			return nil, err
		}
		m, err := dataset.LoadAs[schemas.Item](ctx, folder)
		if errors.Is(err, dataset.ErrNoDataset) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("items: %w", err)
		}
		for _, piece := range m.WholeShards() {
			s := itemShard{rows: dataset.SpanRows[schemas.Item](ctx, folder, m, piece.Span)}
			for row, err := range s.rows {
				if err != nil {
					return nil, fmt.Errorf("items: %w", err)
				}
				s.task = row.Task
				break
			}
			items.shards = append(items.shards, s)
		}
	}
	return items, nil
}

// Task returns the items of a task by groups, with the outcomes of some models in their order. What
// a model made of other items than the first model is left out. Memory is a number for each item of
// each model.
func (items *Items) Task(task string, models []string) ([]Group, error) {
	g := gathering{models: models, places: map[[2]string]int{}}
	for _, s := range items.shards {
		if s.task != task {
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
	// The run that is gathered, with the hash of its items.
	first   schemas.Item
	outcome Outcome
	gold    []float64
	labels  []string
	content xxh3.Hasher
}

func (g *gathering) add(row schemas.Item) {
	if row.Position == 0 {
		g.end()
		g.first = row
	}
	var buffer [24]byte
	binary.LittleEndian.PutUint64(buffer[:], row.TextA)
	g.outcome.Score = append(g.outcome.Score, row.Score)
	if row.TextB != nil {
		binary.LittleEndian.PutUint64(buffer[8:], *row.TextB)
		if row.Gold == nil && row.Label == "" {
			g.outcome.Same = append(g.outcome.Same, row.Found != nil && *row.Found == *row.TextB)
		}
	}
	if row.Gold != nil {
		g.gold = append(g.gold, *row.Gold)
		binary.LittleEndian.PutUint64(buffer[16:], math.Float64bits(*row.Gold))
	}
	if row.Label != "" {
		g.labels, g.outcome.Predicted = append(g.labels, row.Label), append(g.outcome.Predicted, row.Predicted)
	}
	g.content.Write(buffer[:])
	g.content.WriteString(row.Label)
}

// end adds the run to its group.
func (g *gathering) end() {
	outcome, gold, labels, content := g.outcome, g.gold, g.labels, g.content.Sum64()
	g.outcome, g.gold, g.labels = Outcome{}, nil, nil
	g.content.Reset()
	model := slices.Index(g.models, g.first.Model)
	if len(outcome.Score) == 0 || model < 0 {
		return
	}
	key := [2]string{g.first.Subtask, g.first.Language}
	at, ok := g.places[key]
	if !ok {
		at = len(g.groups)
		g.places[key] = at
		g.groups = append(g.groups, Group{Subtask: key[0], Language: key[1], Gold: gold, Labels: labels, Outcomes: make([][]Outcome, len(g.models))})
		g.contents = append(g.contents, content)
	}
	if g.contents[at] == content {
		g.groups[at].Outcomes[model] = append(g.groups[at].Outcomes[model], outcome)
	}
}
