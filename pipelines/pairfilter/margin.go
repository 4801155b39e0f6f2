package pairfilter

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/exchange/spill"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/knn"
	"sentweave/pipelines/units"
	"sentweave/pipelines/vectors"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/measure/mining"
	"sentweave/transforms/read/texts"
)

// Neighborhood is what tasks know that find the neighbourhoods of texts, whose rows are those of their vectors over all units.
type Neighborhood struct {
	Pairs, Embeddings *units.Dataset
	Dimensions        int
	K                 int
	// Firsts are the numbers of the first rows of the units, and at the end the number of rows.
	Firsts []uint32
	units.Range
	graph.Nothing
}

// Setup implements graph.Task.
func (n *Neighborhood) Setup(ctx context.Context) error {
	if err := units.Reopen[schemas.Embedding](ctx, n.Embeddings); err != nil {
		return err
	}
	return units.Reopen[schemas.Pair](ctx, n.Pairs)
}

// firstsOf returns the numbers of the first rows of so many units, each of which has the vectors of one shard, or none.
func firstsOf(m *dataset.Manifest, units int) []uint32 {
	rows := map[string]int64{}
	for _, piece := range m.WholeShards() {
		rows[piece.Span.Name] = m.RowsOf(piece.Span)
	}
	firsts := []uint32{0}
	for unit := range units {
		firsts = append(firsts, firsts[unit]+uint32(rows[dataset.ShardName(unit)]))
	}
	return firsts
}

// search adds the phases that find the neighbourhoods of the texts for the units that write, and returns the units that search, and
// their multiplications and additions.
func (w *Work) search(b *graph.Builder, packed []dataset.Unit, writing units.Range) (searching units.Range, operations float64) {
	n := Neighborhood{Pairs: w.Pairs, Embeddings: w.Embeddings, Dimensions: w.Dimensions, K: w.K,
		Firsts: firstsOf(w.Embeddings.Manifest(), len(packed))}
	signing, one := b.Units(packed), b.Buckets(1)
	searching = b.Units(packed)
	n.Range = signing
	graph.Spill(b, "sign", signing, &signTask{n}, exchange.ToUnits("texts", one))
	graph.Spill(b, "distinct", one, &distinctTask{n}, exchange.ToUnits("repeated", searching))
	n.Range = searching
	graph.Spill(b, "search", searching, &searchTask{n}, exchange.ToUnits("neighbourhoods", writing))
	m := w.Pairs.Manifest()
	counts := m.Funnel.Out(chainPairs) // of two languages
	if len(counts) == 0 {
		counts = map[string]int64{"": m.Rows}
	}
	for _, pairs := range counts {
		operations += 4 * float64(pairs) * float64(pairs) * float64(w.Dimensions)
	}
	return searching, operations
}

// keyOf returns what texts of the side, of pairs in these languages, have as their key: the last bit is for the side.
func keyOf(languageA, languageB string, side byte) uint64 {
	return xxh3.HashString(schemas.LanguagePair(languageA, languageB))&^1 | uint64(side)
}

// eachPair calls use with each pair of two texts of a unit, their vectors and the row of the first.
func (n *Neighborhood) eachPair(ctx context.Context, unit graph.Unit,
	use func(p *schemas.Pair, sides [][]float32, row uint32) error) error {
	number := unit.Ordinal - n.First
	row := n.Firsts[number]
	v, err := vectors.Read(ctx, n.Embeddings, number, number+1)
	if err != nil {
		return err
	}
	defer v.Stop()
	return units.DatasetRows(ctx, n.Pairs, unit.Unit, func(p schemas.Pair) error {
		sides, err := sidesOf(v, p)
		if err != nil {
			return err
		}
		first := row
		if row += uint32(len(sides)); len(sides) < 2 {
			return nil
		}
		return use(&p, sides, first)
	})
}

// signTask spills the hashes of the texts that have vectors, with the languages and the sides of their pairs.
type signTask struct{ Neighborhood }

// Spill implements graph.Spiller.
func (t *signTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	var text, key []byte
	return t.eachPair(ctx, unit, func(p *schemas.Pair, sides [][]float32, row uint32) error {
		for side, s := range [2]string{p.TextA, p.TextB} {
			if vectors.Unusable(sides[side], t.Dimensions) != "" {
				continue
			}
			text = append(binary.BigEndian.AppendUint64(text[:0], keyOf(p.LanguageA, p.LanguageB, byte(side))), s...)
			sum := xxh3.Hash128(text).Bytes()
			key = append(exchange.UnitKey(key[:0], 0), sum[:]...)
			if err := output.Add(key, binary.BigEndian.AppendUint32(nil, row+uint32(side))); err != nil {
				return err
			}
		}
		return nil
	})
}

// distinctTask tells the units that search which rows are no candidates: those without a vector, and of equal texts all but the first.
// It holds a bit for each row.
type distinctTask struct{ Neighborhood }

// Setup implements graph.Task: the datasets are not read.
func (t *distinctTask) Setup(context.Context) error { return nil }

