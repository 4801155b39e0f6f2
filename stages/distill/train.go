package distill

import (
	"context"
	"math"
	"slices"

	"sentweave/transforms/random"
)

// pair is the vectors of two texts that translate each other, with their languages as
// indices of a list.
type pair struct {
	id        string
	vectors   [2][]float32
	languages [2]int
}

// Epoch is the mean losses of an epoch.
type Epoch struct {
	Number               int
	Training, Validation float64
}

// fitted is what a training gives.
type fitted struct {
	network
	best   Epoch
	epochs int
}

// fit trains on all pairs but the share that validates, until the loss on those has not
// become less for Patience epochs, and returns the network of the best epoch.
func fit(ctx context.Context, c Config, pairs []pair, languages int, observe func(Epoch)) (*fitted, error) {
	training, validation := c.split(pairs)
	dim := len(pairs[0].vectors[0])
	n := newNetwork(dim, languages, func(name string) *random.Stream {
		s := random.New(Version, c.Seed, "distill weights", name, 0)
		return &s
	})
	best := fitted{network: n.like(), best: Epoch{Validation: math.Inf(1)}}
	optimizer, gradient := newAdam(n), n.like()
	size := min(c.Batch, max(len(training), len(validation)))
	w, m := newWorkspace(size, dim, languages), newMaker(training, languages, size, dim)
	check := newMaker(validation, languages, size, dim)
	order := make([]int, len(training))
	for epoch := 1; epoch <= c.Epochs && epoch-best.best.Number <= c.Patience; epoch++ {
		current := Epoch{Number: epoch}
		for i := range order {
			order[i] = i
		}
		shuffle := random.New(Version, c.Seed, "distill order", "", int64(epoch))
		random.Shuffle(&shuffle, order)
		stream := random.New(Version, c.Seed, "distill others", "", int64(epoch))
		for chunk := range slices.Chunk(order, size) {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			b := m.batch(chunk, &stream)
			current.Training += n.loss(c, w, b, &gradient) * float64(b.size) / float64(len(training))
			optimizer.move(n, gradient, c.Rate)
		}
		// The same other texts in each epoch, so that losses can be compared.
		stream = random.New(Version, c.Seed, "distill others", "validation", 0)
		for first := 0; first < len(validation); first += size {
			b := check.batch(upTo(first, min(first+size, len(validation))), &stream)
			current.Validation += n.loss(c, w, b, nil) * float64(b.size) / float64(len(validation))
		}
		if observe != nil {
			observe(current)
		}
		best.epochs = epoch
		if current.Validation < best.best.Validation {
			best.best = current
			best.network.set(n)
		}
	}
	return &best, nil
}

func upTo(from, to int) (list []int) {
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

// split deals the pairs by chance, by their ids alone.
func (c Config) split(pairs []pair) (training, validation []pair) {
	for _, p := range pairs {
		s := random.New(Version, c.Seed, "distill validation", p.id, 0)
		if s.Bool(c.Validation) {
			validation = append(validation, p)
		} else {
			training = append(training, p)
		}
	}
	return training, validation
}

// maker makes batches of pairs.
type maker struct {
	pairs []pair
	// texts are the vectors of each language.
	texts [][][]float32
	into  batch
}

func newMaker(pairs []pair, languages, size, dim int) *maker {
	m := &maker{pairs: pairs, texts: make([][][]float32, languages),
		into: batch{vectors: matrix(4*size, dim), languages: make([]int, 2*size)}}
	for _, p := range pairs {
		for side, l := range p.languages {
			m.texts[l] = append(m.texts[l], p.vectors[side])
		}
	}
	return m
}

// batch returns the pairs at the indices, with other texts of their languages that are
// drawn. It is valid until the next call.
func (m *maker) batch(indices []int, stream *random.Stream) batch {
	b := m.into
	b.size = len(indices)
	b.vectors, b.languages = top(b.vectors, 4*b.size), b.languages[:2*b.size]
	dim := b.vectors.Cols
	for i, index := range indices {
		p := &m.pairs[index]
		for side := range 2 {
			row := side*b.size + i
			copy(b.vectors.Data[row*dim:], p.vectors[side])
			b.languages[row] = p.languages[side]
			list := m.texts[p.languages[side]]
			negative := list[stream.IntN(len(list))]
			if len(list) > 1 && &negative[0] == &p.vectors[side][0] { // itself is not another one
				negative = list[(slices.IndexFunc(list, func(v []float32) bool { return &v[0] == &negative[0] })+1)%len(list)]
			}
			copy(b.vectors.Data[(2*b.size+row)*dim:], negative)
		}
	}
	return b
}
