package train

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Each look at the clock takes a quarter of a second: before and after waiting for a batch,
// when a step is counted, and when it is measured. The steps of the second period wait for
// four batches.
func TestMeasure(t *testing.T) {
	c := twoPeriods(t)
	var steps []int64
	o := options(func(f *fake) {
		f.fail = func(call string, f *fake) error {
			if call == "update" {
				steps = append(steps, f.steps)
			}
			return nil
		}
	})
	now := time.Unix(0, 0)
	o.Now = func() time.Time { now = now.Add(time.Second / 4); return now }
	t.Chdir(t.TempDir())
	list, err := Measure(t.Context(), c, o, 3*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		if list[i].StepTokens < 10 {
			t.Errorf("%v tokens a step", list[i].StepTokens)
		}
		list[i].StepTokens = 0
	}
	want := []Measured{{Period: "cmlm", Steps: 7, StepSeconds: 1}, {Period: "cmlm+br", Steps: 9, StepSeconds: 2.5}}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int64{0, 1, 2, 3, 0, 1, 2}, steps); diff != "" { // the first of each is not counted
		t.Errorf("steps: %s", diff)
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
		t.Errorf("it leaves %v, %v", entries, err)
	}
	c.Periods[1].Mixture[0].Dataset = t.TempDir()
	if _, err := Measure(t.Context(), c, o, time.Second); err == nil {
		t.Error("a dataset that is not one is measured")
	}
}
