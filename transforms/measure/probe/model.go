package probe

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"sentweave/transforms/random"
)

// model is a trained classifier.
type model struct {
	stack
	// Penalty is that with which it was trained.
	Penalty float64
}

// stack is classifiers side by side: their first layers are one matrix, so that a batch
// is one product for all of them.
type stack struct {
	size, classes, hidden int
	first                 layer
	// second has a layer for each classifier, if there are hidden values.
	second []layer
}

// layer is out rows of in weights, and a bias for each row.
type layer struct {
	in, out       int
	weights, bias []float32
}

// newStack returns equal classifiers, whose weights are drawn as torch.nn.Linear does.
func newStack(size, dimension, classes, hidden int, draw *random.Stream) stack {
	s := stack{size: size, classes: classes, hidden: hidden}
	if hidden == 0 {
		s.first = drawn(dimension, classes, draw).repeat(size)
		return s
	}
	first, second := drawn(dimension, hidden, draw), drawn(hidden, classes, draw)
	s.first = first.repeat(size)
	for range size {
		s.second = append(s.second, second.repeat(1))
	}
	return s
}

// drawn returns a layer with values between ±1/√in.
func drawn(inputs, outputs int, draw *random.Stream) layer {
	l := layer{in: inputs, out: outputs, weights: make([]float32, inputs*outputs), bias: make([]float32, outputs)}
	bound := 1 / math.Sqrt(float64(inputs))
	for _, list := range [][]float32{l.weights, l.bias} {
		for i := range list {
			list[i] = float32((2*draw.Float64() - 1) * bound)
		}
	}
	return l
}

// repeat returns a copy of the rows, n times.
func (l layer) repeat(n int) layer {
	return layer{in: l.in, out: l.out * n, weights: slices.Repeat(l.weights, n), bias: slices.Repeat(l.bias, n)}
}

// part returns the rows from first on, which share the memory of l.
func (l layer) part(first, rows int) layer {
	return layer{in: l.in, out: rows, weights: l.weights[first*l.in : (first+rows)*l.in], bias: l.bias[first : first+rows]}
}

// width is the number of rows that a classifier has in the first layer.
func (s *stack) width() int {
	if s.hidden > 0 {
		return s.hidden
	}
	return s.classes
}

// model returns a copy of one of the classifiers.
func (s *stack) model(i int, penalty float64) *model {
	single := stack{size: 1, classes: s.classes, hidden: s.hidden, first: s.first.part(i*s.width(), s.width()).repeat(1)}
	if s.hidden > 0 {
		single.second = []layer{s.second[i].repeat(1)}
	}
	return &model{single, penalty}
}

// workspace holds what a batch needs, for the next one.
type workspace struct {
	bundle bundle
	batch  [][]float32    // features, row by row
	made   []float32      // those that are not a vector of a row
	hidden blas32.General // after the sigmoid
	kept   []float32      // what dropout multiplies hidden values with
	scores blas32.General
	back   blas32.General // gradient of hidden
}

// shape makes m rows × columns, in its own memory where that suffices.
func shape(m *blas32.General, rows, columns int) {
	if cap(m.Data) < rows*columns {
		m.Data = make([]float32, rows*columns)
	}
	m.Data = m.Data[:rows*columns]
	m.Rows, m.Cols, m.Stride = rows, columns, columns
}

// columns are those of m from first on.
func columns(m blas32.General, first, n int) blas32.General {
	return blas32.General{Rows: m.Rows, Cols: n, Stride: m.Stride, Data: m.Data[first:]}
}

// gather sets the features of a batch. Vectors of single texts are shared, since copies of
// rows in a new order take more time than their products.
func (w *workspace) gather(rows Rows, indices []int) {
	w.batch = w.batch[:0]
	dim := rows.dim()
	if rows.Form != Alone {
		w.made = slices.Grow(w.made[:0], len(indices)*dim)[:len(indices)*dim]
	}
	for i, k := range indices {
		if rows.Form == Alone {
			w.batch = append(w.batch, rows.Vectors[k])
			continue
		}
		row := w.made[i*dim:][:dim]
		rows.fill(k, row)
		w.batch = append(w.batch, row)
	}
}

// apply sets output to input·weightsᵀ + bias.
func (l layer) apply(b *bundle, input [][]float32, output blas32.General) {
	for i := 0; i < len(input); i += together {
		n := b.take(input[i:])
		for c, bias := range l.bias {
			b.multiply(l.weights[c*l.in:][:l.in])
			for k, product := range b.factors[:n] {
				output.Data[(i+k)*output.Stride+c] = bias + product
			}
		}
	}
}

// rowsOf returns the rows, which share the memory of m.
func rowsOf(m blas32.General) (list [][]float32) {
	for i := range m.Rows {
		list = append(list, m.Data[i*m.Stride:][:m.Cols])
	}
	return list
}

// forward sets the scores of the gathered batch; with a stream, hidden values are dropped.
func (s *stack) forward(w *workspace, drop *random.Stream, share float64) {
	shape(&w.scores, len(w.batch), s.size*s.classes)
	if s.hidden == 0 {
		s.first.apply(&w.bundle, w.batch, w.scores)
		return
	}
	shape(&w.hidden, len(w.batch), s.size*s.hidden)
	s.first.apply(&w.bundle, w.batch, w.hidden)
	w.kept = slices.Grow(w.kept[:0], len(w.hidden.Data))[:len(w.hidden.Data)]
	for i, x := range w.hidden.Data {
		w.kept[i] = 1
		if drop != nil && share > 0 {
			if w.kept[i] = 0; drop.Float64() >= share {
				w.kept[i] = float32(1 / (1 - share))
			}
		}
		w.hidden.Data[i] = float32(1 / (1 + math.Exp(-float64(x*w.kept[i]))))
	}
	for i, l := range s.second {
		l.apply(&w.bundle, rowsOf(columns(w.hidden, i*s.hidden, s.hidden)), columns(w.scores, i*s.classes, s.classes))
	}
}

// predictBatch is the number of rows that are predicted at once.
const predictBatch = 256

// predict calls use with the classes that each classifier predicts, row by row.
func (s *stack) predict(w *workspace, rows Rows, indices []int, use func(index, classifier, class int)) {
	for part := range slices.Chunk(indices, predictBatch) {
		w.gather(rows, part)
		s.forward(w, nil, 0)
		for i, index := range part {
			for k := range s.size {
				row := w.scores.Data[i*w.scores.Stride+k*s.classes:][:s.classes]
				best := 0
				for c, score := range row {
					if score > row[best] {
						best = c
					}
				}
				use(index, k, best)
			}
		}
	}
}

// Predict returns the class of each row; of equal scores the first one wins.
func (m *model) Predict(rows Rows) []int {
	predicted := make([]int, len(rows.Vectors))
	m.predict(&workspace{}, rows, upTo(len(rows.Vectors)), func(index, _, class int) { predicted[index] = class })
	return predicted
}

// accuracies returns the share of rows that each classifier is right about.
func (s *stack) accuracies(w *workspace, rows Rows, indices []int) []float64 {
	right := make([]float64, s.size)
	s.predict(w, rows, indices, func(index, k, class int) {
		if class == rows.Classes[index] {
			right[k]++
		}
	})
	for k := range right {
		right[k] /= float64(len(indices))
	}
	return right
}

// upTo returns 0 to n-1.
func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
