package distill

import (
	"math"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"sentweave/transforms/measure/tiles"
	"sentweave/transforms/random"
)

// linear is a layer y = W x + b.
type linear struct {
	weight blas32.General // [out, in]
	bias   []float32
}

// newLinear draws a layer as PyTorch does: uniformly within 1/√in.
func newLinear(outputs, inputs int, draw *random.Stream) linear {
	l := linear{matrix(outputs, inputs), make([]float32, outputs)}
	bound := 1 / math.Sqrt(float64(inputs))
	for _, list := range [][]float32{l.weight.Data, l.bias} {
		for i := range list {
			list[i] = float32((2*draw.Float64() - 1) * bound)
		}
	}
	return l
}

func matrix(rows, columns int) blas32.General {
	return blas32.General{Rows: rows, Cols: columns, Stride: columns, Data: make([]float32, rows*columns)}
}

// apply writes W x + b for each row x.
func (l linear) apply(x, y blas32.General) {
	l.addBias(y)
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, x, l.weight, 1, y)
}

// back sets the layer to its gradient, given the input and the gradient of the output.
func (l linear) back(x, dy blas32.General) {
	blas32.Gemm(blas.Trans, blas.NoTrans, 1, dy, x, 0, l.weight)
	l.sum(dy)
}

// addBias sets each row to the bias.
func (l linear) addBias(y blas32.General) {
	for i := range y.Rows {
		copy(y.Data[i*y.Stride:], l.bias)
	}
}

// sum sets the bias to the sum of all rows.
func (l linear) sum(dy blas32.General) {
	clear(l.bias)
	for i := range dy.Rows {
		for k, d := range dy.Data[i*dy.Stride:][:dy.Cols] {
			l.bias[k] += d
		}
	}
}

// network are the three layers of the method.
type network struct{ meaning, language, identity linear }

func newNetwork(dim, languages int, draw func(name string) *random.Stream) network {
	return network{newLinear(dim, dim, draw("meaning")), newLinear(dim, dim, draw("language")), newLinear(languages, dim, draw("identity"))}
}

// lists are all its numbers.
func (n network) lists() [][]float32 {
	return [][]float32{n.meaning.weight.Data, n.meaning.bias, n.language.weight.Data, n.language.bias, n.identity.weight.Data,
		n.identity.bias}
}

// like returns a network of zeros of the same shape.
func (n network) like() network {
	layer := func(l linear) linear {
		return linear{matrix(l.weight.Rows, l.weight.Cols), make([]float32, len(l.bias))}
	}
	return network{layer(n.meaning), layer(n.language), layer(n.identity)}
}

// set copies the numbers of another network.
func (n network) set(source network) {
	for i, list := range source.lists() {
		copy(n.lists()[i], list)
	}
}

// batch are vectors of B pairs: rows 0 to B−1 of the first sides, then the second sides,
// then for each of both another text of its language.
type batch struct {
	size      int
	vectors   blas32.General // [4B, d]
	languages []int          // of the 2B sides
}

// workspace holds what a step computes, for reuse.
type workspace struct {
	meaning, language output
	logits            blas32.General // [2B, languages]
	losses            []float64      // of each pair
	// texts and dimensions are the vectors of the batch, packed by rows and by columns; left and right are
	// what is multiplied with them.
	texts, dimensions, left, right tiles.Rows
}

// output is what a layer gives for the texts of a batch, [4B, d], and the gradient of the loss by it.
type output struct{ values, gradient blas32.General }

func newOutput(rows, columns int) output { return output{matrix(rows, columns), matrix(rows, columns)} }

// top returns the first rows.
func (o output) top(rows int) output { return output{top(o.values, rows), top(o.gradient, rows)} }

// clear sets the gradient of a row to 0.
func (o output) clear(row int) { clear(o.gradient.Data[row*o.gradient.Stride:][:o.gradient.Cols]) }

