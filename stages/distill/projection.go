package distill

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"sentweave/transforms/measure/neighbors"
)

// projections map the vectors of languages onto those of their translations in one language: for each
// language the affine map with the least squares over pairs (Libovický et al. 2020, "On the Language
// Neutrality of Pre-trained Multilingual Representations").
type projections struct {
	into string
	dim  int
	maps map[string]linear
}

// project fits a map for each language that pairs translate into c.Into, on the pairs that do not validate. It
// also returns, for each of these languages, the share of the variance that its map leaves unexplained, over the
// pairs that do. It costs n·d² operations for n pairs and d dimensions and some d³, in float64 and in the order of
// the pairs.
func project(ctx context.Context, c Config, pairs []pair, languages []string) (*projections, map[string]float64, error) {
	p := &projections{c.Into, len(pairs[0].vectors[0]), map[string]linear{}}
	training, validation := c.split(pairs)
	unexplained := map[string]float64{}
	for i, language := range languages {
		x, y := towards(training, languages, i, c.Into)
		if language == c.Into || len(x) == 0 {
			continue
		}
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		l, err := leastSquares(x, y)
		if err != nil {
			return nil, nil, fmt.Errorf("the map of %s: %w", language, err)
		}
		p.maps[language] = l
		x, y = towards(validation, languages, i, c.Into)
		if share, ok := l.unexplained(x, y); ok {
			unexplained[language] = share
		}
	}
	if len(p.maps) == 0 {
		return nil, nil, fmt.Errorf("no pair is a translation into %s: they are in %v", c.Into, languages)
	}
	return p, unexplained, nil
}

// towards returns the vectors of the texts in one language that pairs translate into another one, and the vectors of
// their translations.
func towards(pairs []pair, languages []string, source int, into string) (x, y [][]float32) {
	for _, p := range pairs {
		for side, language := range p.languages {
			if language == source && languages[p.languages[1-side]] == into {
				x, y = append(x, p.vectors[side]), append(y, p.vectors[1-side])
			}
		}
	}
	return x, y
}

// leastSquares returns W and b for which the sum of |W x + b − y|² over rows is least; where several are, as
// with fewer rows than dimensions, that of the least norm.
func leastSquares(x, y [][]float32) (linear, error) {
	const rows = 256 // at once
	d := len(x[0])
	meanX, meanY := meanOf(x), meanOf(y)
	gram := blas64.Symmetric{N: d, Stride: d, Data: make([]float64, d*d), Uplo: blas.Upper}
	moment := blas64.General{Rows: d, Cols: d, Stride: d, Data: make([]float64, d*d)}
	a, b := make([]float64, rows*d), make([]float64, rows*d)
	for first := 0; first < len(x); first += rows {
		n := min(rows, len(x)-first)
		for i := range n {
			for k := range d {
				a[i*d+k] = float64(x[first+i][k]) - meanX[k]
				b[i*d+k] = float64(y[first+i][k]) - meanY[k]
			}
		}
		inputs := blas64.General{Rows: n, Cols: d, Stride: d, Data: a[:n*d]}
		blas64.Syrk(blas.Trans, 1, inputs, 1, gram)
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, inputs, blas64.General{Rows: n, Cols: d, Stride: d, Data: b[:n*d]}, 1, moment)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(d, gram.Data), true) {
		return linear{}, errors.New("the eigenvalues of its vectors do not converge: they hold numbers that are not finite")
	}
	var vectors, along, weight mat.Dense
	eigen.VectorsTo(&vectors)
	along.Mul(vectors.T(), mat.NewDense(d, d, moment.Data))
	values := eigen.Values(nil) // ascending
	for i, v := range values {
		row := along.RawRowView(i)
		for k := range row {
			if v <= values[d-1]*float64(len(x)+d)*0x1p-52 { // it is rounding
				row[k] = 0
			} else {
				row[k] /= v
			}
		}
	}
	weight.Mul(&vectors, &along) // a column for each number of y
	l := linear{matrix(d, d), make([]float32, d)}
	for k := range d {
		bias := meanY[k]
		for i := range d {
			w := weight.At(i, k)
			l.weight.Data[k*d+i] = float32(w)
			bias -= w * meanX[i]
		}
		l.bias[k] = float32(bias)
	}
	return l, nil
}

func meanOf(rows [][]float32) []float64 {
	mean := make([]float64, len(rows[0]))
	for _, row := range rows {
		for k, v := range row {
			mean[k] += float64(v) / float64(len(rows))
		}
	}
	return mean
}

// unexplained returns the sum of squares by which the vectors that a map makes of x miss y, as a share of the sum of
// squares by which y differs from its mean. It is false where y does not differ.
func (l linear) unexplained(x, y [][]float32) (share float64, ok bool) {
	if len(y) == 0 {
		return 0, false
	}
	prediction, mean := matrix(1, len(l.bias)), meanOf(y)
	residual, total := 0.0, 0.0
	for i := range x {
		l.apply(row(x[i]), prediction)
		for k, v := range y[i] {
			residual += (float64(v) - float64(prediction.Data[k])) * (float64(v) - float64(prediction.Data[k]))
			total += (float64(v) - mean[k]) * (float64(v) - mean[k])
		}
	}
	return residual / total, total > 0
}

// Has implements Distilled: what is mapped counts as meaning.
func (p *projections) Has(part string) error {
	if part == partMeaning {
		return nil
	}
	return fmt.Errorf("projections into %s have no part %q: `sentweave distill` without --into splits vectors", p.into, part)
}

// Vectors implements Distilled.
func (p *projections) Vectors(string) string { return "projected into " + p.into }

// About implements Distilled.
func (p *projections) About() string {
	return fmt.Sprintf("projections of %s into %s", strings.Join(slices.Sorted(maps.Keys(p.maps)), ", "), p.into)
}

// Apply implements Distilled: vectors are mapped by the languages of their texts. Those in a language
// without a map stay as they are.
func (p *projections) Apply(m neighbors.Matrix, languages []string, _ string) (neighbors.Matrix, error) {
	if err := fits(m, "the projection", p.dim); err != nil {
		return m, err
	}
	result := neighbors.Matrix{Data: make([]float32, len(m.Data)), Dim: m.Dim}
	for i, language := range languages {
		if l, ok := p.maps[language]; ok {
			l.apply(row(m.Row(i)), row(result.Row(i)))
		} else {
			copy(result.Row(i), m.Row(i))
		}
	}
	return result, nil
}

// row is a matrix of one row.
func row(v []float32) blas32.General {
	return blas32.General{Rows: 1, Cols: len(v), Stride: len(v), Data: v}
}

func (p *projections) marshal() ([]byte, error) {
	layers := map[string]*linear{}
	for name, l := range p.maps {
		layers[name] = &l
	}
	return file{Format: format, Dim: p.dim, Languages: slices.Sorted(maps.Keys(p.maps)), Into: p.into}.marshal(layers)
}

func (f file) projections() (Distilled, error) {
	p := &projections{f.Into, f.Dim, map[string]linear{}}
	for _, name := range f.Languages {
		var err error
		if p.maps[name], err = f.layer(name, f.Dim); err != nil {
			return nil, err
		}
	}
	return p, nil
}
