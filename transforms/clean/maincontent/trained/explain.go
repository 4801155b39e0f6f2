package trained

import (
	"fmt"
	"math"
	"slices"

	"sentweave/transforms/clean/maincontent/blocks"
)

// Explanation says what a model makes of a block.
type Explanation struct {
	Text string
	// Markup is what the block is by its markup: a paragraph, a heading, a cell …
	Markup      string
	Probability float64
	Chosen      bool
	// Place is where a block that is dropped seems to stand: "navigation", "footer" …, or "copy".
	Place string
	// Parts are what decided, the weightiest first.
	Parts []Part
}

// Part is how much one of the numbers of a block moved the logit of its probability.
type Part struct {
	Name   string
	Value  float32
	Weight float64
}

// String says it in a line.
func (p Part) String() string { return fmt.Sprintf("%+.2f  %s = %.4g", p.Weight, p.Name, p.Value) }

// Explain says what the model makes of each block, with the given number of parts.
func (m *Model) Explain(p *blocks.Page, parts int) (Judgement, []Explanation) {
	j := m.Judge(p)
	names := slices.Clone(blocks.Names())
	for _, kind := range m.Kinds {
		names = append(names, "page: kind "+kind)
	}
	scores, kinds := m.names.Scores(p), m.kindsOf(p)
	var list []Explanation
	var row []float32
	weights := make([]float64, len(names))
	for i := range p.Len() {
		row = append(p.Append(row[:0], i, scores), kinds...)
		clear(weights)
		m.blocks.Contributions(row, weights)
		e := Explanation{Text: p.Text(i), Markup: p.Markup(i), Probability: j.Probabilities[i], Chosen: j.Chosen[i]}
		if !e.Chosen {
			e.Place = j.place(p, i)
		}
		for k, w := range weights {
			e.Parts = append(e.Parts, Part{names[k], row[k], w})
		}
		slices.SortStableFunc(e.Parts, func(a, b Part) int {
			switch x, y := math.Abs(a.Weight), math.Abs(b.Weight); {
			case x > y:
				return -1
			case x < y:
				return 1
			}
			return 0
		})
		e.Parts = slices.Clone(e.Parts[:min(parts, len(e.Parts))])
		list = append(list, e)
	}
	return j, list
}
