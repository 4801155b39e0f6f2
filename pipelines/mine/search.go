package mine

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

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
	most      int // rows, 0 for as many as blockBytes hold
}

func (b *block) reset() {
	b.Data, b.sides, b.rows, b.keys = b.Data[:0], b.sides[:0], b.rows[:0], b.keys[:0]
	b.hashes, b.languages, b.ids = b.hashes[:0], b.languages[:0], b.ids[:0]
}

// full says whether the block has no room for a further vector.
func (b *block) full() bool {
	if b.most > 0 {
		return len(b.rows) >= b.most
	}
	return 4*(len(b.Data)+b.Dim) > blockBytes && len(b.rows) > 0
}

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
	others, gauge := &t.Sides[1-told.side], units.GaugeOf(ctx)
	seen := func(rows int) {
		queries, all := int64(len(s.queries.rows)), int64(others.Len())
		gauge.Expect((s.searched + queries) * all)
		gauge.Set(s.searched*all + queries*int64(rows))
	}
	s.feed = func(add func(vector []float32, row uint32) error) error {
		row := 0
		for e, err := range units.AllRows[schemas.Embedding](ctx, others.Rows) {
			if err != nil {
				return err
			}
			if !told.repeated.Has(row) {
				if err := add(e.Vector, uint32(row)); err != nil {
					return err
				}
			}
			if row++; row%1024 == 0 {
				seen(row)
			}
		}
		return nil
	}
	if others.Index != nil {
		x := &indexed{search: s, side: others, repeated: told.repeated.Has, seed: unit.Plan.Seed, seen: seen}
		x.share = min(1, recallQueries/float64(t.Sides[told.side].sentences()))
		centroids, err := others.centroids(ctx, t.Dimensions)
		if err != nil {
			return err
		}
		if x.centroids, err = neighbors.NewIndex(centroids, neighbors.ByCosine); err != nil {
			return err
		}
		s.find, s.queries.most = x.find, max(1, min(indexedBytes/(4*t.Dimensions), mostProbes/t.Config.Probes))
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
	feed func(add func(vector []float32, row uint32) error) error
	// find finds the nearest candidates of the queries.
	find                func(ctx context.Context) error
	queries, candidates block
	searched            int64 // queries of earlier blocks
	// nearest are those of each query so far, at most k, and merged is room for those to be.
	nearest [][]neighbors.Neighbor
	merged  []neighbors.Neighbor
	floors  []float64
}

func newSearch(c Config, dimensions int, output *exchange.Output) *search {
	s := &search{config: c, output: output}
	s.queries.Dim, s.candidates.Dim = dimensions, dimensions
	s.find = s.sweep
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
	if err := s.find(ctx); err != nil {
		return err
	}
	s.searched += int64(len(s.queries.rows))
	defer s.queries.reset()
	return s.spill()
}

// sweep compares the queries with all candidates.
func (s *search) sweep(ctx context.Context) error {
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
	return s.compare(ctx)
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
	rows := s.candidates.rows
	if candidates != nil {
		rows = make([]uint32, len(candidates))
		for i, place := range candidates {
			rows[i] = s.candidates.rows[place]
		}
	}
	return s.take(ctx, s.nearest, index, queries, rows)
}

// take merges the nearest of candidates, which have these rows, into those of queries, by their places in the block; nil are all.
func (s *search) take(ctx context.Context, nearest [][]neighbors.Neighbor, index *neighbors.Index, queries []int, rows []uint32) error {
	asking := gather(s.queries.Matrix, queries)
	placeOf := func(i int) int {
		if queries != nil {
			return queries[i]
		}
		return i
	}
	s.floors = s.floors[:0]
	for i := range asking.Rows() {
		floor := math.Inf(-1)
		if near := nearest[placeOf(i)]; len(near) == s.config.K {
			floor = near[len(near)-1].Similarity
		}
		s.floors = append(s.floors, floor)
	}
	k := min(s.config.K, index.Len())
	found, err := index.TopK(ctx, asking, k, neighbors.Options{Workers: 1, Floors: s.floors})
	if err != nil {
		return err
	}
	for i := range asking.Rows() {
		near := found[i*k : (i+1)*k]
		if none := slices.IndexFunc(near, func(n neighbors.Neighbor) bool { return n.Index < 0 }); none >= 0 {
			near = near[:none]
		}
		for j := range near {
			near[j].Index = int(rows[near[j].Index])
		}
		place := placeOf(i)
		nearest[place] = s.merge(nearest[place], near)
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

// merge merges further neighbours of a query into those before, of equal ones the first rows first.
func (s *search) merge(before, further []neighbors.Neighbor) []neighbors.Neighbor {
	all := before
	s.merged = s.merged[:0]
	for len(s.merged) < s.config.K && len(before)+len(further) > 0 {
		if len(further) == 0 || len(before) > 0 && !closer(further[0], before[0]) {
			s.merged, before = append(s.merged, before[0]), before[1:]
		} else {
			s.merged, further = append(s.merged, further[0]), further[1:]
		}
	}
	return append(all[:0], s.merged...)
}

// closer says whether a neighbour comes before another one.
func closer(a, b neighbors.Neighbor) bool {
	return a.Similarity > b.Similarity || a.Similarity == b.Similarity && a.Index < b.Index
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
