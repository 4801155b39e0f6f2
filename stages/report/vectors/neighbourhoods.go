package vectors

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"sentweave/schemas/language"
	"sentweave/stages/report/markup"
	"sentweave/transforms/measure/neighbors"
	"sentweave/transforms/measure/tsne"
)

// plotsOf shows parallel texts along their principal components and by t-SNE, and their
// languages where there are enough of them. Texts come language after language, translations
// of each other together.
func plotsOf(ctx context.Context, title string, m neighbors.Matrix, texts []Placed) ([]markup.Scatter, error) {
	projection, err := Project(m)
	if err != nil {
		return nil, err
	}
	components, err := parallelScatter(title, projection, texts, joinedGroups)
	if err != nil {
		return nil, err
	}
	list := []markup.Scatter{components}
	languages := map[string]bool{}
	for _, t := range texts {
		languages[t.Language] = true
	}
	limit := min(m.Rows(), tsne.MostRows) / max(1, len(languages)) * len(languages)
	few := neighbors.Matrix{Dim: m.Dim, Data: m.Data[:limit*m.Dim]}
	near, ok, err := neighbourhoods(ctx, title, few, projection.Points[:limit],
		func(points []markup.Point) (markup.Scatter, error) { return dots(points, texts[:limit], joinedGroups) })
	if ok {
		list = append(list, near)
	}
	if err != nil || len(languages) < leastLanguages {
		return list, err
	}
	variances, codes := languageVariances(m, texts)
	if projection, err = Project(variances); err != nil {
		return nil, err
	}
	byFamily := func(points []markup.Point) (markup.Scatter, error) {
		return languageDots(points, codes, variances), nil
	}
	along, _ := byFamily(projection.Points)
	along.Title = title + ": languages by the variance of each dimension"
	along.X, along.Y = axes(projection)
	list = append(list, along)
	near, ok, err = neighbourhoods(ctx, along.Title, variances, projection.Points, byFamily)
	if ok {
		list = append(list, near)
	}
	return list, err
}

// leastLanguages is the number of languages that are worth a plot: fewer dots show no families.
const leastLanguages = 6

// neighbourhoods moves points by t-SNE, from their places along principal components on. It is
// not ok for rows that have no neighbourhoods: too few, all equal, or not finite.
func neighbourhoods(ctx context.Context, title string, m neighbors.Matrix, origins []markup.Point,
	show func([]markup.Point) (markup.Scatter, error)) (s markup.Scatter, ok bool, err error) {
	start := make([][2]float64, len(origins))
	differ := false
	for i, p := range origins {
		if !markup.Finite(p.X) || !markup.Finite(p.Y) {
			return s, false, nil
		}
		start[i] = [2]float64{p.X, p.Y}
		differ = differ || p.X != origins[0].X
	}
	if len(origins) < 4 || !differ {
		return s, false, nil
	}
	places, perplexity, divergence, err := tsne.Fit(ctx, m, start)
	if err != nil {
		return s, false, err
	}
	points := make([]markup.Point, len(places))
	for i, p := range places {
		points[i] = markup.Point{X: p[0], Y: p[1]}
	}
	if s, err = show(points); err != nil {
		return s, false, err
	}
	s.Title = title + ", t-SNE"
	note := fmt.Sprintf("Perplexity %s, divergence %s nats.", markup.Number(perplexity, 1), markup.Number(divergence, 2))
	if s.Note != "" {
		note = s.Note + " " + note
	}
	s.Note = note
	return s, true, nil
}

// languageVariances has a row for each language: the variance of each dimension over its
// texts, whose vectors are brought to length 1 (Kiros 2020, figure 4).
func languageVariances(m neighbors.Matrix, texts []Placed) (v neighbors.Matrix, codes []string) {
	counts := map[string]float64{}
	for _, t := range texts {
		counts[t.Language]++
	}
	codes = slices.Sorted(maps.Keys(counts))
	v = neighbors.Matrix{Dim: m.Dim, Data: make([]float32, len(codes)*m.Dim)}
	sums, squares := make([]float64, len(v.Data)), make([]float64, len(v.Data))
	for i, t := range texts {
		row := m.Row(i)
		length := math.Sqrt(neighbors.Dot(row, row))
		if length == 0 {
			continue
		}
		index, _ := slices.BinarySearch(codes, t.Language)
		for k, x := range row {
			x := float64(x) / length
			sums[index*m.Dim+k] += x
			squares[index*m.Dim+k] += x * x
		}
	}
	for i := range v.Data {
		n := counts[codes[i/m.Dim]]
		mean := sums[i] / n
		v.Data[i] = float32(max(0, squares[i]/n-mean*mean))
	}
	return v, codes
}

// languageDots shows languages, coloured by family, with their mean variance.
func languageDots(points []markup.Point, codes []string, variances neighbors.Matrix) markup.Scatter {
	groups, place := familiesOf(codes)
	s := markup.Scatter{Groups: groups, Note: "Rest the pointer on a dot to read its language."}
	for i, code := range codes {
		mean := 0.0
		for _, x := range variances.Row(i) {
			mean += float64(x) / float64(variances.Dim)
		}
		s.Dots = append(s.Dots, markup.Dot{X: points[i].X, Y: points[i].Y, Group: place[code],
			Label: fmt.Sprintf("%s, mean variance of a dimension %.3g", language.Name(code), mean)})
	}
	return s
}

// otherFamily is what languages have whose family is not known.
const otherFamily = "other"

// familiesOf are the families of languages, in the order of their names, and the place of that of each.
func familiesOf(codes []string) (families []string, place map[string]int) {
	family, present := map[string]string{}, map[string]bool{}
	for _, code := range codes {
		family[code] = cmp.Or(language.Family(code), otherFamily)
		present[family[code]] = true
	}
	hasOther := present[otherFamily]
	delete(present, otherFamily)
	if families = slices.Sorted(maps.Keys(present)); hasOther {
		families = append(families, otherFamily)
	}
	place = map[string]int{}
	for _, code := range codes {
		place[code] = slices.Index(families, family[code])
	}
	return families, place
}
