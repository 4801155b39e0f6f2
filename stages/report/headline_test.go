package report

import (
	"testing"

	"sentweave/schemas"
	"sentweave/stages/metrics"
)

// The best of several headlines is on top. The page says to take it where the difference holds.
func TestAdvice(t *testing.T) {
	row := func(model string, value float64) schemas.Result {
		return schemas.Result{Model: model, Task: metrics.RetrievalTask, Subtask: metrics.SubtaskMean, Metric: metrics.Accuracy,
			Value: value, N: 100}
	}
	worse := func(model, best string, corrected float64) comparisons {
		at := mean(metrics.Accuracy)
		at.model = model
		return comparisons{by: map[cell]compared{at: {best: best, corrected: corrected}}}
	}
	given := []string{"encoder=it reads order.", "bag=it is fast."}
	const why = "\n\nWhat speaks for each:\n"
	for name, test := range map[string]struct {
		encoder, bag float64
		compared     comparisons
		given        []string
		fact, want   string
	}{
		"encoder": {.97, .95, worse("bag", "encoder", .01), given, "Accuracy of encoder",
			"Take the model named encoder. Of the translations, encoder finds 97.0 %, bag finds 95.0 %, and the difference holds." + why +
				"- encoder: it reads order.\n- bag: it is fast."},
		"bag": {.93, .95, worse("encoder", "bag", .01), []string{"encoder", "bag"}, "Accuracy of bag",
			"Take the model named bag. Of the translations, bag finds 95.0 %, encoder finds 93.0 %, and the difference holds."},
		"chance": {.96, .95, worse("bag", "encoder", .4), []string{"encoder", "bag"}, "Accuracy of encoder",
			"Of the translations, encoder finds 96.0 %, bag finds 95.0 %. The difference may be chance: corrected for all comparisons on this page, it does not say which to take."},
		"another": {.96, .95, worse("bag", "third", .01), []string{"encoder", "bag"}, "Accuracy of encoder",
			"Of the translations, encoder finds 96.0 %, bag finds 95.0 %. The difference may be chance: corrected for all comparisons on this page, it does not say which to take."},
		"one": {.96, .95, comparisons{}, []string{"bag"}, "Accuracy of bag", ""},
	} {
		e := experiment{Results: []schemas.Result{row("encoder", test.encoder), row("bag", test.bag), row("char3", .3)},
			Headlines: headlinesOf(test.given), Comparisons: test.compared}
		r, err := newRetrieval(e.Results, e.Models)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.advice(r); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, test.want)
		}
		if facts := e.facts(r); len(facts) == 0 || facts[0].Name != test.fact {
			t.Errorf("%s: %+v", name, facts)
		}
	}
}
