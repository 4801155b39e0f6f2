package mine

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/zeebo/xxh3"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/knn"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/transforms/measure/mining"
	"sentweave/transforms/measure/neighbors"
)

// searchTask finds the nearest sentences of a unit's sentences on the other side, by blocks of both.
type searchTask struct {
	Config Config
	Work
	units.Range
}

// queryTexts is what is told of the texts of the queries of a block.
type queryTexts struct {
	sides     []byte
	hashes    []uint64 // of texts
	languages []string
	ids       []string
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
		queries, all := int64(len(s.Queries.Rows)), int64(others.Len())
		gauge.Expect((s.searched + queries) * all)
		gauge.Set(s.searched*all + queries*int64(rows))
	}
	s.Feed = func(add func(vector []float32, row uint32) error) error {
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
		s.find, s.Queries.Most = x.find, max(1, min(indexedBytes/(4*t.Dimensions), mostProbes/t.Config.Probes))
	}
	err = t.sentences(ctx, unit, &told, output, func(row uint32, _ uint64, e *schemas.Embedding) error {
		s.addQuery(byte(told.side), row, e)
		if !s.Queries.Full() {
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
	*knn.Search
	queryTexts
	config Config
	output *exchange.Output
	// find finds the nearest candidates of the queries.
	find     func(ctx context.Context) error
	searched int64 // queries of earlier blocks
}

func newSearch(c Config, dimensions int, output *exchange.Output) *search {
	s := &search{Search: knn.New(c.K, dimensions), config: c, output: output}
	s.Restricted = c.Within != ""
	s.find = s.Sweep
	return s
}

// addQuery adds a sentence of a side.
func (s *search) addQuery(side byte, row uint32, e *schemas.Embedding) {
	s.Queries.Add(e.Vector, row)
	s.sides, s.hashes = append(s.sides, side), append(s.hashes, xxh3.HashString(e.Text))
	s.languages, s.ids = append(s.languages, e.Language), append(s.ids, e.ID)
}

// block searches the candidates for the queries of the block, spills their neighbours and empties it.
func (s *search) block(ctx context.Context) error {
	if len(s.Queries.Rows) == 0 {
		return nil
	}
	s.Begin()
	if err := s.find(ctx); err != nil {
		return err
	}
	s.searched += int64(len(s.Queries.Rows))
	err := s.spill()
	s.Queries.Reset()
	s.queryTexts = queryTexts{s.sides[:0], s.hashes[:0], s.languages[:0], s.ids[:0]}
	return err
}

// spill spills the neighbourhoods of the queries, and drops those for which there is no candidate.
func (s *search) spill() error {
	var key, value []byte
	for i, row := range s.Queries.Rows {
		side, language := int(s.sides[i]), s.languages[i]
		if s.config.Within != "" && len(s.Nearest[i]) == 0 {
			r := schemas.Reject{ID: s.ids[i], Offset: int64(row), Reason: ReasonAlone, Language: language}
			if err := dropSentence(s.output, side, r); err != nil {
				return err
			}
			continue
		}
		if err := s.output.Funnel().Keep(chainSentences, language, 1); err != nil {
			return err
		}
		key = binary.BigEndian.AppendUint32(append(exchange.UnitKey(key[:0], 0), byte(side)), row)
		n := neighborhood{mean: mining.Mean(s.Nearest[i]), hash: s.hashes[i], language: language, near: s.Nearest[i]}
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
