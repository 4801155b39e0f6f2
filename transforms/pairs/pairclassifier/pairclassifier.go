// Package pairclassifier tells good pairs of parallel texts from bad ones by logistic regression on what filters measure of
// them. A model is one weight for each measure, which people can read.
package pairclassifier

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// mostDeviations bounds a measure, in standard deviations from its mean: counts and ratios have long tails.
const mostDeviations = 5

// Feature is a measure and what it counts: Weight times the measure, less Mean and by Scale, which are its mean and its standard
// deviation among the pairs of the training, bounded to 5 deviations. A measure that does not apply to a pair counts as its mean.
type Feature struct {
	Measure string  `json:"measure"`
	Mean    float64 `json:"mean"`
	Scale   float64 `json:"scale"`
	Weight  float64 `json:"weight"`
}

// standard returns the measure as the regression sees it.
func (f *Feature) standard(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(max((x-f.Mean)/f.Scale, -mostDeviations), mostDeviations)
}

// Regression is a logistic regression. Its probability that a pair is good is the logistic function of Bias plus
// what all features count.
type Regression struct {
	Features []Feature `json:"features"`
	Bias     float64   `json:"bias"`
}

// mostNumber bounds the numbers of a regression, so that sums of them are finite.
const mostNumber = 1e30

// Validate returns an error for a regression without features, with one twice, or with numbers that are NaN
// or beyond 1e30 or scales that are not positive.
func (r *Regression) Validate() error {
	if len(r.Features) == 0 {
		return errors.New("there are no features")
	}
	for i, f := range r.Features {
		if slices.ContainsFunc(r.Features[:i], func(g Feature) bool { return g.Measure == f.Measure }) {
			return fmt.Errorf("feature %q is there twice", f.Measure)
		}
		if most := max(math.Abs(f.Mean), f.Scale, math.Abs(f.Weight), math.Abs(r.Bias)); !(most <= mostNumber && f.Scale > 0) {
			return fmt.Errorf("feature %q lacks a number, or has one that is too large or a scale that is not positive", f.Measure)
		}
	}
	return nil
}

// Probability returns how probable it is that a pair is good, in [0, 1]. Measure returns the measure of feature i, in single
// precision as in a dataset of scores; it is not a number where the measure does not apply.
func (r *Regression) Probability(measure func(i int) float32) float64 {
	sum := r.Bias
	for i := range r.Features {
		f := &r.Features[i]
		sum += f.Weight * f.standard(float64(measure(i)))
	}
	return 1 / (1 + math.Exp(-sum))
}
