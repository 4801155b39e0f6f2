package report

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"sentweave/stages/evaluate"
)

// widest is the number of languages up to which a heat map is drawn.
const widest = 40

// pair is the part of a figure that goes from one language to another.
type pair struct{ from, to string }

// pairOf reads a part such as deu-fra, whose languages are known. What stands before a
// slash is the set that the pair belongs to.
func (at cell) pairOf(known map[string]bool) (pair, bool) {
	from, to, _ := strings.Cut(path.Base(at.subtask), "-")
	return pair{from, to}, known[from] && known[to]
}

// heatMaps shows the figures of ordered pairs of languages, a table of languages by
// languages for each set of them and model. At least half of all pairs must be there.
func (r *results) heatMaps(figures []cell, known map[string]bool) (blocks []Block) {
	pairs := slices.DeleteFunc(slices.Clone(figures), func(at cell) bool { _, ok := at.pairOf(known); return !ok })
	for _, set := range group(pairs, func(at cell) string { return path.Dir(at.subtask) }) {
		places := map[pair]cell{}
		var languages []string
		for _, at := range set {
			p, _ := at.pairOf(known)
			places[p] = at
			for _, code := range []string{p.from, p.to} {
				if !slices.Contains(languages, code) {
					languages = append(languages, code)
				}
			}
		}
		if n := len(languages); n < 3 || n > widest || 2*len(places) < n*(n-1) {
			continue
		}
		slices.Sort(languages)
		name := set[0].metric
		if prefix := path.Dir(set[0].subtask); prefix != "." {
			name = prefix + ", " + name
		}
		if maps := r.heatMapsOf(name, set, languages, places); len(maps) > 0 {
			blocks = append(blocks, folded{fmt.Sprintf("From language to language: %s", name), maps})
		}
	}
	return blocks
}

func (r *results) heatMapsOf(name string, set []cell, languages []string, places map[pair]cell) (blocks []Block) {
	least, most := math.Inf(1), math.Inf(-1)
	for _, at := range set {
		for _, m := range r.models {
			if f, ok := r.of(m, at); ok && finite(f.value) {
				least, most = min(least, f.value), max(most, f.value)
			}
		}
	}
	percent := evaluate.MetricOf(set[0].metric).Percent
	scale, digits := 1., 3
	if percent {
		scale, digits, name = 100, 1, name+", × 100"
	}
	for _, m := range r.models {
		t := Table{Caption: m.name() + ": " + name, Columns: []Column{{Name: "From"}}, Sortable: true}
		for _, code := range languages {
			t.Columns = append(t.Columns, Column{code, true})
		}
		found := false
		for _, from := range languages {
			row := cells(from)
			for _, to := range languages {
				c := Cell{Text: ""}
				if at, ok := places[pair{from, to}]; ok {
					if f, ok := r.of(m, at); ok {
						found = true
						c.Text = number(scale*f.value, digits)
						if finite(f.value) {
							c.Shade = 1
							if most > least {
								c.Shade += int(float64(shades-1) * (f.value - least) / (most - least))
							}
						}
					}
				}
				row = append(row, c)
			}
			t.Rows = append(t.Rows, row)
		}
		if found {
			t.Note = fmt.Sprintf("The stronger the colour, the greater the figure: from %s to %s over all models.", number(scale*least, digits), number(scale*most, digits))
			blocks = append(blocks, t)
		}
	}
	return blocks
}
