package evaluate

import (
	"math"
	"path"
	"strings"
	"testing"

	"sentweave/schemas"
)

// followFromItems checks that the figures of a task that are means or correlations are those of
// the items that its protocol gives. All tests of protocols call it.
func followFromItems(t testing.TB, results []schemas.Result, parts []part) {
	t.Helper()
	groups := groupsOf(parts)
	for _, r := range results {
		if _, known := metricNamed(strings.TrimSuffix(r.Metric, metricUncontaminated)); !known {
			t.Errorf("%s gives figures of the metric %q, which the list of metrics lacks", r.Task, r.Metric)
		}
		if r.Task == "bucc-mining" && !strings.Contains(r.Settings, `"repeated":0`) {
			continue // pairs of repeated sentences are no items
		}
		if c, ok := Compose(r, []float64{r.Value}, results, groups); ok == without(r) {
			t.Errorf("%s %q %q %s follows from items: %t", r.Task, r.Subtask, r.Language, r.Metric, ok)
		} else if got, _ := c.Values(nil); ok && math.Abs(got[0]-r.Value) > 5e-4 {
			t.Errorf("%+v: its items give %v", r, got)
		}
	}
	for _, p := range parts {
		for name, n := range map[string]int{"score": len(p.score), "b": len(p.b), "found": len(p.found), "gold": len(p.gold), "label": len(p.label), "predicted": len(p.predicted)} {
			if n != len(p.a) && (n != 0 || name == "score") {
				t.Errorf("%s %q: %d of %s for %d items", p.language, p.subtask, n, name, len(p.a))
			}
		}
	}
}

// without says that a figure is no mean nor correlation of items: shares of languages, hubs,
// thresholds and what follows from them but recall, the mean nearest of texts that stand in
// several pairs of languages, and means of means over languages.
func without(r schemas.Result) bool {
	base := path.Base(r.Subtask)
	switch {
	case !MetricOf(r.Metric).FollowsFromItems() && r.Metric != MetricMean:
		return true
	case r.Task == "bucc-mining":
		return r.Metric == metricF1 || strings.Contains(r.Subtask, "-") || base == SubtaskMean
	case r.Metric == MetricSameLanguage:
		return r.Task == "neutrality" || base == SubtaskMean && strings.Contains(r.Settings, "pairs_of_languages")
	case r.Metric == MetricMean:
		return base == SubtaskMean
	}
	return false
}
