package pairfilters

import "sentweave/transforms/filters/choice"

const reasonCosine = "low_cosine"

var cosine = Filter{
	Name:    "cosine",
	Drops:   "pairs whose vectors are unlike, by --embeddings, which adds this filter to those that run without --filters",
	Source:  "Feng et al. 2022, LaBSE, who keep what they mine from .6 on; another encoder wants another threshold",
	Reasons: []string{reasonCosine},
	New: func() Rules {
		minimum := .6
		rules := simple(Rule{Reason: reasonCosine, Measure: "cosine",
			Of:    func(p *Pair) float64 { return p.Cosine },
			Drops: func(_ *Pair, x float64) bool { return x < minimum }},
			choice.Threshold("min-cosine", "Least cosine of the vectors of both sides.", &minimum))
		rules.Needs = Vectors
		return rules
	},
}
