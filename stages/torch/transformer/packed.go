//go:build libtorch

package transformer

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/sugarme/gotch/ts"
	"golang.org/x/sync/errgroup"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
)

// Packed are sequences without padding: the tokens of all are in one list, the shortest
// sequences first, so that those of equal length are neighbours.
type Packed struct {
	IDs, Positions []int64
	Groups         []native.Group
	// Starts are the places in the list of the first tokens of the sequences.
	Starts []int64
	// order is that of the sequences in the list; nil if it is the order of starts.
	order []int64
}

// pack makes a list of the sequences at the indices of a batch, which is sorted by length. Starts are in
// the order of the batch. Positions count from first.
func pack(sequences [][]int32, batch []int, tokens, first int) Packed {
	p := Packed{IDs: make([]int64, 0, tokens), Positions: make([]int64, 0, tokens), Starts: make([]int64, 0, len(batch))}
	for _, i := range batch {
		p.append(sequences[i], first)
	}
	return p
}

func (p *Packed) append(sequence []int32, first int) {
	p.Starts = append(p.Starts, int64(len(p.IDs)))
	for position, id := range sequence {
		p.IDs, p.Positions = append(p.IDs, int64(id)), append(p.Positions, int64(first+position))
	}
	p.grow(int64(len(sequence)))
}

// fill adds beginnings of a sequence until there are that many tokens.
func (p *Packed) fill(tokens int, sequence []int32) {
	for len(p.IDs) < tokens {
		p.append(sequence[:min(len(sequence), tokens-len(p.IDs))], 0)
	}
}

// grow adds a sequence of a length to the groups.
func (p *Packed) grow(length int64) {
	if n := len(p.Groups); n > 0 && p.Groups[n-1].Length == length {
		p.Groups[n-1].Count++
	} else {
		p.Groups = append(p.Groups, native.Group{Count: 1, Length: length})
	}
}

// PackAll is pack of a whole batch of an objective. Starts are in the order of the batch.
func PackAll(q *objective.Sequences, first int) Packed {
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
		starts[i], p.order[k] = p.Starts[k], int64(i)
	}
	p.Starts = starts
	return p
}

// After returns the list in which n vectors come before each sequence of p, and where its rows
// are in the list of all those vectors, in the order of the batch, followed by p's tokens. The vectors have the positions before that of
// the first token, or all its own one where that is 0.
func (p Packed) After(n int) (joined Packed, rows []int64) {
	vectors := int64(n * len(p.Starts))
	joined = Packed{Starts: make([]int64, len(p.Starts)), order: p.order}
	k, token := 0, int64(0)
	for _, g := range p.Groups {
		for range g.Count {
			i := p.order[k]
			for j := range int64(n) {
				rows = append(rows, i*int64(n)+j)
				joined.Positions = append(joined.Positions, min(j, p.Positions[token]))
			}
			joined.Starts[i] = int64(len(rows))
			for range g.Length {
				rows = append(rows, vectors+token)
				joined.Positions = append(joined.Positions, p.Positions[token])
				token++
			}
			joined.grow(int64(n) + g.Length)
			k++
		}
	}
	return joined, rows
}

// tokens is the length of the list.
func (p Packed) tokens() (n int64) {
	for _, g := range p.Groups {
		n += g.Count * g.Length
	}
	return n
}

// Rows returns the places in the list of tokens, given by those in a batch of padded sequences.
func (p Packed) Rows(q *objective.Sequences, positions []int32) []int64 {
	rows := make([]int64, len(positions))
	for k, place := range positions {
		rows[k] = p.Starts[int(place)/q.Length] + int64(int(place)%q.Length)
	}
	return rows
}

// layout makes the tensors of a list for the layers of an encoder.
func (p Packed) layout(s *native.Scope, b *BERT) native.Layout {
	l := native.Layout{Groups: p.Groups, Keys: p.Keys(s, max(b.Dropouts.Hidden, b.Dropouts.Attention))}
	if b.Config.IsGated() {
		l.Rotary, l.LocalRotary = b.rotary(s, p.Positions, b.Config.GlobalTheta), b.rotary(s, p.Positions, b.Config.LocalTheta)
	}
	if b.distances != nil {
		l.Bias = b.bias(s, p.Groups)
		return l
	}
	if !native.AttendsAtOnce(b.Config.HiddenSize / b.Config.Heads) {
		return l
	}
	ends := []int32{0}
	for _, g := range p.Groups {
		for range g.Count {
			ends = append(ends, ends[len(ends)-1]+int32(g.Length))
		}
	}
	l.Ends = s.Integers32(ends, int64(len(ends)))
	return l
}

