package train

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUntil ends a training after every step, and goes on: the bytes are those of one that did not end.
func TestUntil(t *testing.T) {
	c := twoPeriods(t)
	want := reference(t, c)
	for until := int64(1); until <= 17; until++ {
		out, o := filepath.Join(t.TempDir(), "out"), options(nil)
		o.Until = until
		for range 2 { // the second call finds the checkpoint
			opened := 0
			o.Open = opener(func(*fake) { opened++ })
			result, _, err := Run(context.Background(), out, c, o)
			if err != nil || result.Record.Step != min(until, 16) {
				t.Fatalf("until %d: %v, after step %d", until, err, result.Record.Step)
			}
			if opened > 0 && result.Steps == 0 {
				t.Errorf("until %d: a model was opened for no step", until)
			}
		}
		if _, _, err := Run(context.Background(), out, c, options(nil)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, look(t, out)); diff != "" {
			t.Fatalf("until %d:\n%s", until, diff)
		}
	}
}

// A training whose checkpoints are released takes all its steps again, to the same end.
func TestRelease(t *testing.T) {
	c, out, o := twoPeriods(t), filepath.Join(t.TempDir(), "out"), options(nil)
	want := reference(t, c)
	o.Until = 10
	if _, _, err := Run(context.Background(), out, c, o); err != nil {
		t.Fatal(err)
	}
	for range 2 { // what is released may be released again
		if err := Release(context.Background(), out); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := filepath.Glob(filepath.Join(out+Suffix, checkpointFolder, "*")); len(list) > 0 || err != nil {
		t.Errorf("%q is left, %v", list, err)
	}
	result, _, err := Run(context.Background(), out, c, options(nil))
	if err != nil || result.Steps != 16 {
		t.Fatal(result, err)
	}
	if diff := cmp.Diff(want, look(t, out)); diff != "" {
		t.Error(diff)
	}
}

// Tokens of steps are counted without a model, and are those that a training takes.
func TestCountTokens(t *testing.T) {
	c, out := twoPeriods(t), filepath.Join(t.TempDir(), "out")
	result, _, err := Run(context.Background(), out, c, options(nil))
	if err != nil {
		t.Fatal(err)
	}
	list, err := CountTokens(context.Background(), c, options(nil), 1<<20)
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	sum := 0.
	for _, m := range list {
		sum += float64(m.Steps) * m.StepTokens
	}
	if total := float64(result.Tokens); sum < .9*total || sum > 1.1*total {
		t.Errorf("%.0f tokens by count, %.0f trained", sum, total)
	}
	again, err := CountTokens(context.Background(), c, options(nil), 1<<20)
	if diff := cmp.Diff(list, again); diff != "" || err != nil {
		t.Errorf("counted again: %v\n%s", err, diff)
	}
}
