package distill

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"sentweave/transforms/random"
)

// linear is a layer y = W x + b.
type linear struct {
	weight blas32.General // [out, in]
	bias   []float32
}

// newLinear draws a layer as PyTorch does: uniformly within 1/√in.
func newLinear(out, in int, draw *random.Stream) linear {
	l := linear{matrix(out, in), make([]float32, out)}
	bound := 1 / math.Sqrt(float64(in))
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
	for i := range y.Rows {
		copy(y.Data[i*y.Stride:], l.bias)
	}
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, x, l.weight, 1, y)
}

// back writes the gradient of the layer into g, given its input and the gradient of its
// output.
func (l linear) back(g linear, x, dy blas32.General) {
	blas32.Gemm(blas.Trans, blas.NoTrans, 1, dy, x, 0, g.weight)
	clear(g.bias)
	for i := range dy.Rows {
		for k, d := range dy.Data[i*dy.Stride:][:dy.Cols] {
			g.bias[k] += d
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
	return [][]float32{n.meaning.weight.Data, n.meaning.bias, n.language.weight.Data, n.language.bias, n.identity.weight.Data, n.identity.bias}
}

// like returns a network of zeros of the same shape.
func (n network) like() network {
	layer := func(l linear) linear {
		return linear{matrix(l.weight.Rows, l.weight.Cols), make([]float32, len(l.bias))}
	}
	return network{layer(n.meaning), layer(n.language), layer(n.identity)}
}

// set copies the numbers of another network.
func (n network) set(from network) {
	for i, list := range from.lists() {
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
	meaning, language, dMeaning, dLanguage blas32.General // [4B, d]
	logits                                 blas32.General // [2B, languages]
}

func newWorkspace(size, dim, languages int) *workspace {
	return &workspace{matrix(4*size, dim), matrix(4*size, dim), matrix(4*size, dim), matrix(4*size, dim), matrix(2*size, languages)}
}

// top returns the first rows.
func top(m blas32.General, rows int) blas32.General {
	m.Rows, m.Data = rows, m.Data[:rows*m.Stride]
	return m
}

// loss returns the loss of a batch, and writes its gradient into g unless that is nil.
func (n network) loss(c Config, w *workspace, b batch, g *network) float64 {
	meaning, language := top(w.meaning, 4*b.size), top(w.language, 4*b.size)
	n.meaning.apply(b.vectors, meaning)
	n.language.apply(b.vectors, language)
	dMeaning, dLanguage := top(w.dMeaning, 4*b.size), top(w.dLanguage, 4*b.size)
	clear(dMeaning.Data)
	clear(dLanguage.Data)
	total := c.Reconstruction * reconstruction(b, meaning, language, dMeaning, dLanguage, c.Reconstruction)
	per := 1 / float64(b.size)
	for i := range b.size {
		s, t, otherS, otherT := i, b.size+i, 2*b.size+i, 3*b.size+i
		// Translations have one meaning; other texts have another one.
		cosine, pull := cosineOf(meaning, s, t)
		total += c.Meaning * per * (1 - cosine)
		pull(dMeaning, -c.Meaning*per)
		for _, p := range [][2]int{{s, otherS}, {t, otherT}} {
			if cosine, pull := cosineOf(meaning, p[0], p[1]); cosine > 0 {
				total += c.Meaning * per * cosine
				pull(dMeaning, c.Meaning*per)
			}
			// What tells the language is the same in all texts of a language.
			cosine, pull := cosineOf(language, p[0], p[1])
			total += c.Language * per * (1 - cosine)
			pull(dLanguage, -c.Language*per)
		}
	}
	sides := top(language, 2*b.size)
	logits := top(w.logits, 2*b.size)
	n.identity.apply(sides, logits)
	total += c.Language * crossEntropy(logits, b.languages, c.Language*per)
	if g != nil {
		n.identity.back(g.identity, sides, logits)
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, logits, n.identity.weight, 1, top(dLanguage, 2*b.size))
		n.meaning.back(g.meaning, b.vectors, dMeaning)
		n.language.back(g.language, b.vectors, dLanguage)
	}
	return total
}

// reconstruction is the sum over both sides of the mean squared difference between
// vectors and the sums of their two parts. It adds its gradient, times a weight.
func reconstruction(b batch, meaning, language, dMeaning, dLanguage blas32.General, weight float64) (sum float64) {
	n := float64(b.size * b.vectors.Cols)
	for i := range 2 * b.size * b.vectors.Cols {
		d := float64(meaning.Data[i]) + float64(language.Data[i]) - float64(b.vectors.Data[i])
		sum += d * d
		slope := float32(weight * 2 * d / n)
		dMeaning.Data[i] += slope
		dLanguage.Data[i] += slope
	}
	return sum / n
}

// cosineOf returns the cosine of two rows, and a function that adds its gradient, times a
// weight. The cosine with a row of zeros is 0.
func cosineOf(m blas32.General, i, j int) (cosine float64, pull func(gradient blas32.General, weight float64)) {
	x, y := m.Data[i*m.Stride:][:m.Cols], m.Data[j*m.Stride:][:m.Cols]
	var dot, xx, yy float64
	for k := range x {
		a, b := float64(x[k]), float64(y[k])
		dot, xx, yy = dot+a*b, xx+a*a, yy+b*b
	}
	norm := math.Sqrt(xx * yy)
	if norm == 0 {
		return 0, func(blas32.General, float64) {}
	}
	cosine = dot / norm
	return cosine, func(gradient blas32.General, weight float64) {
		gx, gy := gradient.Data[i*m.Stride:][:m.Cols], gradient.Data[j*m.Stride:][:m.Cols]
		for k := range x {
			a, b := float64(x[k]), float64(y[k])
			gx[k] += float32(weight * (b/norm - cosine*a/xx))
			gy[k] += float32(weight * (a/norm - cosine*b/yy))
		}
	}
}

// crossEntropy returns the sum over both sides of the mean negative log likelihood of the
// languages, and writes its gradient, times a weight a row, over the logits.
func crossEntropy(logits blas32.General, languages []int, weight float64) (sum float64) {
	for i, l := range languages {
		row := logits.Data[i*logits.Stride:][:logits.Cols]
		most := math.Inf(-1)
		for _, x := range row {
			most = max(most, float64(x))
		}
		all := 0.
		for _, x := range row {
			all += math.Exp(float64(x) - most)
		}
		sum += most + math.Log(all) - float64(row[l])
		for k, x := range row {
			p := math.Exp(float64(x)-most) / all
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
		for k := range list {
			x := float64(g[k])
			mean, square := beta1*float64(m[k])+(1-beta1)*x, beta2*float64(v[k])+(1-beta2)*x*x
			m[k], v[k] = float32(mean), float32(square)
			list[k] -= float32(rate * mean / first / (math.Sqrt(square/second) + epsilon))
		}
	}
}
