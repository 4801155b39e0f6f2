package pairfilters

import (
	"fmt"
	"slices"

	"sentweave/transforms/filters/choice"
	"sentweave/transforms/pairs/pairclassifier"
)

const (
	reasonLearned = "learned"
	// LearnedMeasure is the name of what a classifier measures.
	LearnedMeasure = "learned"
)

var learned = Filter{
	Name:    "learned",
	Drops:   "pairs that a model of pairtrain takes for bad ones, by --model, which adds this filter to those that run without --filters",
	Source:  "Sánchez-Cartagena et al. 2018, Bicleaner, whose classifier learns of pairs that were made wrong, too",
	Reasons: []string{reasonLearned},
	New: func() Rules {
		minimum := .5
		rules := simple(Rule{Reason: reasonLearned, Measure: LearnedMeasure,
			Of: func(p *Pair) float64 {
				if p.Classifier == nil {
					return notApplicable
				}
				return p.Classifier.probability(p)
			},
			Drops: func(_ *Pair, x float64) bool { return x < minimum }},
			choice.Threshold("min-learned", "Least probability that a pair is a good one.", &minimum))
		rules.Needs = Learning
		return rules
	},
}

// Classifier measures pairs by a regression on what other filters measure. It is safe for concurrent use.
type Classifier struct {
	regression *pairclassifier.Regression
	rules      []Rule // of each feature
}

// NewClassifier returns the classifier of a regression. A feature that no filter measures is an error.
func NewClassifier(r *pairclassifier.Regression) (*Classifier, error) {
	c, all := &Classifier{regression: r}, Measuring().rules
	for _, f := range r.Features {
		i := slices.IndexFunc(all, func(r Rule) bool { return r.Measure == f.Measure && f.Measure != LearnedMeasure })
		if i < 0 {
			return nil, fmt.Errorf("no filter has the measure %q", f.Measure)
		}
		c.rules = append(c.rules, all[i])
	}
	return c, r.Validate()
}

// Knows says whether a measure is a feature.
func (c *Classifier) Knows(measure string) bool {
	return slices.ContainsFunc(c.rules, func(r Rule) bool { return r.Measure == measure })
}

func (c *Classifier) probability(p *Pair) float64 {
	return c.regression.Probability(func(i int) float32 { return float32(c.rules[i].Of(p)) })
}
