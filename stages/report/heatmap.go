package report

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"sentweave/stages/metrics"
	"sentweave/stages/report/markup"
)

// widest is the number of languages up to which a heat map is drawn.
const widest = 40

// pair is the part of a figure that goes from one language to another.
type pair struct{ from, to string }

// pairOf reads a part such as deu-fra, whose languages are known. What comes before a
// slash is the set that the pair belongs to.
func (c cell) pairOf(languages map[string]bool) (pair, bool) {
	from, to, _ := strings.Cut(path.Base(c.subtask), "-")
	return pair{from, to}, languages[from] && languages[to]
}

// heatMaps shows the figures of ordered pairs of languages, a table of languages by
// languages for each set of them and model. At least half of all pairs must be there.
func (r *results) heatMaps(figures []cell, codes map[string]bool) (blocks []markup.Block) {
	pairs := slices.DeleteFunc(slices.Clone(figures), func(c cell) bool { _, ok := c.pairOf(codes); return !ok })
	for _, set := range group(pairs, func(c cell) string { return path.Dir(c.subtask) }) {
		places := map[pair]cell{}
		var languages []string
		for _, key := range set {
			p, _ := key.pairOf(codes)
			places[p] = key
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
			blocks = append(blocks, markup.Folded{Summary: fmt.Sprintf("From language to language: %s", name), Blocks: maps})
		}
	}
	return blocks
}

func (r *results) heatMapsOf(name string, set []cell, languages []string, places map[pair]cell) (blocks []markup.Block) {
	minimum, maximum := math.Inf(1), math.Inf(-1)
	for _, key := range set {
		for _, m := range r.models {
			if f, ok := r.of(m, key); ok && markup.Finite(f.value) {
				minimum, maximum = min(minimum, f.value), max(maximum, f.value)
			}
		}
	}
	percent := metrics.ByName(set[0].metric).Percent
	scale, digits := 1., 3
	if percent {
		scale, digits, name = 100, 1, name+", × 100"
	}
	for _, m := range r.models {
		t := markup.Table{Caption: m.name() + ": " + name, Columns: []markup.Column{{Name: "From"}}, Sortable: true}
		for _, code := range languages {
			t.Columns = append(t.Columns, markup.Column{Name: code, Number: true})
		}
		filled := false
		for _, from := range languages {
			row := markup.Cells(from)
			for _, to := range languages {
				c := markup.Cell{Text: ""}
				if key, ok := places[pair{from, to}]; ok {
					if f, ok := r.of(m, key); ok {
						filled = true
						c.Text = markup.Number(scale*f.value, digits)
						if markup.Finite(f.value) {
							c.Shade = 1
							if maximum > minimum {
								c.Shade += int(float64(markup.Shades-1) * (f.value - minimum) / (maximum - minimum))
							}
						}
					}
				}
				row = append(row, c)
			}
			t.Rows = append(t.Rows, row)
		}
		if filled {
			t.Note = fmt.Sprintf("The stronger the colour, the greater the figure: from %s to %s over all models.",
				markup.Number(scale*minimum, digits), markup.Number(scale*maximum, digits))
			blocks = append(blocks, t)
		}
	}
	return blocks
}
