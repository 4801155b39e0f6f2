package probe

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"sentweave/transforms/random"
)

// trainer trains a stack of classifiers, one for each penalty.
type trainer struct {
	config  Config
	rows    Rows
	classes int
	seed    uint64
	// what names the fit: fits of other names draw other orders.
	name string
}

// fit trains on some rows and keeps, of each penalty, the model that is best on others.
func (t *trainer) fit(ctx context.Context, train, dev []int, penalties []float64) ([]*model, error) {
	if t.config.Optimizer == lbfgs {
		return t.fitLogistic(ctx, train, penalties)
	}
	draw := random.New(version, t.seed, "probe weights", t.name, 0)
	s := newStack(len(penalties), t.rows.dim(), t.classes, t.config.Hidden, &draw)
	o := newMover(t.config.Optimizer, &s, penalties)
	var w workspace
	models, best := make([]*model, len(penalties)), make([]float64, len(penalties))
	misses := make([]int, len(penalties))
	active := upTo(len(penalties)) // the penalty of each classifier of the stack
	for k := range best {
		best[k] = -1
	}
	order := slices.Clone(train)
	for epoch := 0; epoch <= t.config.MaxEpoch && len(active) > 0; epoch += t.config.EpochSize {
		for pass := range t.config.EpochSize {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			shuffle := random.New(version, t.seed, "probe order", t.name, int64(epoch+pass))
			copy(order, train)
			random.Shuffle(&shuffle, order)
			drop := random.New(version, t.seed, "probe dropout", t.name, int64(epoch+pass))
			for batch := range slices.Chunk(order, t.config.Batch) {
				w.gather(t.rows, batch)
				s.forward(&w, &drop, t.config.Dropout)
				t.loss(&w, batch, s.size)
				o.step(&s, &w)
			}
		}
		accuracies := s.accuracies(&w, t.rows, dev)
		for i := len(active) - 1; i >= 0; i-- {
			k := active[i]
			if accuracies[i] > best[k] {
				best[k], models[k] = accuracies[i], s.model(i, penalties[k])
				continue
			}
			if misses[k] >= t.config.Tenacity {
				s.remove(i)
				o.remove(i)
				active = slices.Delete(active, i, i+1)
			}
			misses[k]++
		}
	}
	return models, nil
}