func newWorkspace(size, dim, languages int) *workspace {
	return &workspace{
		meaning: newOutput(4*size, dim), language: newOutput(4*size, dim),
		logits: matrix(2*size, languages), losses: make([]float64, size),
	}
}

// top returns the first rows.
func top(m blas32.General, rows int) blas32.General {
	m.Rows, m.Data = rows, m.Data[:rows*m.Stride]
	return m
}

// apply writes W x + b for each text of the batch.
func (w *workspace) apply(l linear, y blas32.General) {
	w.right.Pack(l.weight, tiles.Width)
	l.addBias(y)
	tiles.Products(w.texts, w.right, y)
}

// back sets a layer to its gradient, given that of its output for each text of the batch.
func (w *workspace) back(g linear, dy blas32.General) {
	w.left.PackColumns(dy, tiles.Height)
	clear(g.weight.Data)
	tiles.Products(w.left, w.dimensions, g.weight)
	g.sum(dy)
}

// loss returns the loss of a batch, and writes its gradient into g unless that is nil.
func (n network) loss(c Config, w *workspace, b batch, g *network) (total float64) {
	meaning, language := w.meaning.top(4*b.size), w.language.top(4*b.size)
	w.texts.Pack(b.vectors, tiles.Height)
	w.apply(n.meaning, meaning.values)
	w.apply(n.language, language.values)
	inParts(b.size, func(from, to int) {
		for i := from; i < to; i++ {
			w.losses[i] = c.pair(b, i, meaning, language)
		}
	})
	for _, loss := range w.losses[:b.size] {
		total += loss
	}
	sides := top(language.values, 2*b.size)
	logits := top(w.logits, 2*b.size)
	n.identity.apply(sides, logits)
	total += c.Language * crossEntropy(logits, b.languages, c.Language/float64(b.size))
	if g != nil {
		g.identity.back(sides, logits)
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, logits, n.identity.weight, 1, top(language.gradient, 2*b.size))
		w.dimensions.PackColumns(b.vectors, tiles.Width)
		w.back(g.meaning, meaning.gradient)
		w.back(g.language, language.gradient)
	}
	return total
}

