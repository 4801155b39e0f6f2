package filters

import (
	"math"

	"sentweave/schemas"
)

// Verdict is what filters say of a document.
type Verdict struct {
	// Reason is the first reason to drop it, "" if there is none, and Measure is the measure that decided.
	Reason  string
	Measure float64

	// measuring has all rules run, whatever the first reason, and scores takes their measures.
	measuring bool
	scores    []schemas.Score
}

// decided reports whether no further rule matters.
func (v *Verdict) decided() bool { return v.Reason != "" && !v.measuring }

// drop gives a reason to drop the document.
func (v *Verdict) drop(reason string, measure float64) {
	if v.Reason == "" {
		v.Reason, v.Measure = reason, measure
	}
}

// note takes a measure, whose name begins with that of the filter.
func (v *Verdict) note(name string, measure float64) {
	if v.measuring {
		v.scores = append(v.scores, schemas.Score{Name: name, Value: float32(measure)})
	}
}

// least takes a measure that drops the document if it is below a minimum, most one that does if it is above a
// maximum, and within one that has both. They report whether the verdict is decided.
func (v *Verdict) least(name, reason string, measure, minimum float64) bool {
	return v.within(name, measure, bound{reason, minimum}, bound{at: math.Inf(1)})
}

func (v *Verdict) most(name, reason string, measure, maximum float64) bool {
	return v.within(name, measure, bound{at: math.Inf(-1)}, bound{reason, maximum})
}

// bound is a threshold, and the reason to drop what is beyond it.
type bound struct {
	reason string
	at     float64
}

func (v *Verdict) within(name string, measure float64, minimum, maximum bound) bool {
	v.note(name, measure)
	switch {
	case measure < minimum.at:
		v.drop(minimum.reason, measure)
	case measure > maximum.at:
		v.drop(maximum.reason, measure)
	}
	return v.decided()
}
