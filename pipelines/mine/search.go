package mine

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/zeebo/xxh3"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/transforms/measure/mining"
	"sentweave/transforms/measure/neighbors"
)

// blockBytes is the size of the vectors that are compared at once.
const blockBytes = 16 << 20

// searchTask finds the nearest sentences of a unit's sentences on the other side, by blocks of both.
type searchTask struct {
	Config Config
	Work
	units.Range
}

// block holds vectors, with the numbers of their rows, and of queries the hashes and languages of their texts.
type block struct {
	neighbors.Matrix
	rows      []uint32
	hashes    []uint64
	languages []string
}

func (b *block) reset() {
	b.Data, b.rows, b.hashes, b.languages = b.Data[:0], b.rows[:0], b.hashes[:0], b.languages[:0]
}

// full says whether the block has no room for a further vector.
func (b *block) full() bool { return 4*(len(b.Data)+b.Dim) > blockBytes && len(b.rows) > 0 }

func (b *block) add(vector []float32, row uint32) {
	b.Data, b.rows = append(b.Data, vector...), append(b.rows, row)
}

// Spill implements graph.Spiller.
func (t *searchTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	side, row := t.of(unit.Ordinal - t.First)
	other, own, err := readRepeated(ctx, unit, t.Sides[1-side].Len())
	if err != nil {
		return err
	}
	s := &search{searchTask: t, side: side, repeated: other, output: output, gauge: units.GaugeOf(ctx)}
	s.queries.Dim, s.candidates.Dim = t.Dimensions, t.Dimensions
	err = units.DatasetRows(ctx, t.Sides[side].Rows, unit.Unit, func(e schemas.Embedding) error {
		number := row
		row++
		reason := t.reasonFor(side, &e)
		if what, ok := own[number]; ok && reason == "" {
			reason = repeatedReasons[what]
		}
		if reason != "" {
			if output.Rejects().Wants(stepVectors, reason, e.Language, e.ID) {
				output.Rejects().Add(schemas.Reject{ID: e.ID, Source: roles[side], Offset: int64(number), Step: stepVectors, Reason: reason,
					Language: e.Language, Sample: e.Text})
			}
			return output.Funnel().Drop(chainSentences, e.Language, stepVectors, reason, 1)
		}
		s.queries.add(e.Vector, number)
		s.queries.hashes, s.queries.languages = append(s.queries.hashes, xxh3.HashString(e.Text)), append(s.queries.languages, e.Language)
		if err := output.Funnel().Keep(chainSentences, e.Language, 1); err != nil || !s.queries.full() {
			return err
		}
		return s.block(ctx)
	})
	if err != nil {
		return err
	}
	return s.block(ctx)
}

// search is the work on a unit.
type search struct {
	*searchTask
	side                int
	repeated            mining.Bits // of the other side
	output              *exchange.Output
	gauge               *units.Gauge
	queries, candidates block
	// nearest are those of each query so far, at most k, and merged is room for those to be.
	nearest      [][]neighbors.Neighbor
	merged       []neighbors.Neighbor
	before, seen int64 // queries of blocks before, and rows of the other side
}

// block searches the other side for the queries of the block, spills their neighbours and empties it.
func (s *search) block(ctx context.Context) error {
	others := &s.Sides[1-s.side]
	if len(s.queries.rows) == 0 {
		return nil
	}
	for len(s.nearest) < len(s.queries.rows) {
		s.nearest = append(s.nearest, make([]neighbors.Neighbor, 0, s.Config.K))
	}
	for i := range s.nearest {
		s.nearest[i] = s.nearest[i][:0]
	}
	s.seen = 0
	for e, err := range everyRow[schemas.Embedding](ctx, others.Rows) {
		if err != nil {
			return err
		}
		if !s.repeated.Has(int(s.seen)) && s.reasonFor(1-s.side, &e) == "" {
			s.candidates.add(e.Vector, uint32(s.seen))
		}
		if s.seen++; s.candidates.full() {
			if err := s.compare(ctx); err != nil {
				return err
			}
		}
	}
	if err := s.compare(ctx); err != nil {
		return err
	}
	s.before += int64(len(s.queries.rows))
	defer s.queries.reset()
	return s.spill()
}

