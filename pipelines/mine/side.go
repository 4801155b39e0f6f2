package mine

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"sort"

	"sentweave/pipelines/exchange/spill"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/pipelines/vectors"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
	"sentweave/transforms/measure/mining"
)

// The sides, and their names.
const (
	source = 0
	target = 1
)

var roles = [2]string{"source", "target"}

// Chains and steps of the funnel.
const (
	chainSentences = "sentences"
	chainPairs     = "pairs"
	stepVectors    = "vectors"
	stepMine       = "mine"
)

// Reasons to take no vector.
const (
	reasonLanguage   = "other_language"
	reasonNoText     = "no_text"
	reasonRepeatedID = "repeated_id"
	reasonRepeated   = "repeated_text"
	// reasonNoKey: nobody knows the host, date or page of the document.
	reasonNoKey = "no_key"
	// ReasonAlone: the other side has no sentence of the same host, date or page.
	ReasonAlone = "no_candidate"
)

// Side is a dataset whose rows are numbered, over all units that read it.
type Side struct {
	Rows  *units.Dataset
	Index *units.Dataset // nil where all rows are compared
	Lists int            // of the index
	// Language, if it is not "", is the only one that is taken.
	Language string
	// Firsts are the numbers of the first rows of the units, and at the end the number of rows.
	Firsts []uint32
}

// Work is what all tasks know.
type Work struct {
	Sides      []Side
	Dimensions int
	Gold       *units.Dataset // nil without true pairs
	graph.Nothing
}

// Setup implements graph.Task.
func (w *Work) Setup(ctx context.Context) error {
	for _, s := range w.Sides {
		if err := units.Reopen[schemas.Embedding](ctx, s.Rows); err != nil {
			return err
		}
		if s.Index != nil {
			if err := units.Reopen[schemas.InvertedList](ctx, s.Index); err != nil {
				return err
			}
		}
	}
	return w.reopenGold(ctx)
}

func (w *Work) reopenGold(ctx context.Context) error {
	if w.Gold == nil {
		return nil
	}
	return units.Reopen[schemas.Pair](ctx, w.Gold)
}

// Chains implements graph.Task.
func (w *Work) Chains() []dataset.Chain {
	chains := []dataset.Chain{dataset.NewChain(chainSentences, stepVectors), dataset.NewChain(chainPairs, stepMine)}
	if w.Sides[source].Index != nil {
		chains = append(chains, dataset.NewChain(chainNeighbours, stepProbe))
	}
	if w.Gold != nil {
		chains = append(chains, dataset.NewChain(mining.ChainGold, stepMine))
	}
	return chains
}

// sides opens both datasets, which must have texts and be of one encoder, and returns the number of
// dimensions.
func (c Config) sides(ctx context.Context) (sides []Side, dimensions int, err error) {
	sides = make([]Side, 2)
	var of [2]facts
	for i, location := range [2]string{c.Source, c.Target} {
		rows, err := units.OpenDataset[schemas.Embedding](ctx, location)
		if err != nil {
			return sides, 0, fmt.Errorf("%s: %w", roles[i], err)
		}
		m := rows.Manifest()
		sides[i].Rows = rows
		if len(c.Languages) > 0 {
			sides[i].Language = c.Languages[i]
		}
		if m.Rows < int64(c.K) {
			return sides, 0, fmt.Errorf("%s: %s has fewer sentences, %d, than the %d of --k: give a smaller one", roles[i], location, m.Rows, c.K)
		}
		if m.Rows > mostSentences && c.Probes == 0 {
			return sides, 0, fmt.Errorf("%s: %s has %d sentences, at most %d are searched exactly: give --source-index and --target-index, "+
				"or mine it in parts, such as by host or date", roles[i], location, m.Rows, mostSentences)
		}
		if m.Rows > mostIndexed {
			return sides, 0, fmt.Errorf("%s: %s has %d sentences, at most %d are mined at once", roles[i], location, m.Rows, mostIndexed)
		}
		if err := checkLanguages(m, sides[i].Language, location); err != nil {
			return sides, 0, err
		}
		if of[i], err = factsOf(ctx, rows); err != nil {
			return sides, 0, fmt.Errorf("%s: %w", roles[i], err)
		}
	}
	if sides[0].Rows.Check == sides[1].Rows.Check && (len(c.Languages) == 0 || c.Languages[0] == c.Languages[1]) {
		return sides, 0, fmt.Errorf("source and target are one dataset, each of whose sentences is nearest to itself: give two --languages")
	}
	for i, location := range []string{c.SourceIndex, c.TargetIndex} {
		if location == "" {
			continue
		}
		if err := sides[i].openIndex(ctx, location, []string{c.Source, c.Target}[i], of[i].dimensions); err != nil {
			return sides, 0, fmt.Errorf("%s-index: %w", roles[i], err)
		}
	}
	if of[0] != of[1] {
		return sides, 0, fmt.Errorf("source and target are vectors of different kinds, which cannot be compared: %s, and %s; embed both alike",
			of[0], of[1])
	}
	return sides, of[0].dimensions, nil
}