// inParts calls do with the parts of n things, on all processors at once.
func inParts(n int, do func(from, to int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	var wait sync.WaitGroup
	for i := range workers {
		wait.Go(func() { do(n*i/workers, n*(i+1)/workers) })
	}
	wait.Wait()
}

// pair returns the losses of a pair but for that of its languages' names, as its share of the means over the batch, and
// writes their gradient into the rows of the pair.
func (c Config) pair(b batch, i int, meaning, language output) (loss float64) {
	s, t, otherS, otherT := i, b.size+i, 2*b.size+i, 3*b.size+i
	for _, k := range []int{s, t, otherS, otherT} {
		meaning.clear(k)
		language.clear(k)
	}
	per := 1 / float64(b.size)
	for _, k := range []int{s, t} {
		loss += reconstruction(b.vectors, meaning, language, k, c.Reconstruction*per/float64(b.vectors.Cols))
	}
	// Translations have one meaning; other texts have another one.
	similarity := similarityOf(meaning, s, t)
	loss += c.Meaning * per * (1 - similarity.cosine)
	similarity.pull(-c.Meaning * per)
	for _, p := range [][2]int{{s, otherS}, {t, otherT}} {
		if contrast := similarityOf(meaning, p[0], p[1]); contrast.cosine > 0 {
			loss += c.Meaning * per * contrast.cosine
			contrast.pull(c.Meaning * per)
		}
		// What tells the language is the same in all texts of a language.
		similarity := similarityOf(language, p[0], p[1])
		loss += c.Language * per * (1 - similarity.cosine)
		similarity.pull(-c.Language * per)
	}
	return loss
}

// reconstruction is the squared difference, times a weight, between a vector and the sum of its two parts. It writes
// its gradient.
func reconstruction(vectors blas32.General, meaning, language output, row int, weight float64) (sum float64) {
	from, to := row*vectors.Stride, row*vectors.Stride+vectors.Cols
	m, l := meaning.values.Data[from:to], language.values.Data[from:to]
	d1, d2 := meaning.gradient.Data[from:to], language.gradient.Data[from:to]
	for k, x := range vectors.Data[from:to] {
		d := float64(m[k]) + float64(l[k]) - float64(x)
		sum += d * d
		slope := float32(weight * 2 * d)
		d1[k], d2[k] = slope, slope
	}
	return weight * sum
}

// similarity is the cosine of two rows of an output, 0 with a row of zeros.
type similarity struct {
	output
	i, j         int
	cosine       float64
	norm, xx, yy float64 // the product of both lengths, and their squares
}

func similarityOf(o output, i, j int) similarity {
	s := similarity{output: o, i: i, j: j}
	x, y := s.rows(o.values)
	var dot float64
	for k := range x {
		a, b := float64(x[k]), float64(y[k])
		dot, s.xx, s.yy = dot+a*b, s.xx+a*a, s.yy+b*b
	}
	if s.norm = math.Sqrt(s.xx * s.yy); s.norm > 0 {
		s.cosine = dot / s.norm
	}
	return s
}

// rows are those of the values or of the gradient.
func (s *similarity) rows(m blas32.General) (x, y []float32) {
	return m.Data[s.i*m.Stride:][:m.Cols], m.Data[s.j*m.Stride:][:m.Cols:m.Cols]
}

// pull adds the gradient of the cosine by both rows, times a weight.
func (s *similarity) pull(weight float64) {
	if s.norm == 0 {
		return
	}
	x, y := s.rows(s.values)
	gx, gy := s.rows(s.gradient)
	across, ofX, ofY := weight/s.norm, weight*s.cosine/s.xx, weight*s.cosine/s.yy
	for k := range x {
		a, b := float64(x[k]), float64(y[k])
		gx[k] += float32(across*b - ofX*a)
		gy[k] += float32(across*a - ofY*b)
	}
}

// crossEntropy returns the sum over both sides of the mean negative log likelihood of the
// languages, and writes its gradient, times a weight a row, over the logits.
func crossEntropy(logits blas32.General, languages []int, weight float64) (sum float64) {
	for i, l := range languages {
		row := logits.Data[i*logits.Stride:][:logits.Cols]
		maximum := math.Inf(-1)
		for _, x := range row {
			maximum = max(maximum, float64(x))
		}
		total := 0.
		for _, x := range row {
			total += math.Exp(float64(x) - maximum)
		}
		sum += maximum + math.Log(total) - float64(row[l])
		for k, x := range row {
			p := math.Exp(float64(x)-maximum) / total
			if k == l {
				p--
			}
			row[k] = float32(weight * p)
		}
	}
	return sum / float64(len(languages)/2)
}

// adam is the optimizer of Kingma and Ba 2015, with their defaults.
type adam struct {
	mean, square network
	step         int
}

func newAdam(n network) *adam { return &adam{mean: n.like(), square: n.like()} }

func (a *adam) move(n, gradient network, rate float64) {
	const beta1, beta2, epsilon = .9, .999, 1e-8
	a.step++
	first, second := 1-math.Pow(beta1, float64(a.step)), 1-math.Pow(beta2, float64(a.step))
	for i, list := range n.lists() {
		g, m, v := gradient.lists()[i], a.mean.lists()[i], a.square.lists()[i]
		inParts(len(list), func(from, to int) {
			for k := from; k < to; k++ {
				x := float64(g[k])
				mean, square := beta1*float64(m[k])+(1-beta1)*x, beta2*float64(v[k])+(1-beta2)*x*x
				m[k], v[k] = float32(mean), float32(square)
				list[k] -= float32(rate * mean / first / (math.Sqrt(square/second) + epsilon))
			}
		})
	}
}
