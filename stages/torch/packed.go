//go:build libtorch

package torch

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

// packed are sequences without padding: the tokens of all stand in one list, the shortest
// sequences first, so that those of equal length are neighbours.
type packed struct {
	ids, positions []int64
	groups         []group
	// starts are the places in the list of the first tokens of the sequences.
	starts []int64
	// order is that of the sequences in the list; nil if it is the order of starts.
	order []int64
}

// pack makes a list of the sequences at the indices of a batch, which is sorted by length. Starts stand in
// the order of the batch. Positions count from first.
func pack(sequences [][]int32, batch []int, tokens, first int) packed {
	p := packed{ids: make([]int64, 0, tokens), positions: make([]int64, 0, tokens), starts: make([]int64, 0, len(batch))}
	for _, i := range batch {
		p.starts = append(p.starts, int64(len(p.ids)))
		for position, id := range sequences[i] {
			p.ids, p.positions = append(p.ids, int64(id)), append(p.positions, int64(first+position))
		}
		p.grow(int64(len(sequences[i])))
	}
	return p
}

// grow adds a sequence of a length to the groups.
func (p *packed) grow(length int64) {
	if n := len(p.groups); n > 0 && p.groups[n-1].length == length {
		p.groups[n-1].count++
	} else {
		p.groups = append(p.groups, group{1, length})
	}
}

// packAll is pack of a whole batch of an objective. Starts stand in the order of the batch.
func packAll(q *objective.Sequences, first int) packed {
	rows, batch, tokens := make([][]int32, q.Count), make([]int, q.Count), 0
	for i, n := range q.Lengths {
		rows[i], batch[i] = q.IDs[i*q.Length:][:n], i
		tokens += int(n)
	}
	slices.SortStableFunc(batch, func(a, b int) int { return cmp.Compare(len(rows[a]), len(rows[b])) })
	p := pack(rows, batch, tokens, first)
	starts := make([]int64, q.Count)
	p.order = make([]int64, q.Count)
	for k, i := range batch {
		starts[i], p.order[k] = p.starts[k], int64(i)
	}
	p.starts = starts
	return p
}

// after returns the list in which n vectors stand before each sequence of p, and where its rows
// stand in the list of all those vectors, in the order of the batch, followed by p's tokens.
func (p packed) after(n int) (joined packed, rows []int64) {
	vectors := int64(n * len(p.starts))
	joined = packed{starts: make([]int64, len(p.starts)), order: p.order}
	k, token := 0, int64(0)
	for _, g := range p.groups {
		for range g.count {
			i := p.order[k]
			for j := range int64(n) {
				rows = append(rows, i*int64(n)+j)
			}
			joined.starts[i] = int64(len(rows))
			for range g.length {
				rows = append(rows, vectors+token)
				token++
			}
			joined.grow(int64(n) + g.length)
			k++
		}
	}
	return joined, rows
}

// tokens is the length of the list.
func (p packed) tokens() (n int64) {
	for _, g := range p.groups {
		n += g.count * g.length
	}
	return n
}

// rows returns the places in the list of tokens, given by those in a batch of padded sequences.
func (p packed) rows(q *objective.Sequences, positions []int32) []int64 {
	rows := make([]int64, len(positions))
	for k, place := range positions {
		rows[k] = p.starts[int(place)/q.Length] + int64(int(place)%q.Length)
	}
	return rows
}

// layout is what attention needs to know of a list.
type layout struct {
	groups []group
	// ends are the places in the list between sequences, and at both of its ends, if attention
	// takes sequences of all lengths at once; else nil.
	ends *ts.Tensor
}

// layout makes the tensors of a list for attention of so many values a head.
func (p packed) layout(s *scope, headSize int) layout {
	l := layout{groups: p.groups}
	if !attendsAtOnce(headSize) {
		return l
	}
	ends := []int32{0}
	for _, g := range p.groups {
		for range g.count {
			ends = append(ends, ends[len(ends)-1]+int32(g.length))
		}
	}
	l.ends = s.integers32(ends, int64(len(ends)))
	return l
}

// embed returns the vectors of the tokens before the first layer.
func (p packed) embed(s *scope, b *bert) *ts.Tensor {
	return b.embed(s, s.integers(p.ids, int64(len(p.ids))), s.integers(p.positions, int64(len(p.positions))))
}

