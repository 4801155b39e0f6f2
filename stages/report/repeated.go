package report

import (
	"fmt"
	"math"
)

// metrics groups the figures of a task by their metrics. A metric whose figures all equal those
// of an earlier one is left out, and repeated has a sentence that says so: its table would be the
// same once more, and its comparisons would count twice in the correction.
func (r *results) metrics(task []cell) (distinct [][]cell, repeated []string) {
	for _, figures := range group(task, func(c cell) string { return c.metric }) {
		said := ""
		for _, earlier := range distinct {
			if said = r.repeats(figures, earlier); said != "" {
				break
			}
		}
		if said == "" {
			distinct = append(distinct, figures)
		} else {
			repeated = append(repeated, said)
		}
	}
	return distinct, repeated
}

// repeats returns the sentence that says that the figures of a metric equal those of another
// one, or "" if any differs.
func (r *results) repeats(figures, earlier []cell) string {
	if len(figures) != len(earlier) {
		return ""
	}
	equal := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	counted := false
	for _, key := range figures {
		counterpart := key
		counterpart.metric = earlier[0].metric
		for _, m := range r.models {
			a, hasA := r.of(m, key)
			b, hasB := r.of(m, counterpart)
			if hasA != hasB {
				return ""
			}
			if hasA && !(equal(a.value, b.value) && equal(a.low, b.low) && equal(a.high, b.high) && equal(a.deviation, b.deviation) &&
				a.n == b.n && a.data == b.data) {
				return ""
			}
			counted = counted || hasA && a.settings.Contaminated != nil
		}
	}
	why := ""
	if counted {
		why = ": no item is in the training of a model"
	}
	return fmt.Sprintf("Each %s is equal to the %s%s.", figures[0].metric, earlier[0].metric, why)
}
