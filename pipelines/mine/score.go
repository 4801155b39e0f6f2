package mine

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/schemas"
	"sentweave/transforms/measure/mining"
	"sentweave/transforms/measure/neighbors"
)

// scoreTask gives scores to all neighbours, and spills the best one of each sentence as a candidate,
// by score: of another text, since a sentence that is on both sides does not translate
// itself. It reads the neighbourhoods twice, and holds the mean, the hash and the language of each sentence.
type scoreTask struct {
	Config Config
	Work
}

// Setup implements graph.Task: the vectors are not read.
func (t *scoreTask) Setup(ctx context.Context) error { return t.reopenGold(ctx) }

// Parts of what is spilled for the choice, in their order: the numbers of true pairs that can be found and of all, the
// candidates, and the neighbourhoods of sources.
const (
	partGold = iota
	partCandidates
	partNeighborhoods
)

// Spill implements graph.Spiller.
func (t *scoreTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) (err error) {
	s := &scores{scoreTask: t, output: output}
	if s.gold, err = readGold(ctx, t.Gold); err != nil {
		return err
	}
	for side, rows := range t.Sides {
		s.means[side], s.hashes[side] = make([]float64, rows.Len()), make([]uint64, rows.Len())
		s.languages[side] = make([]uint16, rows.Len())
	}
	err = s.each(ctx, unit, func(side int, row uint32, n *neighborhood) error {
		s.means[side][row], s.hashes[side][row], s.languages[side][row] = n.mean, n.hash, s.codes.of(n.language)
		if s.gold != nil {
			s.gold.mark(side, n.hash)
		}
		if t.Config.Within == "" && len(n.near) < t.Config.K {
			return fmt.Errorf("only %d of the sentences of the %s can be searched, fewer than the %d of --k: give a smaller one; equal texts count once, "+
				"and those without text, with a vector of zeros or of other dimensions, or in another language do not count", len(n.near),
				roles[1-side], t.Config.K)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if s.gold != nil {
		found, err := s.gold.among()
		if err != nil {
			return err
		}
		counts := exchange.AppendCount(exchange.AppendCount(nil, int64(found)), int64(len(s.gold.pairs)))
		if err := output.Add(append(exchange.UnitKey(nil, 0), partGold), counts); err != nil {
			return err
		}
	}
	return s.each(ctx, unit, s.candidate)
}

// scores is the work on the unit.
type scores struct {
	*scoreTask
	output     *exchange.Output
	gold       *gold
	means      [2][]float64
	hashes     [2][]uint64
	languages  [2][]uint16 // by their numbers in codes
	codes      codes
	key, value []byte
}

// codes numbers the codes of languages.
type codes struct {
	names   []string
	numbers map[string]uint16
}

// of returns the number of a code; beyond 65,535 codes, which no data has, that of the first.
func (c *codes) of(name string) uint16 {
	number, ok := c.numbers[name]
	if !ok && len(c.names) <= math.MaxUint16 {
		if c.numbers == nil {
			c.numbers = map[string]uint16{}
		}
		number = uint16(len(c.names))
		c.names, c.numbers[name] = append(c.names, name), number
	}
	return number
}

// each calls use for the neighbourhood of each sentence.
func (s *scores) each(ctx context.Context, unit graph.Unit, use func(side int, row uint32, n *neighborhood) error) error {
	var n neighborhood
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return err
		}
		n.parse(record.Value)
		if err := use(int(record.Key[4]), rowOf(record.Key[5:]), &n); err != nil {
			return err
		}
	}
	return nil
}

// candidate spills the best neighbour of a sentence, and where negatives are wanted all of a source.
func (s *scores) candidate(side int, row uint32, n *neighborhood) error {
	n.near = slices.DeleteFunc(n.near, func(x neighbors.Neighbor) bool { return s.hashes[1-side][x.Index] == n.hash })
	if len(n.near) == 0 {
		return nil
	}
	meanOf := func(index int) float64 { return s.means[1-side][index] }
	place, score := s.Config.Margin.Choose(n.near, n.mean, meanOf)
	c := mining.Candidate{Pair: mining.Pair{Source: int(row), Target: n.near[place].Index, Score: score}}
	if side == target {
		c.Source, c.Target, c.Backward = c.Target, c.Source, true
	}
	s.key = appendCandidate(append(exchange.UnitKey(s.key[:0], 0), partCandidates), c)
	s.value = append(s.value[:0], 0)
	if s.gold != nil && s.gold.has(s.hashes[source][c.Source], s.hashes[target][c.Target]) {
		s.value[0] = 1
	}
	a, b := s.languages[source][c.Source], s.languages[target][c.Target]
	s.value = append(s.value, schemas.LanguagePair(s.codes.names[a], s.codes.names[b])...)
	if err := s.output.Add(s.key, s.value); err != nil || side == target || s.Config.Negatives == 0 {
		return err
	}
	s.key = binary.BigEndian.AppendUint32(append(exchange.UnitKey(s.key[:0], 0), partNeighborhoods), row)
	s.value = append(s.value[:0], 0)
	if s.gold != nil {
		if _, of := s.gold.find(n.hash); len(of) > 0 {
			s.value[0] = 1 // what is true of the source is known
		}
	}
	for _, x := range n.near {
		if s.gold != nil && s.gold.alike(n.hash, s.hashes[target][x.Index]) {
			continue
		}
		s.value = binary.BigEndian.AppendUint32(s.value, uint32(x.Index))
		s.value = appendFloat(s.value, s.Config.Margin.Score(x.Similarity, n.mean, meanOf(x.Index)))
	}
	return s.output.Add(s.key, s.value)
}

// appendCandidate appends the bytes that sort as candidates do.
func appendCandidate(dst []byte, c mining.Candidate) []byte {
	order := math.Float64bits(c.Score + 0) // no negative zero
	if order>>63 == 0 {                    // the greatest first
		order = ^order &^ (1 << 63)
	}
	dst = binary.BigEndian.AppendUint64(dst, order)
	dst = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(dst, uint32(c.Source)), uint32(c.Target))
	if c.Backward {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// parseCandidate reads what appendCandidate made.
func parseCandidate(b []byte) (c mining.Candidate) {
	order := binary.BigEndian.Uint64(b)
	if order>>63 == 0 {
		order = ^order &^ (1 << 63)
	}
	c.Score, c.Source, c.Target = math.Float64frombits(order), int(rowOf(b[8:])), int(rowOf(b[12:]))
	c.Backward = b[16] == 1
	return c
}
