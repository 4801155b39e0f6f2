package train

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/dataset"
)

// What is in a folder is told as Run finds it, and nothing is written.
func TestStanding(t *testing.T) {
	c := twoPeriods(t)
	longer, other := c, c
	longer.Periods = slices.Clone(c.Periods)
	longer.Periods[1].Steps += 5
	other.Seed++
	whole := func(t *testing.T, o Options) string {
		out := filepath.Join(t.TempDir(), "out")
		if _, _, err := Run(t.Context(), out, c, o); err != nil {
			t.Fatal(err)
		}
		return out
	}
	change := func(t *testing.T, out string) string {
		if err := os.WriteFile(filepath.Join(out, "model.json"), []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
		return out
	}
	gone := func(t *testing.T, out string) string {
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	discard := withPrivate()
	discard.Discard = true
	for name, test := range map[string]struct {
		out    func(t *testing.T) string
		config Config
		want   dataset.Fate
		why    string // of a refusal
		other  bool   // which --overwrite would delete
	}{
		"nothing":               {func(t *testing.T) string { return filepath.Join(t.TempDir(), "out") }, c, dataset.Fresh, "", false},
		"a whole training":      {func(t *testing.T) string { return whole(t, withPrivate()) }, c, dataset.Complete, "", false},
		"one without its state": {func(t *testing.T) string { return whole(t, discard) }, c, dataset.Complete, "", false},
		"a part":                {func(t *testing.T) string { return stopped(t, c, 9) }, c, dataset.Resumed, "", false},
		"a part of more":        {func(t *testing.T) string { return stopped(t, c, 9) }, longer, dataset.Extended, "", false},
		"before a checkpoint":   {func(t *testing.T) string { return stopped(t, c, 1) }, other, dataset.Fresh, "", false},
		"more steps":            {func(t *testing.T) string { return whole(t, withPrivate()) }, longer, dataset.Extended, "", false},
		"more steps without the state of the optimizer": {func(t *testing.T) string { return whole(t, discard) }, longer, dataset.Fresh,
			"the state of its optimizer is gone", true},
		"another seed": {func(t *testing.T) string { return whole(t, withPrivate()) }, other, dataset.Fresh,
			"config.seed is ", true},
		"a part of another": {func(t *testing.T) string { return stopped(t, c, 9) }, other, dataset.Fresh,
			"config.seed is ", true},
		"a changed encoder": {func(t *testing.T) string { return change(t, whole(t, discard)) }, c, dataset.Fresh,
			"has changed since it was trained", true},
		"a changed encoder with a checkpoint": {func(t *testing.T) string { return change(t, whole(t, withPrivate())) }, c, dataset.Fresh,
			"has changed since it was trained", true},
		"a removed encoder": {func(t *testing.T) string { return gone(t, whole(t, withPrivate())) }, c, dataset.Fresh, "",
			false},
		"a removed encoder, more steps": {func(t *testing.T) string { return gone(t, whole(t, withPrivate())) }, longer,
			dataset.Extended, "", false},
		"files of others": {func(t *testing.T) string { return change(t, t.TempDir()) }, c, dataset.Fresh,
			"but no training", false},
		"no such examples": {func(t *testing.T) string { return t.TempDir() }, without(c), dataset.Fresh, "no dataset",
			false},
		"more steps, begun": {func(t *testing.T) string { return begun(t, whole(t, withPrivate()), longer) }, longer,
			dataset.Extended, "", false},
		"fewer, after others": {func(t *testing.T) string { return begun(t, whole(t, withPrivate()), longer) }, c,
			dataset.Fresh, "config.periods[1].steps is ", true},
	} {
		t.Run(name, func(t *testing.T) {
			out := test.out(t)
			before := append(filesOf(t, out), filesOf(t, out+Suffix)...)
			o := withPrivate()
			o.Open = nil
			state, err := Standing(t.Context(), out, test.config, o)
			if state != test.want || (err == nil) != (test.why == "") || err != nil && !strings.Contains(err.Error(), test.why) ||
				errors.Is(err, dataset.ErrOtherPlan) != test.other {
				t.Errorf("%v, %v", state, err)
			}
			if diff := cmp.Diff(before, append(filesOf(t, out), filesOf(t, out+Suffix)...)); diff != "" {
				t.Errorf("files have changed: %s", diff)
			}
			result, existed, err := Run(t.Context(), out, test.config, withPrivate())
			if (err == nil) != (test.why == "") || err == nil && existed != (test.want == dataset.Complete) {
				t.Errorf("Run: %+v, %v", result, err)
			}
		})
	}
}

// without is a configuration whose examples are not there.
func without(c Config) Config {
	c.Periods = slices.Clone(c.Periods)
	c.Periods[0].Mixture = slices.Clone(c.Periods[0].Mixture)
	c.Periods[0].Mixture[0].Dataset += "-absent"
	return c
}

// begun stops a whole training that goes on, before its first step.
func begun(t *testing.T, out string, c Config) string {
	t.Helper()
	o := withPrivate()
	o.Open = func(int, Period, string) (Trainer, error) { return nil, errKilled }
	if _, _, err := Run(t.Context(), out, c, o); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	return out
}