// compare merges the nearest of a block of candidates into those of the queries, and empties the block.
func (s *search) compare(ctx context.Context) error {
	if len(s.candidates.rows) == 0 {
		return nil
	}
	index, err := neighbors.NewIndex(s.candidates.Matrix, neighbors.ByCosine)
	if err != nil {
		return err
	}
	k := min(s.Config.K, index.Len())
	found, err := index.TopK(ctx, s.queries.Matrix, k, neighbors.Options{Workers: 1})
	if err != nil {
		return err
	}
	for i := range s.queries.rows {
		near := found[i*k : (i+1)*k]
		for j := range near {
			near[j].Index = int(s.candidates.rows[near[j].Index])
		}
		s.merge(i, near)
	}
	s.candidates.reset()
	rows := int64(s.Sides[1-s.side].Len())
	s.gauge.Expect((s.before + int64(len(s.queries.rows))) * rows)
	s.gauge.Set(s.before*rows + int64(len(s.queries.rows))*s.seen)
	return nil
}

// merge merges further neighbours, whose numbers are greater, into those of a query.
func (s *search) merge(query int, further []neighbors.Neighbor) {
	before := s.nearest[query]
	s.merged = s.merged[:0]
	for len(s.merged) < s.Config.K && len(before)+len(further) > 0 {
		if len(further) == 0 || len(before) > 0 && before[0].Similarity >= further[0].Similarity {
			s.merged, before = append(s.merged, before[0]), before[1:]
		} else {
			s.merged, further = append(s.merged, further[0]), further[1:]
		}
	}
	s.nearest[query] = append(s.nearest[query][:0], s.merged...)
}

// spill spills the neighbourhoods of the queries.
func (s *search) spill() error {
	var key, value []byte
	for i, row := range s.queries.rows {
		key = binary.BigEndian.AppendUint32(append(exchange.UnitKey(key[:0], 0), byte(s.side)), row)
		n := neighborhood{mean: mining.Mean(s.nearest[i]), hash: s.queries.hashes[i], language: s.queries.languages[i], near: s.nearest[i]}
		value = n.append(value[:0])
		if err := s.output.Add(key, value); err != nil {
			return err
		}
	}
	return nil
}

// neighborhood is what the search finds for a sentence.
type neighborhood struct {
	mean     float64
	hash     uint64 // of the text
	language string
	near     []neighbors.Neighbor
}

func (n neighborhood) append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(appendFloat(dst, n.mean), n.hash)
	dst = append(binary.AppendUvarint(dst, uint64(len(n.language))), n.language...)
	for _, x := range n.near {
		dst = appendFloat(binary.BigEndian.AppendUint32(dst, uint32(x.Index)), x.Similarity)
	}
	return dst
}

// parse reads what append made, into the memory that n has.
func (n *neighborhood) parse(value []byte) {
	n.mean, n.hash, n.near = floatOf(value), binary.BigEndian.Uint64(value[8:]), n.near[:0]
	length, prefix := binary.Uvarint(value[16:])
	text, rest := value[16+prefix:][:length], value[16+prefix+int(length):]
	if n.language != string(text) { // most have the language of the one before
		n.language = string(text)
	}
	for ; len(rest) >= 12; rest = rest[12:] {
		n.near = append(n.near, neighbors.Neighbor{Index: int(rowOf(rest)), Similarity: floatOf(rest[4:])})
	}
}

// rowOf reads the number of a row.
func rowOf(b []byte) uint32 { return binary.BigEndian.Uint32(b) }

func appendFloat(dst []byte, x float64) []byte {
	return binary.BigEndian.AppendUint64(dst, math.Float64bits(x))
}

func floatOf(b []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(b)) }