// Keys are those of the tokens in draws of dropout: functions of the place of a sequence in its batch and of a token in
// its sequence, so that a part of a list is drawn as it is in the whole. Without dropout, and on a GPU, which draws by itself,
// they are nil.
func (p Packed) Keys(s *native.Scope, dropout float64) *ts.Tensor {
	if dropout == 0 || !native.OnCPU() {
		return nil
	}
	var keys []int64
	k := 0
	for _, g := range p.Groups {
		for range g.Count {
			sequence := int64(k)
			if p.order != nil {
				sequence = p.order[k]
			}
			for token := range g.Length {
				keys = append(keys, sequence<<32|token)
			}
			k++
		}
	}
	return s.Integers(keys, int64(len(keys)))
}

// Chunks cuts the list of a whole batch into lists of at most n sequences, which keep their places in the batch. They have no
// Starts.
func (p Packed) Chunks(n int) (list []Packed) {
	token, place := int64(0), 0
	for _, g := range p.Groups {
		for range g.Count {
			if place%n == 0 {
				list = append(list, Packed{})
			}
			chunk, end := &list[len(list)-1], token+g.Length
			chunk.IDs, chunk.Positions = append(chunk.IDs, p.IDs[token:end]...), append(chunk.Positions, p.Positions[token:end]...)
			chunk.order = append(chunk.order, p.order[place])
			chunk.grow(g.Length)
			token, place = end, place+1
		}
	}
	return list
}

// Arranged returns the vectors of the sequences in the order of the batch, given those in the order of the list.
func (p Packed) Arranged(s *native.Scope, x *ts.Tensor) *ts.Tensor {
	if p.order == nil || slices.IsSorted(p.order) {
		return x
	}
	places := make([]int64, len(p.order))
	for k, i := range p.order {
		places[i] = int64(k)
	}
	return s.Arrange(x, s.Arrangement(places, len(places)))
}

// Listed returns the vectors of the sequences in the order of the list, given those of the whole batch.
func (p Packed) Listed(s *native.Scope, x *ts.Tensor) *ts.Tensor {
	return s.Rows(x, s.Integers(p.order, int64(len(p.order))))
}

// Sentences returns the vectors of the sequences of a list, in its order.
func (b *BERT) Sentences(s *native.Scope, p Packed, pooling model.Pooling) *ts.Tensor {
	return s.Pool(b.Through(s, b.Embed(s, p), p, nil), p.Groups, pooling, 0)
}

// Through sends the vectors of a list's tokens through all layers. The result has only the
// rows of an arrangement unless that is nil.
func (b *BERT) Through(s *native.Scope, x *ts.Tensor, p Packed, rows *native.Arrangement) *ts.Tensor {
	sequences := p.layout(s, b)
	for i, l := range b.layers {
		if i == len(b.layers)-1 {
			return b.normed(s, s.Layer(x, l, b.settings(i), sequences, rows))
		}
		x = s.Layer(x, l, b.settings(i), sequences, nil)
	}
	if rows != nil {
		x = s.Arrange(x, *rows)
	}
	return b.normed(s, x)
}

// normed is what the norm after the last layer makes of x, where there is one.
func (b *BERT) normed(s *native.Scope, x *ts.Tensor) *ts.Tensor {
	if b.last.Weight == nil {
		return x
	}
	return s.LayerNorm(x, b.last, b.Config.LayerNormEpsilon)
}