// pool returns the vectors of the sequences in the order of the batch, [count, hidden], from those of their tokens.
func (p packed) pool(s *scope, x *ts.Tensor, pooling model.Pooling) *ts.Tensor {
	x = s.pool(x, p.groups, pooling, 0)
	if p.order == nil || slices.IsSorted(p.order) {
		return x
	}
	places := make([]int64, len(p.order))
	for k, i := range p.order {
		places[i] = int64(k)
	}
	return s.arrange(x, s.arrangement(places, len(places)))
}

// sentences returns the vectors of whole sequences.
func (b *bert) sentences(s *scope, q *objective.Sequences, pooling model.Pooling) *ts.Tensor {
	p := packAll(q, 0)
	return p.pool(s, b.through(s, p.embed(s, b), p, nil), pooling)
}

// through sends the vectors of a list's tokens through all layers. The result has only the
// rows of an arrangement unless that is nil.
func (b *bert) through(s *scope, x *ts.Tensor, p packed, rows *arrangement) *ts.Tensor {
	sequences := p.layout(s, b.headSize())
	for i, l := range b.layers {
		if i == len(b.layers)-1 {
			return b.forward(s, l, x, sequences, rows)
		}
		x = b.forward(s, l, x, sequences, nil)
	}
	if rows != nil {
		return s.arrange(x, *rows)
	}
	return x
}

// packedBatches calls run for batches of the sequences, given by their indices, in the
// order of their lengths, without gradients. Sequences that the model cannot take are
// an error before anything runs.
func packedBatches(ctx context.Context, c model.Config, sequences [][]int32, run func(batch []int, p packed) error) error {
	order := make([]int, len(sequences))
	for i, s := range sequences {
		order[i] = i
		if len(s) == 0 || len(s) > c.MaxPositions {
			return fmt.Errorf("sentence %d has %d tokens, it must have from 1 to %d", i, len(s), c.MaxPositions)
		}
		for _, id := range s {
			if id < 0 || int(id) >= c.VocabularySize {
				return fmt.Errorf("sentence %d holds the id %d, the model has %d", i, id, c.VocabularySize)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(sequences[a]), len(sequences[b])) })
	defer withoutGradients()()
	limit, rest := batchTokens(), 0
	for _, s := range sequences {
		rest += len(s)
	}
	for len(order) > 0 {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		n, tokens := 0, 0
		for n < len(order) && (n == 0 || tokens+len(sequences[order[n]]) <= limit) {
			tokens += len(sequences[order[n]])
			n++
		}
		for rest > tokens && rest-tokens < leastTokens && n > 1 { // the last batch would be small
			n--
			tokens -= len(sequences[order[n]])
		}
		rest -= tokens
		if err := run(order[:n], pack(sequences, order[:n], tokens, 0)); err != nil {
			return err
		}
		order = order[n:]
	}
	return nil
}

// leastTokens is the number of tokens below which a batch is small: libtorch multiplies few
// rows by other kernels, whose sums differ in the last bits.
const leastTokens = 512

// batchTokens is about the number of tokens that run through the layers at once:
// enough for matrix products to be fast, few enough to stay in the caches of a CPU.
func batchTokens() int {
	if onCPU() {
		return 2 << 10
	}
	return 64 << 10
}

// packed runs the first layers, and returns the vectors of all tokens, [tokens,
// hidden], or of those at the rows, which may be nil. Between layers it frees the
// scope, which must be empty before.
func (b *bert) packed(s *scope, p packed, layers int, rows []int64) *ts.Tensor {
	var retained scope
	defer retained.free()
	sequences := p.layout(&retained, b.headSize())
	var chosen *arrangement
	if rows != nil {
		list := retained.arrangement(rows, 0)
		chosen = &list
	}
	if s.err = retained.err; s.err != nil {
		return nil
	}
	x := s.take(p.embed(s, b))
	s.free()
	for i, l := range b.layers[:layers] {
		if s.err != nil {
			break
		}
		var selected *arrangement
		if i == layers-1 {
			selected = chosen
		}
		y := s.take(b.forward(s, l, x, sequences, selected))
		s.free()
		x.MustDrop()
		x = y
	}
	if s.err != nil {
		return nil
	}
	s.tensors = append(s.tensors, x)
	if layers == 0 && chosen != nil {
		return s.arrange(x, *chosen)
	}
	return x
}
