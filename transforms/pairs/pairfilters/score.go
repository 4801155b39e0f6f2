package pairfilters

import "sentweave/transforms/filters/choice"

const reasonScore = "low_score"

var score = Filter{
	Name:    "score",
	Drops:   "pairs whose score is low: the margin of mine, or what an import says",
	Source:  "Schwenk et al. 2021, CCMatrix, who keep margins from 1.06 on",
	Reasons: []string{reasonScore},
	New: func() Rules {
		minimum := choice.Score(1.06)
		// Rows have scores in float32, of which 1.06 is less than that of float64.
		return simple(Rule{Reason: reasonScore, Measure: "score",
			Of:    func(p *Pair) float64 { return p.Score },
			Drops: func(_ *Pair, x float64) bool { return float32(x) < float32(minimum) }},
			choice.Threshold("min-score", "Least score of a pair.", &minimum))
	},
}
