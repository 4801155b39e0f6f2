package pairfilters

import "sentweave/transforms/filters/choice"

const (
	reasonMargin = "low_margin"
	// MarginMeasure is the name of what the filter margin measures, which depends on the other pairs.
	MarginMeasure = "margin"
)

var margin = Filter{
	Name:    "margin",
	Drops:   "pairs whose vectors are hardly more alike than each is to the nearest ones of other pairs, by --embeddings and --k",
	Source:  "Artetxe and Schwenk 2019, LASER; Schwenk et al. 2021, CCMatrix, who keep margins from 1.06 on",
	Reasons: []string{reasonMargin},
	New: func() Rules {
		minimum := choice.Score(1.06)
		// Columns have measures in float32, of which 1.06 is less than that of float64.
		rules := simple(Rule{Reason: reasonMargin, Measure: MarginMeasure,
			Of:    func(p *Pair) float64 { return p.Margin },
			Drops: func(_ *Pair, x float64) bool { return float32(x) < float32(minimum) }},
			choice.Threshold("min-margin", "Least cosine of both sides by the mean of those to their nearest ones.", &minimum))
		rules.Needs = Neighborhoods
		return rules
	},
}
