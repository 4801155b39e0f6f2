package vectors

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"sentweave/schemas/excerpt"
	"sentweave/schemas/language"
	"sentweave/stages/report/markup"
	"sentweave/transforms/measure/neighbors"
)

// Projection is where embeddings lie along their first two principal components.
type Projection struct {
	// Points has one for each row; NaN for a row that is not finite.
	Points []markup.Point
	// Share is the part of the variance along each of the two, in [0, 1].
	Share [2]float64
}

// Project finds the two directions along which the rows of m vary most, and their
// places along them: principal components of the centred rows, in float64, from
// the eigenvectors of the smaller of XᵀX and XXᵀ. Rows that are not finite take no
// part. The entry of greatest magnitude of a direction is positive (the first of
// those that are equal to nine digits). Where rows vary along one direction only,
// or not at all, what is missing is 0. It costs rows·dim² operations and dim³,
// where dim is at most the number of rows.
func Project(m neighbors.Matrix) (Projection, error) {
	if err := m.Validate(); err != nil {
		return Projection{}, fmt.Errorf("project embeddings: %w", err)
	}
	p := Projection{Points: make([]markup.Point, m.Rows())}
	var rows []int
	for i := range p.Points {
		p.Points[i] = markup.Point{X: math.NaN(), Y: math.NaN()}
		if !slices.ContainsFunc(m.Row(i), func(v float32) bool { return v-v != 0 }) {
			p.Points[i], rows = markup.Point{}, append(rows, i)
		}
	}
	if len(rows) == 0 {
		return p, nil
	}
	x, variance := centred(m, rows)
	directions, values, err := principal(x)
	if err != nil {
		return Projection{}, fmt.Errorf("project embeddings: %w", err)
	}
	for k, v := range directions {
		p.Share[k] = min(1, values[k]/variance)
		var along mat.VecDense
		along.MulVec(x, v)
		for i, r := range rows {
			if coordinate := along.AtVec(i); k == 0 {
				p.Points[r].X = coordinate
			} else {
				p.Points[r].Y = coordinate
			}
		}
	}
	return p, nil
}

// centred returns rows less their mean, and the sum of the squares of all entries.
func centred(m neighbors.Matrix, rows []int) (x *mat.Dense, sum float64) {
	x = mat.NewDense(len(rows), m.Dim, nil)
	mean := make([]float64, m.Dim)
	for i, r := range rows {
		row := x.RawRowView(i)
		for k, v := range m.Row(r) {
			row[k] = float64(v)
			mean[k] += float64(v)
		}
	}
	for i := range rows {
		row := x.RawRowView(i)
		for k := range row {
			row[k] -= mean[k] / float64(len(rows))
			sum += row[k] * row[k]
		}
	}
	return x, sum
}

// principal returns up to two directions of length 1 with the sums of squares
// along them, the greatest first.
func principal(x *mat.Dense) (directions []*mat.VecDense, values []float64, err error) {
	n, d := x.Dims()
	gram := mat.NewSymDense(min(n, d), nil)
	if n >= d {
		gram.SymOuterK(1, x.T())
	} else {
		gram.SymOuterK(1, x)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(gram, true) {
		return nil, nil, errors.New("the eigenvalues do not converge")
	}
	eigenvalues := eigen.Values(nil) // ascending
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	last := len(eigenvalues) - 1
	for k := range min(2, len(eigenvalues)) {
		// Eigenvalues are exact to some 2⁻⁵² of the greatest: below that it is rounding.
		if eigenvalues[last-k] <= 0 || eigenvalues[last-k] <= eigenvalues[last]*float64(n+d)*0x1p-52 {
			break
		}
		v := mat.NewVecDense(d, nil)
		if column := vectors.ColView(last - k); n >= d {
			v.CopyVec(column)
		} else {
			v.MulVec(x.T(), column)
		}
		v.ScaleVec(sign(v.RawVector().Data)/mat.Norm(v, 2), v)
		directions, values = append(directions, v), append(values, eigenvalues[last-k])
	}
	return directions, values, nil
}

// sign returns that of the entry of greatest magnitude.
func sign(v []float64) float64 {
	magnitude := 0.0
	for _, x := range v {
		magnitude = max(magnitude, math.Abs(x))
	}
	for _, x := range v {
		if math.Abs(x) >= magnitude*(1-1e-9) {
			return math.Copysign(1, x)
		}
	}
	return 1
}

// Placed is what is at a point of a projection.
type Placed struct {
	Language string
	// Group is the same for texts that translate each other.
	Group uint64
	// Text is shown when the pointer rests on the dot; only its beginning.
	Text string
}

// textRunes is how much of a text a dot tells.
const textRunes = 80

// parallelScatter shows texts by language at their places in a projection, with
// lines between the translations of at most joined groups, evenly taken in their
// order.
func parallelScatter(title string, p Projection, texts []Placed, joined int) (markup.Scatter, error) {
	s, err := dots(p.Points, texts, joined)
	if err != nil {
		return s, fmt.Errorf("scatter %q: %w", title, err)
	}
	s.Title = title
	s.X, s.Y = axes(p)
	return s, nil
}

// axes are the labels of the axes of a projection.
func axes(p Projection) (x, y string) {
	return fmt.Sprintf("first component, %s %% of the variance", markup.Percent(p.Share[0])),
		fmt.Sprintf("second, %s %%", markup.Percent(p.Share[1]))
}

// dots are those of texts at some places, coloured by language, or by family if there are many.
func dots(points []markup.Point, texts []Placed, joined int) (markup.Scatter, error) {
	if len(texts) != len(points) {
		return markup.Scatter{}, fmt.Errorf("%d texts for %d points", len(texts), len(points))
	}
	languages, sizes := map[string]bool{}, map[uint64]int{}
	for _, t := range texts {
		languages[t.Language] = true
		sizes[t.Group]++
	}
	s := markup.Scatter{Groups: slices.Sorted(maps.Keys(languages))}
	var place map[string]int // of more languages than there are colours, by family
	if len(languages) > markup.Looks {
		s.Groups, place = familiesOf(s.Groups)
	}
	sets := choose(sizes, joined)
	for i, t := range texts {
		group, _ := slices.BinarySearch(s.Groups, t.Language)
		text := excerpt.Characters(t.Text, textRunes)
		if place != nil {
			group, text = place[t.Language], language.Name(t.Language)+": "+text
		}
		s.Dots = append(s.Dots, markup.Dot{X: points[i].X, Y: points[i].Y, Group: group, Set: sets[t.Group], Label: text})
	}
	switch {
	case len(sets) == 0:
	case len(sets) < len(sizes):
		s.Note = fmt.Sprintf("Lines join the translations of %d of the %d groups.", len(sets), len(sizes))
	default:
		s.Note = "Lines join translations."
	}
	return s, nil
}

// choose numbers, from 1, at most limit of the groups that have several texts.
func choose(sizes map[uint64]int, limit int) map[uint64]int {
	groups := slices.DeleteFunc(slices.Sorted(maps.Keys(sizes)), func(g uint64) bool { return sizes[g] < 2 })
	n := max(0, min(limit, len(groups)))
	sets := make(map[uint64]int, n)
	for i := range n {
		sets[groups[i*len(groups)/n]] = i + 1
	}
	return sets
}
