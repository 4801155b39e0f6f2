package filters

import (
	"math"

	"sentweave/schemas"
	"sentweave/transforms/filters/thresholds"
)

// Verdict is what filters say of a document.
type Verdict struct {
	// Reason is the first reason to drop it, "" if there is none, and Measure is the measure that decided.
	Reason  string
	Measure float64
	// Failed is the number of rules that would drop it. Of a document that is not measured, the rules after the first are not asked.
	Failed int

	// measuring has all rules run, whatever the first reason, and scores takes their measures.
	measuring bool
	scores    []schemas.Score
	// own are thresholds that take the place of those of the rules, by measure. With listing, measures takes the rules'.
	own      map[string]thresholds.Bounds
	listing  bool
	measures []thresholds.Measure
}

// decided reports whether no further rule matters.
func (v *Verdict) decided() bool { return v.Reason != "" && !v.measuring }

// drop gives a reason to drop the document.
func (v *Verdict) drop(reason string, measure float64) {
	v.Failed++
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

// list notes the thresholds of a measure.
func (v *Verdict) list(name string, minimum, maximum float64) {
	m := thresholds.Measure{Name: name}
	if !math.IsInf(minimum, 0) {
		m.Minimum = &minimum
	}
	if !math.IsInf(maximum, 0) {
		m.Maximum = &maximum
	}
	v.measures = append(v.measures, m)
}

// Measures returns the measures of rules that have thresholds, and these thresholds, in the order of the rules: those that the
// rules take of an English text that is long enough for all of them.
func Measures(list []Rules) []thresholds.Measure {
	page := NewChain(list).Page()
	defer page.Close()
	for i := range 100 {
		page.Keep("These are five words.", int32(i))
	}
	page.verdict = Verdict{measuring: true, listing: true}
	page.judge("eng", 1, true)
	return page.verdict.measures
}

func (v *Verdict) within(name string, measure float64, minimum, maximum bound) bool {
	v.note(name, measure)
	if own, ok := v.own[name]; ok {
		measure = float64(float32(measure)) // as the scores have it that thresholds are fitted to
		minimum.at, maximum.at = thresholds.Value(own.Minimum, minimum.at), thresholds.Value(own.Maximum, maximum.at)
	}
	if v.listing {
		v.list(name, minimum.at, maximum.at)
	}
	switch {
	case measure < minimum.at:
		v.drop(minimum.reason, measure)
	case measure > maximum.at:
		v.drop(maximum.reason, measure)
	}
	return v.decided()
}
