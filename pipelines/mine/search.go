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

// block holds vectors, with the sides and numbers of their rows, and of queries what else is told of them.
type block struct {
	neighbors.Matrix
	sides     []byte
	rows      []uint32
	keys      []uint64 // of those that may be compared, where candidates are restricted
	hashes    []uint64 // of texts
	languages []string
	ids       []string
}

func (b *block) reset() {
	b.Data, b.sides, b.rows, b.keys = b.Data[:0], b.sides[:0], b.rows[:0], b.keys[:0]
	b.hashes, b.languages, b.ids = b.hashes[:0], b.languages[:0], b.ids[:0]
}

// full says whether the block has no room for a further vector.
func (b *block) full() bool { return 4*(len(b.Data)+b.Dim) > blockBytes && len(b.rows) > 0 }

func (b *block) add(vector []float32, row uint32) {
	b.Data, b.rows = append(b.Data, vector...), append(b.rows, row)
}

// addQuery adds a sentence of a side.
func (b *block) addQuery(side byte, row uint32, e *schemas.Embedding) {
	b.add(e.Vector, row)
	b.sides, b.hashes = append(b.sides, side), append(b.hashes, xxh3.HashString(e.Text))
	b.languages, b.ids = append(b.languages, e.Language), append(b.ids, e.ID)
}

// Spill implements graph.Spiller.
func (t *searchTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	told, err := t.told(ctx, unit, unit.Ordinal-t.First)
	if err != nil {
		return err
	}
	s := newSearch(t.Config, t.Dimensions, output)
	others, gauge, before := &t.Sides[1-told.side], units.GaugeOf(ctx), int64(0)
	s.feed = func(add func(vector []float32, row uint32) error) error {
		seen, rows, queries := int64(0), int64(others.Len()), int64(len(s.queries.rows))
		gauge.Expect((before + queries) * rows)
		for e, err := range everyRow[schemas.Embedding](ctx, others.Rows) {
			if err != nil {
				return err
			}
			if !told.repeated.Has(int(seen)) && t.reasonFor(1-told.side, &e) == "" {
				if err := add(e.Vector, uint32(seen)); err != nil {
					return err
				}
			}
			if seen++; seen%1024 == 0 {
				gauge.Set(before*rows + queries*seen)
			}
		}
		before += queries
		gauge.Set(before * rows)
		return nil
	}
	err = t.sentences(ctx, unit, &told, output, func(row uint32, _ uint64, e *schemas.Embedding) error {
		s.queries.addQuery(byte(told.side), row, e)
		if !s.queries.full() {
			return nil
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
	config Config
	output *exchange.Output
	// feed gives all candidates of the queries in the order of their rows.
	feed                func(add func(vector []float32, row uint32) error) error
	queries, candidates block
	// nearest are those of each query so far, at most k, and merged is room for those to be.
	nearest [][]neighbors.Neighbor
	merged  []neighbors.Neighbor
}

func newSearch(c Config, dimensions int, output *exchange.Output) *search {
	s := &search{config: c, output: output}
	s.queries.Dim, s.candidates.Dim = dimensions, dimensions
	return s
}

// block searches the candidates for the queries of the block, spills their neighbours and empties it.
func (s *search) block(ctx context.Context) error {
	if len(s.queries.rows) == 0 {
		return nil
	}
	for len(s.nearest) < len(s.queries.rows) {
		s.nearest = append(s.nearest, make([]neighbors.Neighbor, 0, s.config.K))
	}
	for i := range s.nearest {
		s.nearest[i] = s.nearest[i][:0]
	}
	err := s.feed(func(vector []float32, row uint32) error {
		s.candidates.add(vector, row)
		if !s.candidates.full() {
			return nil
		}
		return s.compare(ctx)
	})
	if err != nil {
		return err
	}
	if err := s.compare(ctx); err != nil {
		return err
	}
	defer s.queries.reset()
	return s.spill()
}

// compare merges the nearest of a block of candidates into those of the queries, and empties the block.
func (s *search) compare(ctx context.Context) (err error) {
	defer s.candidates.reset()
	switch {
	case len(s.candidates.rows) == 0:
		return nil
	case s.config.Within != "":
		return s.compareWithin(ctx)
	}
	return s.match(ctx, nil, nil)
}

// match merges the nearest of candidates into those of queries, by their places in the blocks; nil are all.
func (s *search) match(ctx context.Context, queries, candidates []int) error {
	index, err := neighbors.NewIndex(gather(s.candidates.Matrix, candidates), neighbors.ByCosine)
	if err != nil {
		return err
	}
	k := min(s.config.K, index.Len())
	found, err := index.TopK(ctx, gather(s.queries.Matrix, queries), k, neighbors.Options{Workers: 1})
	if err != nil {
		return err
	}
	for i := range len(found) / k {
		near, query := found[i*k:(i+1)*k], i
		if queries != nil {
			query = queries[i]
		}
		for j := range near {
			place := near[j].Index
			if candidates != nil {
				place = candidates[place]
			}
			near[j].Index = int(s.candidates.rows[place])
		}
		s.merge(query, near)
	}
	return nil
}

// gather returns the vectors at some places; all where places is nil.
func gather(m neighbors.Matrix, places []int) neighbors.Matrix {
	if places == nil {
		return m
	}
	part := neighbors.Matrix{Dim: m.Dim, Data: make([]float32, 0, len(places)*m.Dim)}
	for _, i := range places {
		part.Data = append(part.Data, m.Data[i*m.Dim:][:m.Dim]...)
	}
	return part
}

// merge merges further neighbours, whose numbers are greater, into those of a query.
func (s *search) merge(query int, further []neighbors.Neighbor) {
	before := s.nearest[query]
	s.merged = s.merged[:0]
	for len(s.merged) < s.config.K && len(before)+len(further) > 0 {
		if len(further) == 0 || len(before) > 0 && before[0].Similarity >= further[0].Similarity {
			s.merged, before = append(s.merged, before[0]), before[1:]
		} else {
			s.merged, further = append(s.merged, further[0]), further[1:]
		}
	}
	s.nearest[query] = append(s.nearest[query][:0], s.merged...)
}

// spill spills the neighbourhoods of the queries, and drops those for which there is no candidate.
func (s *search) spill() error {
	var key, value []byte
	for i, row := range s.queries.rows {
		side, language := int(s.queries.sides[i]), s.queries.languages[i]
		if s.config.Within != "" && len(s.nearest[i]) == 0 {
			r := schemas.Reject{ID: s.queries.ids[i], Offset: int64(row), Reason: ReasonAlone, Language: language}
			if err := dropSentence(s.output, side, r); err != nil {
				return err
			}
			continue
		}
		if err := s.output.Funnel().Keep(chainSentences, language, 1); err != nil {
			return err
		}
		key = binary.BigEndian.AppendUint32(append(exchange.UnitKey(key[:0], 0), byte(side)), row)
		n := neighborhood{mean: mining.Mean(s.nearest[i]), hash: s.queries.hashes[i], language: language, near: s.nearest[i]}
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
