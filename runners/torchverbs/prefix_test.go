package torchverbs

import (
	"fmt"
	"testing"

	"sentweave/schemas"
)

// Means are over masked tokens, and intervals by the differences of batches: 2 and 5 nats over 30 and 10 tokens are 2.75, whose
// parts of the mean are -.5625 and .5625.
func TestPrefixResults(t *testing.T) {
	rows := prefixBatches{{[3]float64{1, 1, 3}, 30}, {[3]float64{2, 2, 7}, 10}}.results(schemas.Result{Model: "m"})
	var got []string
	for _, r := range rows {
		spread := -1.
		if r.Spread != nil {
			spread = *r.Spread
		}
		got = append(got, fmt.Sprintf("%s %s %.4f ± %.4f of %d", r.Subtask, r.Metric, r.Value, spread, r.N))
	}
	want := []string{
		"own loss 1.2500 ± -1.0000 of 40", "zero loss 1.2500 ± -1.0000 of 40", "zero loss_above_own 0.0000 ± 0.0000 of 40",
		"other loss 4.0000 ± -1.0000 of 40", "other loss_above_own 2.7500 ± 2.2050 of 40",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
	if rows := (prefixBatches{{[3]float64{1, 2, 3}, 4}}).results(schemas.Result{}); len(rows) != 3 {
		t.Errorf("%d results of a batch, which has no interval", len(rows))
	}
}
