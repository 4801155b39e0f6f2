// Package pcr removes principal components from embeddings. These are the directions
// that all texts of a language share, which tell the language and not the meaning
// (Yang et al., EMNLP 2021, "A Simple and Effective Method To Eliminate the Self
// Language Bias in Multilingual Representations").
//
// # Method
//
// Matrix M has a row for each embedding of one language, and c are its first k right
// singular vectors. They are the eigenvectors of MᵀM with the greatest eigenvalues.
// Where M has fewer rows than columns, they are computed as MᵀU/σ from the
// eigenvectors U of MMᵀ, so that the smaller matrix is decomposed, in float64. Every
// embedding e of the language becomes e − Σ (e·c)c. The matrix is used as it is, as in
// the paper, or its mean is subtracted before the fit. The mean itself is never
// subtracted from embeddings.
//
// A vector's sign is free: the entry of greatest magnitude is made positive. Where two
// singular values are equal, their vectors are not unique.
package pcr

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"sentweave/schemas/fault"
	"sentweave/transforms/measure/neighbors"
)

// Config says what is removed.
type Config struct {
	Components int  `help:"Number of components to remove." default:"1" json:"components"`
	Center     bool `help:"Take the mean off before the components are fitted." json:"center"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	if c.Components < 1 || c.Components > neighbors.MaxDim {
		return fmt.Errorf("components %d: want 1 to the number of dimensions", c.Components)
	}
	return nil
}

// ErrLanguage matches the error for a language that the fit did not see.
var ErrLanguage = errors.New("language has no components")

// Components are the fitted directions of each language.
type Components struct {
	config    Config
	dim       int
	languages map[string]Directions
}

// Directions are what is removed from one language.
type Directions struct {
	// Rows is the number of embeddings that they were fitted on.
	Rows int `json:"rows"`
	// Values are the singular values, the greatest first.
	Values []float64 `json:"values"`
	// Vectors are of length 1 and orthogonal to each other.
	Vectors [][]float64 `json:"vectors"`
}

// Fit finds the components of each language in the rows of m; languages names
// that of each row. Each language needs as many independent rows as there are
// components. It costs rows·dim² operations and dim³ a language, where dim is at
// most the number of rows.
func Fit(m neighbors.Matrix, languages []string, c Config) (*Components, error) {
	if err := errors.Join(c.Validate(), m.Validate()); err != nil {
		return nil, fmt.Errorf("fit components: %w", err)
	}
	if len(languages) != m.Rows() {
		return nil, fmt.Errorf("fit components: %d languages for %d rows", len(languages), m.Rows())
	}
	rows := map[string][]int{}
	for i, l := range languages {
		rows[l] = append(rows[l], i)
	}
	fitted := &Components{config: c, dim: m.Dim, languages: map[string]Directions{}}
	var errs fault.List
	for _, l := range slices.Sorted(maps.Keys(rows)) {
		d, err := directions(m, rows[l], c)
		if err != nil {
			errs.Addf("fit components of language %q: %w", l, err)
			continue
		}
		fitted.languages[l] = d
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return fitted, nil
}

// directions decomposes the rows of one language.
func directions(m neighbors.Matrix, rows []int, c Config) (Directions, error) {
	n, d := len(rows), m.Dim
	if c.Components >= d {
		return Directions{}, fmt.Errorf("%d components of %d dimensions leave nothing but rounding: ask for fewer", c.Components, d)
	}
	if c.Components > n {
		return Directions{}, fmt.Errorf("%d components of %d rows and %d dimensions: ask for fewer, or give more texts", c.Components, n, d)
	}
	x := mat.NewDense(n, d, nil)
	mean := make([]float64, d)
	for i, r := range rows {
		row := x.RawRowView(i)
		for k, v := range m.Row(r) {
			if v-v != 0 {
				return Directions{}, fmt.Errorf("row %d holds %v", r, v)
			}
			row[k] = float64(v)
			mean[k] += float64(v) / float64(n)
		}
	}
	if c.Center {
		for i := range n {
			row := x.RawRowView(i)
			for k := range row {
				row[k] -= mean[k]
			}
		}
	}
	gram := mat.NewSymDense(min(n, d), nil)
	if n >= d {
		gram.SymOuterK(1, x.T())
	} else {
		gram.SymOuterK(1, x)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(gram, true) {
		return Directions{}, errors.New("the eigenvalues do not converge")
	}
	values := eigen.Values(nil) // ascending
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	result := Directions{Rows: n}
	last := len(values) - 1
	for k := range c.Components {
		square := values[last-k]
		// Eigenvalues are exact to some 2⁻⁵² of the greatest: below that it is rounding.
		if square <= values[last]*float64(n+d)*0x1p-52 {
			return Directions{}, fmt.Errorf(
				"only %d of its %d rows are independent, %d components are asked for: ask for fewer, or give more texts", k, n,
				c.Components)
		}
		v := mat.NewVecDense(d, nil)
		if column := vectors.ColView(last - k); n >= d {
			v.CopyVec(column)
		} else {
			v.MulVec(x.T(), column)
		}
		result.Values, result.Vectors = append(result.Values, math.Sqrt(square)), append(result.Vectors, v.RawVector().Data)
		orthonormalise(result.Vectors)
	}
	return result, nil
}

// orthonormalise scales the last vector to length 1 after taking off what rounding
// has left of the others in it, and turns its sign.
func orthonormalise(vectors [][]float64) {
	v := vectors[len(vectors)-1]
	scale := func(factor float64) {
		for i := range v {
			v[i] *= factor
		}
	}
	scale(1 / math.Sqrt(dot(v, v)))
	for _, c := range vectors[:len(vectors)-1] {
		p := dot(v, c)
		for i := range v {
			v[i] -= p * c[i]
		}
	}
	greatest := 0
	for i, x := range v {
		if math.Abs(x) > math.Abs(v[greatest]) {
			greatest = i
		}
	}
	scale(math.Copysign(1/math.Sqrt(dot(v, v)), v[greatest]))
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// Languages lists the languages in order.
func (c *Components) Languages() []string { return slices.Sorted(maps.Keys(c.languages)) }

// of returns the directions of a language, which are shared.
func (c *Components) of(language string) (Directions, error) {
	d, ok := c.languages[language]
	if !ok {
		return Directions{}, fmt.Errorf("%w: %q; there are those of %v: fit with texts of that language", ErrLanguage, language,
			c.Languages())
	}
	return d, nil
}

// Suits returns an error if the components are not those of embeddings of so many dimensions.
func (c *Components) Suits(dim int) error {
	if dim != c.dim {
		return fmt.Errorf("remove components: an embedding of %d dimensions, components of %d", dim, c.dim)
	}
	return nil
}

// Apply takes the components of a language off an embedding, in place. Sums are
// float64; what is left along a direction is the rounding of e to float32.
func (c *Components) Apply(language string, e []float32) error {
	d, err := c.of(language)
	if err != nil {
		return err
	}
	if err := c.Suits(len(e)); err != nil {
		return err
	}
	var few [8]float64
	along := few[:0]
	for _, v := range d.Vectors { // all of e itself: they are orthogonal
		s := 0.0
		for i, x := range e {
			s += float64(x) * v[i]
		}
		along = append(along, s)
	}
	for i, x := range e {
		y := float64(x)
		for k, v := range d.Vectors {
			y -= along[k] * v[i]
		}
		e[i] = float32(y)
	}
	return nil
}