// Spill implements graph.Spiller.
func (t *distinctTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	passed := mining.NewBits(int(t.Firsts[len(t.Firsts)-1]))
	for i := range passed {
		passed[i] = math.MaxUint64
	}
	last := ""
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return err
		}
		if string(record.Key) != last { // rows of one key come in their order
			row := binary.BigEndian.Uint32(record.Value)
			passed[row/64] &^= 1 << (row % 64)
			last = string(record.Key)
		}
	}
	for number := range len(t.Firsts) - 1 {
		if err := knn.SpillRows(output, exchange.UnitKey(nil, number), passed); err != nil {
			return err
		}
	}
	return nil
}

// searchTask spills the mean cosine of each text of a unit to its nearest ones on the other side.
type searchTask struct{ Neighborhood }

// Spill implements graph.Spiller.
func (t *searchTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	rows := int(t.Firsts[len(t.Firsts)-1])
	passed := mining.NewBits(rows)
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return err
		}
		knn.ReadRows(passed, record.Key[4:], record.Value)
	}
	s, gauge, searched := knn.New(t.K, t.Dimensions), units.GaugeOf(ctx), int64(0)
	s.Restricted = true
	s.Feed = func(add func(vector []float32, row uint32) error) error {
		wanted, row := map[uint64]bool{}, 0
		for _, key := range s.Queries.Keys {
			wanted[key] = true
		}
		for c, err := range t.candidates(ctx) {
			if err != nil {
				return err
			}
			if wanted[c.key] && !passed.Has(row) {
				s.Candidates.Keys = append(s.Candidates.Keys, c.key)
				if err := add(c.vector, uint32(row)); err != nil {
					return err
				}
			}
			if row++; row%1024 == 0 {
				queries, all := int64(len(s.Queries.Rows)), int64(rows)
				gauge.Expect((searched + queries) * all)
				gauge.Set(searched*all + queries*int64(row))
			}
		}
		return nil
	}
	block := func() error {
		s.Begin()
		if err := s.Sweep(ctx); err != nil {
			return err
		}
		for i, row := range s.Queries.Rows {
			key := binary.BigEndian.AppendUint32(exchange.UnitKey(nil, unit.Ordinal-t.First), row)
			mean := math.Float64bits(mining.Mean(s.Nearest[i]))
			if err := output.Add(key, binary.BigEndian.AppendUint64(nil, mean)); err != nil {
				return err
			}
		}
		searched += int64(len(s.Queries.Rows))
		s.Queries.Reset()
		return nil
	}
	err := t.eachPair(ctx, unit, func(p *schemas.Pair, sides [][]float32, row uint32) error {
		if unusable(sides, t.Dimensions) != "" {
			return nil
		}
		for side, vector := range sides {
			s.Queries.Add(vector, row+uint32(side))
			s.Queries.Keys = append(s.Queries.Keys, keyOf(p.LanguageA, p.LanguageB, byte(1-side)))
		}
		if !s.Queries.Full() {
			return nil
		}
		return block()
	})
	if err != nil || len(s.Queries.Rows) == 0 {
		return err
	}
	return block()
}

// candidate is a row of the vectors with the key of its text.
type candidate struct {
	key    uint64
	vector []float32
}

// candidates yields all rows of the vectors in their order. Those of a text without another one have the key 0.
func (n *Neighborhood) candidates(ctx context.Context) iter.Seq2[candidate, error] {
	return func(yield func(candidate, error) bool) {
		var first *schemas.Embedding // of a pair whose second follows
		for e, err := range units.AllRows[schemas.Embedding](ctx, n.Embeddings) {
			if err != nil {
				yield(candidate{}, err)
				return
			}
			id, second := strings.CutSuffix(e.ID, "/"+texts.SideB)
			switch {
			case second && first != nil && first.ID == id+"/"+texts.SideA:
				if !yield(candidate{keyOf(first.Language, e.Language, 0), first.Vector}, nil) ||
					!yield(candidate{keyOf(first.Language, e.Language, 1), e.Vector}, nil) {
					return
				}
				first = nil
				continue
			case second:
				yield(candidate{}, fmt.Errorf("the vector of %s: %w", e.ID, vectors.ErrOther))
				return
			case first != nil && !yield(candidate{0, first.Vector}, nil):
				return
			}
			first = &e
		}
		if first != nil {
			yield(candidate{0, first.Vector}, nil)
		}
	}
}

// margins gives the margins of pairs from the means that searchTask spills, which come in the order of the pairs.
type margins struct {
	next func() (spill.Record, error, bool)
	// stop ends the reading.
	stop func()
}

func newMargins(ctx context.Context, unit graph.Unit) margins {
	next, stop := iter.Pull2(unit.Merge(ctx, nil))
	return margins{next, stop}
}

// score returns the margin of the next pair of two vectors with this cosine.
func (m margins) score(cosine float64) (float64, error) {
	var means [2]float64
	for side := range means {
		record, err, ok := m.next()
		if err == nil && !ok {
			err = fmt.Errorf("the exchange has no neighbourhood of a pair")
		}
		if err != nil {
			return 0, err
		}
		means[side] = math.Float64frombits(binary.BigEndian.Uint64(record.Value))
	}
	return mining.Ratio.Score(cosine, means[0], means[1]), nil
}