// PackedBatches calls run for batches of the sequences, given by their indices, in the
// order of their lengths, without gradients: for as many batches at once as native.ShareThreads
// was told, in all calls of PackedBatches together. Batches are the same however many. Beginnings of a sequence follow those of
// a batch in its list, until it has least tokens and, on the CPU, a multiple of fillTokens.
// Sequences that the model cannot take are an error before anything runs.
func PackedBatches(ctx context.Context, c model.Config, sequences [][]int32, least int, run func(batch []int, p Packed) error) error {
	order := make([]int, len(sequences))
	for i, s := range sequences {
		order[i] = len(s)<<32 | i // sorted by lengths, then places
		if len(s) == 0 || len(s) > c.MaxTokens() {
			return fmt.Errorf("sentence %d has %d tokens, it must have from 1 to %d", i, len(s), c.MaxTokens())
		}
		for _, id := range s {
			if id < 0 || int(id) >= c.VocabularySize {
				return fmt.Errorf("sentence %d holds the id %d, the model has %d", i, id, c.VocabularySize)
			}
		}
	}
	slices.Sort(order)
	for k := range order {
		order[k] &= 1<<32 - 1
	}
	limit := BatchTokens()
	group, groupCtx := errgroup.WithContext(ctx)
	for len(order) > 0 {
		n, tokens := 0, 0
		for n < len(order) && (n == 0 || tokens+len(sequences[order[n]]) <= limit) {
			tokens += len(sequences[order[n]])
			n++
		}
		batch := order[:n]
		order = order[n:]
		filled := max(tokens, least)
		if native.OnCPU() && c.Layers > 0 {
			filled = (filled + fillTokens - 1) / fillTokens * fillTokens
		}
		result, err := native.OnLane(groupCtx, func() error {
			defer native.WithoutGradients()()
			p := pack(sequences, batch, filled, 0)
			p.fill(filled, sequences[batch[n-1]])
			return run(batch, p)
		})
		if err != nil {
			break
		}
		group.Go(func() error { return <-result })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// fillTokens divides the tokens of a batch on the CPU. Otherwise nearly every batch has sizes of its own, for which oneDNN makes an
// operation anew, and malloc finds no room among what earlier ones left: memory grew by 100 MB.
const fillTokens = 16

// LeastTokens is the number of tokens below which a batch is small: libtorch multiplies few
// rows by other kernels, whose sums differ in the last bits. See BERT.LeastTokens for processors that are tried.
const LeastTokens = 512

// BatchTokens is about the number of tokens that run through the layers at once:
// enough for matrix products to be fast, few enough to stay in the caches of a CPU.
func BatchTokens() int {
	if native.OnCPU() {
		return 2 << 10
	}
	return 64 << 10
}

// Packed runs the first layers, and returns the vectors of all tokens, [tokens,
// hidden], or of those at the rows, which may be nil. Between layers it frees the
// scope, which must be empty before.
func (b *BERT) Packed(s *native.Scope, p Packed, layers int, rows []int64) *ts.Tensor {
	var retained native.Scope
	defer retained.Free()
	sequences := p.layout(&retained, b)
	var chosen *native.Arrangement
	if rows != nil {
		list := retained.Arrangement(rows, 0)
		chosen = &list
	}
	if s.Err = retained.Err; s.Err != nil {
		return nil
	}
	x := s.Take(b.embedded(s, p))
	s.Free()
	for i, l := range b.layers[:layers] {
		if s.Err != nil {
			break
		}
		var selected *native.Arrangement
		if i == layers-1 {
			selected = chosen
		}
		y := s.Take(s.Layer(x, l, b.settings(i), sequences, selected))
		s.Free()
		x.MustDrop()
		x = y
	}
	if s.Err != nil {
		return nil
	}
	s.Tensors = append(s.Tensors, x)
	if layers == 0 && chosen != nil {
		x = s.Arrange(x, *chosen)
	}
	if layers == len(b.layers) {
		x = b.normed(s, x)
	}
	return x
}

// embedded is Embed without gradients.
func (b *BERT) embedded(s *native.Scope, p Packed) *ts.Tensor {
	if native.OnCPU() && b.Positions != nil {
		return s.Embedded(p.IDs, b.places(p), b.tables(), nil)
	}
	return b.Embed(s, p)
}

func (b *BERT) tables() native.Embeddings {
	return native.Embeddings{Words: b.Words, Positions: b.Positions, Kinds: b.Kinds, Norm: b.Norm, Epsilon: b.Config.LayerNormEpsilon}
}

// PackedPooled is Pool of Packed.
func (b *BERT) PackedPooled(s *native.Scope, p Packed, layers int, pooling model.Pooling, skipped int64) *ts.Tensor {
	if layers == 0 && native.OnCPU() && b.Positions != nil && slices.Contains([]model.Pooling{model.Mean, model.Max, model.CLS}, pooling) {
		return s.Embedded(p.IDs, b.places(p), b.tables(), &native.Pooling{Groups: p.Groups, By: pooling, Skipped: skipped})
	}
	return Pool(s, b.Packed(s, p, layers, nil), p.Groups, pooling, skipped)
}

// States are the vectors of the tokens of the list, given those of padded sequences.
func (p Packed) States(q *objective.Sequences, padded []float32, size int) []float32 {
	list := make([]float32, 0, len(p.IDs)*size)
	for _, i := range p.order {
		list = append(list, padded[int(i)*q.Length*size:][:int(q.Lengths[i])*size]...)
	}
	return list
}
