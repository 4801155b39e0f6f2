//go:build libtorch

package torch

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
)

// packed are sequences without padding: the tokens of all stand in one list, and
// attention takes sequences of equal length together.
type packed struct {
	ids, positions []int64
	groups         []group
}

// pack appends the sequences of a batch, which is sorted by length.
func pack(sequences [][]int32, batch []int, tokens int) packed {
	p := packed{ids: make([]int64, 0, tokens), positions: make([]int64, 0, tokens)}
	for _, i := range batch {
		for position, id := range sequences[i] {
			p.ids, p.positions = append(p.ids, int64(id)), append(p.positions, int64(position))
		}
		if length := int64(len(sequences[i])); len(p.groups) > 0 && p.groups[len(p.groups)-1].length == length {
			p.groups[len(p.groups)-1].count++
		} else {
			p.groups = append(p.groups, group{1, length})
		}
	}
	return p
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
	most, rest := batchTokens(), 0
	for _, s := range sequences {
		rest += len(s)
	}
	for len(order) > 0 {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		n, tokens := 0, 0
		for n < len(order) && (n == 0 || tokens+len(sequences[order[n]]) <= most) {
			tokens += len(sequences[order[n]])
			n++
		}
		for rest > tokens && rest-tokens < leastTokens && n > 1 { // the last batch would be small
			n--
			tokens -= len(sequences[order[n]])
		}
		rest -= tokens
		if err := run(order[:n], pack(sequences, order[:n], tokens)); err != nil {
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
	x := s.take(b.embed(s, s.integers(p.ids, int64(len(p.ids))), s.embedding(b.positions, s.integers(p.positions, int64(len(p.positions))))))
	s.free()
	for i, l := range b.layers[:layers] {
		if s.err != nil {
			break
		}
		var indices *ts.Tensor
		if i == layers-1 && rows != nil {
			indices = s.integers(rows, int64(len(rows)))
		}
		y := s.take(b.forwardAt(s, l, x, layout{groups: p.groups}, indices))
		s.free()
		x.MustDrop()
		x = y
	}
	if s.err != nil {
		return nil
	}
	s.tensors = append(s.tensors, x)
	if layers == 0 && rows != nil {
		return s.rows(x, s.integers(rows, int64(len(rows))))
	}
	return x
}