// facts are what the vectors of both sides must have in common.
type facts struct {
	dimensions              int
	encoder                 string // its hash, "" if nobody tells
	pooling, layer, vectors string
}

func (f facts) String() string {
	s := fmt.Sprintf("%d dimensions", f.dimensions)
	if f.encoder != "" {
		s += fmt.Sprintf(" of the encoder %s, pooling %s of layer %s", f.encoder, f.pooling, f.layer)
	}
	if f.vectors != "" {
		s += ", " + f.vectors
	}
	return s
}

// lookedRows is how many rows without a text are looked at until all are taken for rows without one.
const lookedRows = 1000

func factsOf(ctx context.Context, d *units.Dataset) (f facts, err error) {
	m := d.Manifest()
	f.encoder = m.Plan.InputHash("model")
	var config struct {
		Model struct {
			Pooling string      `json:"pooling"`
			Layer   json.Number `json:"layer"`
		} `json:"model"`
		Vectors string `json:"vectors"`
	}
	if jsonfile.Unmarshal(m.Plan.Config, &config) == nil { // what others have made may have another configuration
		f.pooling, f.layer, f.vectors = config.Model.Pooling, config.Model.Layer.String(), config.Vectors
	}
	rows := 0
	for e, err := range units.AllRows[schemas.Embedding](ctx, d) {
		if err != nil {
			return f, err
		}
		if f.dimensions = len(e.Vector); f.dimensions == 0 {
			return f, fmt.Errorf("%s has codes of bits and no vectors", d.Location)
		}
		if e.Text != "" {
			return f, nil
		}
		if rows++; rows == lookedRows {
			break
		}
	}
	return f, fmt.Errorf("%s has vectors without their texts, which pairs are made of: embed without --no-text", d.Location)
}

// sentences is how many rows are of the language that is taken, as far as what made them tells.
func (s *Side) sentences() int64 {
	if n, ok := s.Rows.Manifest().Funnel.Out("texts")[s.Language]; ok && s.Language != "" {
		return n
	}
	return s.Rows.Manifest().Rows
}

// Len is the number of rows.
func (s *Side) Len() int { return int(s.Firsts[len(s.Firsts)-1]) }

// units is the number of units that read the side.
func (s *Side) units() int { return len(s.Firsts) - 1 }

// unitOf is the number of the unit that reads a row.
func (s *Side) unitOf(row uint32) int {
	return sort.Search(s.units(), func(i int) bool { return s.Firsts[i+1] > row })
}

// of returns the side that the n-th unit of a range over both sides reads, and the number of its
// first row.
func (w *Work) of(n int) (side int, first uint32) {
	if n >= w.Sides[source].units() {
		side, n = target, n-w.Sides[source].units()
	}
	return side, w.Sides[side].Firsts[n]
}

// reasonFor says why a vector cannot be taken, by itself; "" if it can.
func (w *Work) reasonFor(side int, e *schemas.Embedding) string {
	switch {
	case w.Sides[side].Language != "" && e.Language != w.Sides[side].Language:
		return reasonLanguage
	case e.Text == "":
		return reasonNoText
	}
	return vectors.Unusable(e.Vector, w.Dimensions)
}

// join calls use for each record of a unit with its row. The keys of records begin with the number
// of the unit, then that of the row, from first on.
func (s *Side) join(ctx context.Context, unit graph.Unit, first uint32, use func(schemas.Embedding, spill.Record) error) error {
	next, stop := iter.Pull2(unit.Merge(ctx, nil))
	defer stop()
	record, err, ok := next()
	if err != nil || !ok {
		return err
	}
	row := first
	err = units.DatasetRows(ctx, s.Rows, unit.Unit, func(e schemas.Embedding) error {
		for ok && rowOf(record.Key[4:]) == row {
			if err := use(e, record); err != nil {
				return err
			}
			if record, err, ok = next(); err != nil {
				return err
			}
		}
		row++
		return nil
	})
	if err == nil && ok {
		err = fmt.Errorf("the exchange names row %d, the unit has rows %d to %d", rowOf(record.Key[4:]), first, row)
	}
	return err
}