// fitLogistic trains a model for each C.
func (t *trainer) fitLogistic(ctx context.Context, train []int, penalties []float64) (models []*model, err error) {
	for _, c := range penalties {
		m, err := logistic(ctx, t.rows, train, t.classes, c)
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	return models, nil
}

// loss turns the scores of a batch into the gradients of the mean cross entropy.
func (t *trainer) loss(w *workspace, batch []int, size int) {
	share := 1 / float32(len(batch))
	for i, index := range batch {
		for k := range size {
			row := w.scores.Data[i*w.scores.Stride+k*t.classes:][:t.classes]
			top, sum := slices.Max(row), float32(0)
			for c, score := range row {
				row[c] = float32(math.Exp(float64(score - top)))
				sum += row[c]
			}
			for c := range row {
				row[c] *= share / sum
			}
			row[t.rows.Classes[index]] -= share
		}
	}
}

// remove takes a classifier out of the stack.
func (s *stack) remove(i int) {
	s.first = s.first.without(i*s.width(), s.width())
	if s.hidden > 0 {
		s.second = slices.Delete(s.second, i, i+1)
	}
	s.size--
}

func (l layer) without(first, rows int) layer {
	return layer{
		in: l.in, out: l.out - rows,
		weights: slices.Delete(l.weights, first*l.in, (first+rows)*l.in), bias: slices.Delete(l.bias, first, first+rows),
	}
}

// mover is an optimizer with its state for the layers of a stack.
type mover struct {
	optimizer Optimizer
	steps     int
	penalties []float64
	first     moments
	second    []moments
}

// moments are the running means of gradients and of their squares, and the gradients.
type moments struct{ mean, square, gradient layer }

func newMoments(l layer) moments {
	zero := func() layer {
		return layer{in: l.in, out: l.out, weights: make([]float32, len(l.weights)), bias: make([]float32, len(l.bias))}
	}
	return moments{zero(), zero(), zero()}
}

func newMover(optimizer Optimizer, s *stack, penalties []float64) *mover {
	o := &mover{optimizer: optimizer, penalties: slices.Clone(penalties), first: newMoments(s.first)}
	for _, l := range s.second {
		o.second = append(o.second, newMoments(l))
	}
	return o
}

func (o *mover) remove(i int) {
	width := o.first.mean.out / len(o.penalties)
	for _, l := range []*layer{&o.first.mean, &o.first.square, &o.first.gradient} {
		*l = l.without(i*width, width)
	}
	if o.second != nil {
		o.second = slices.Delete(o.second, i, i+1)
	}
	o.penalties = slices.Delete(o.penalties, i, i+1)
}

// step goes back from the gradients of the scores and moves all weights.
func (o *mover) step(s *stack, w *workspace) {
	o.steps++
	if s.hidden == 0 {
		o.first.gradients(&w.bundle, w.scores, w.batch)
	} else {
		shape(&w.back, len(w.batch), s.size*s.hidden)
		for i, l := range s.second {
			scores, hidden := columns(w.scores, i*s.classes, s.classes), columns(w.hidden, i*s.hidden, s.hidden)
			o.second[i].gradients(&w.bundle, scores, rowsOf(hidden))
			blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, scores, blas32.General{Rows: l.out, Cols: l.in, Stride: l.in, Data: l.weights}, 0,
				columns(w.back, i*s.hidden, s.hidden))
		}
		for i, h := range w.hidden.Data {
			w.back.Data[i] *= h * (1 - h) * w.kept[i]
		}
		o.first.gradients(&w.bundle, w.back, w.batch)
	}
	width := s.width()
	for i, penalty := range o.penalties {
		m := moments{o.first.mean.part(i*width, width), o.first.square.part(i*width, width), o.first.gradient.part(i*width, width)}
		o.move(s.first.part(i*width, width), m, float32(penalty))
		if s.hidden > 0 {
			o.move(s.second[i], o.second[i], float32(penalty))
		}
	}
}

// gradients sets those of a layer from those of its output, and its input.
func (m *moments) gradients(b *bundle, output blas32.General, input [][]float32) {
	l := m.gradient
	clear(l.weights)
	clear(l.bias)
	for i := 0; i < len(input); i += together {
		n := b.take(input[i:])
		for c := range l.bias {
			b.factors = [together]float32{}
			for k := range n {
				b.factors[k] = output.Data[(i+k)*output.Stride+c]
				l.bias[c] += b.factors[k]
			}
			b.add(l.weights[c*l.in:][:l.in])
		}
	}
}

func (o *mover) move(l layer, m moments, penalty float32) {
	o.moveList(l.weights, m.gradient.weights, m.mean.weights, m.square.weights, penalty)
	o.moveList(l.bias, m.gradient.bias, m.mean.bias, m.square.bias, penalty)
}

// The constants of torch.optim.Adam and torch.optim.RMSprop.
const (
	adamRate, adamMean, adamSquare = 1e-3, 0.9, 0.999
	rmsRate, rmsSquare             = 1e-2, 0.99
	epsilon                        = 1e-8
)

// moveList rounds each product before it is added, as the kernels do: processors that would
// multiply and add at once give the same bits.
func (o *mover) moveList(weights, gradient, mean, square []float32, penalty float32) {
	if o.optimizer == rmsProp {
		for i, g := range gradient {
			g += float32(penalty * weights[i])
			square[i] = float32(rmsSquare*square[i]) + float32((1-rmsSquare)*g*g)
			weights[i] -= rmsRate * g / (sqrt(square[i]) + epsilon)
		}
		return
	}
	rate := float32(adamRate / (1 - math.Pow(adamMean, float64(o.steps))))
	scale := float32(1 / math.Sqrt(1-math.Pow(adamSquare, float64(o.steps))))
	for i, g := range gradient {
		g += float32(penalty * weights[i])
		mean[i] = float32(adamMean*mean[i]) + float32((1-adamMean)*g)
		square[i] = float32(adamSquare*square[i]) + float32((1-adamSquare)*g*g)
		weights[i] -= rate * mean[i] / (float32(sqrt(square[i])*scale) + epsilon)
	}
}

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }
