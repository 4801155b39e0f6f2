package evaluate

import (
	"math"
	"path"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/metrics"
)

// followFromItems checks that the figures of a task that are means or correlations are those of
// the items that its protocol gives. All tests of protocols call it.
func followFromItems(t testing.TB, results []schemas.Result, parts []protocol.Part) {
	t.Helper()
	groups := protocol.GroupsOf(parts)
	for _, r := range results {
		if _, known := metrics.Find(strings.TrimSuffix(r.Metric, metrics.UncontaminatedSuffix)); !known {
			t.Errorf("%s gives figures of the metric %q, which the list of metrics lacks", r.Task, r.Metric)
		}
		if r.Task == "bucc-mining" && !strings.Contains(r.Settings, `"repeated":0`) {
			continue // pairs of repeated sentences are not items
		}
		if c, ok := metrics.Compose(r, []float64{r.Value}, results, groups); ok == without(r) {
			t.Errorf("%s %q %q %s follows from items: %t", r.Task, r.Subtask, r.Language, r.Metric, ok)
		} else if got, _ := c.Values(nil); ok && math.Abs(got[0]-r.Value) > 5e-4 {
			t.Errorf("%+v: its items give %v", r, got)
		}
	}
	for _, p := range parts {
		for name, n := range map[string]int{"score": len(p.Score), "b": len(p.B), "found": len(p.Found), "gold": len(p.Gold),
			"label": len(p.Label), "predicted": len(p.Predicted)} {
			if n != len(p.A) && (n != 0 || name == "score") {
				t.Errorf("%s %q: %d of %s for %d items", p.Language, p.Subtask, n, name, len(p.A))
			}
		}
	}
}

// without says that a figure is neither a mean nor a correlation of items: shares of languages, hubs,
// thresholds and what follows from them but recall, the mean nearest of texts that are in
// several pairs of languages, and means of means over languages.
func without(r schemas.Result) bool {
	base := path.Base(r.Subtask)
	switch {
	case !metrics.ByName(r.Metric).FollowsFromItems() && r.Metric != metrics.Mean:
		return true
	case r.Task == "bucc-mining":
		return r.Metric == metrics.F1 || strings.Contains(r.Subtask, "-") || base == metrics.SubtaskMean
	case r.Metric == metrics.SameLanguage:
		return r.Task == "neutrality" || base == metrics.SubtaskMean && strings.Contains(r.Settings, "pairs_of_languages")
	case r.Metric == metrics.Mean:
		return base == metrics.SubtaskMean
	}
	return false
}
