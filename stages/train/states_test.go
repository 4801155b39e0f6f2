package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/stages/objective"
)

// lensed is a training of a lens on known states, after one of bitext retrieval.
func lensed(t *testing.T) Config {
	t.Helper()
	bitext := Source{Objective: objective.BitextName, Dataset: grouped(t, 40, 1, 2), BatchSize: 4}
	// Of 700 examples the second sides are few, so that most come again.
	texts := write(t, rows(schemas.KindBitext, 700, func(i int, e *schemas.Example) { e.TokensB = row("other", i%20).TokensB }), 3, fingerprint)
	lens := objective.DefaultLens()
	lens.Head, lens.States = objective.LensRanker, true
	return Config{Seed: 3, Vocabulary: fingerprint, CheckpointEvery: 3, Keep: 2, LogEvery: 2, ShuffleGroups: 2, ReadAhead: 3,
		Objectives: objective.Settings{objective.LensName: &lens},
		Periods: []Period{
			{Name: "cmlm", Mixture: []Source{bitext}, Schedule: Schedule{Steps: 3, Rate: 1}},
			{Name: "lens", Mixture: []Source{{Objective: objective.LensName, Dataset: texts, BatchSize: 50, MaxTokens: 9}}, Schedule: Schedule{Steps: 16, Rate: 1}},
		}}
}

// Each batch of the lens has the vectors of its own tokens, which were computed once.
func TestStatesAreThoseOfTheBatch(t *testing.T) {
	c := lensed(t)
	computed, batches := 0, 0
	o := options(func(f *fake) {
		f.fail = func(call string, _ *fake) error {
			if call == "states" {
				computed++
			}
			return nil
		}
		f.loss = func(_ *fake, b objective.Batch) (float64, bool) {
			if b, ok := b.(*objective.LensBatch); ok {
				batches++
				for i, side := range []objective.Sequences{b.A, b.B} {
					var want []float32
					for k, id := range side.IDs {
						place := k % side.Length
						if int32(place) >= side.Lengths[k/side.Length] {
							want = append(want, 0, 0)
						} else {
							want = append(want, float32(id), float32(place))
						}
					}
					if diff := cmp.Diff(want, [][]float32{b.StatesA, b.StatesB}[i]); diff != "" {
						t.Errorf("side %d: %s", i, diff)
					}
				}
			}
			return 1, true
		}
	})
	var notices []string
	o.Observer.Notice = func(text string) { notices = append(notices, text) }
	out := filepath.Join(t.TempDir(), "out")
	if _, err := Run(t.Context(), out, c, o); err != nil {
		t.Fatal(err)
	}
	if computed != 3 || batches != 16 { // 700 examples, 256 at once
		t.Errorf("%d computations, %d batches", computed, batches)
	}
	// 712 are different. Their tokens, 9 of most, have 8 bytes each.
	if len(notices) != 2 || notices[0] != "lens/lens: computing the vectors of the tokens of its 700 examples" || !strings.HasPrefix(notices[1], "lens/lens: the vectors of the tokens of 712 texts, 0.0 MiB") {
		t.Errorf("%q", notices)
	}
	if left, err := os.ReadDir(filepath.Join(out+Suffix, temporaryFolder)); err == nil && len(left) > 0 {
		t.Errorf("%s is left", left[0].Name())
	}
}

// Where no example comes again, it is cheaper to compute states in the steps.
func TestStatesThatDoNotPay(t *testing.T) {
	c := lensed(t)
	c.Periods = c.Periods[1:]
	c.Periods[0].Steps = 14
	o := options(func(f *fake) {
		f.loss = func(_ *fake, b objective.Batch) (float64, bool) {
			if b := b.(*objective.LensBatch); b.StatesA != nil || b.StatesB != nil {
				t.Error("it has states")
			}
			return 1, true
		}
	})
	var notices []string
	o.Observer.Notice = func(text string) { notices = append(notices, text) }
	if _, err := Run(t.Context(), filepath.Join(t.TempDir(), "out"), c, o); err != nil {
		t.Fatal(err)
	}
	if want := "lens/lens: the vectors of tokens are computed in each step: it takes 700 of 700 examples, so none comes again"; len(notices) != 1 || notices[0] != want {
		t.Errorf("%q, want %q", notices, want)
	}
}

// A run that is killed, also while it computes states, ends as one that was not.
func TestStatesResume(t *testing.T) {
	c := lensed(t)
	whole := filepath.Join(t.TempDir(), "out")
	if _, err := Run(t.Context(), whole, c, options(nil)); err != nil {
		t.Fatal(err)
	}
	want := look(t, whole)
	for n := 0; n < 44; n += 2 * stride() {
		calls := 0
		killed := killedAfter(n, &calls)
		killed.intercept = func(string, string) error { // a killed process removes nothing
			if calls > n {
				return errKilled
			}
			return nil
		}
		out := filepath.Join(t.TempDir(), "out")
		if _, err := Run(context.Background(), out, c, killed); !errors.Is(err, errKilled) {
			t.Fatal(n, err)
		}
		if _, err := Run(context.Background(), out, c, options(nil)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, look(t, out)); diff != "" {
			t.Fatalf("killed after %d calls:\n%s", n, diff)
		}
		if left, err := os.ReadDir(filepath.Join(out+Suffix, temporaryFolder)); err == nil && len(left) > 0 {
			t.Fatalf("killed after %d calls: %s is left", n, left[0].Name())
		}
	}
}

func TestStatesThatCannotBeHad(t *testing.T) {
	c := lensed(t)
	c.Periods = c.Periods[1:]
	for _, test := range []struct {
		edit func(states []float32) error
		want string
	}{
		{func([]float32) error { return context.Canceled }, "train %s: source lens: context canceled"},
		{func(states []float32) error { states[200] = float32(math.NaN()); return nil }, `train %s: source lens: the frozen encoder gives NaN for a token of the example "`},
		{func([]float32) error { return syscall.ENOSPC }, "train %s: source lens: no space left on device"},
	} {
		o := options(nil)
		open := o.Open
		o.Open = func(period int, s Period, from string) (Model, error) {
			m, err := open(period, s, from)
			return spoiled{m, test.edit}, err
		}
		o.Observer.Step = func(p Progress) { t.Errorf("step %d was taken", p.Step) }
		out := filepath.Join(t.TempDir(), "out")
		if _, err := Run(t.Context(), out, c, o); err == nil || !strings.Contains(err.Error(), fmt.Sprintf(test.want, out)) {
			t.Errorf("%v, want %q", err, test.want)
		}
		if left, err := os.ReadDir(filepath.Join(out+Suffix, temporaryFolder)); err == nil && len(left) > 0 {
			t.Errorf("%s is left", left[0].Name())
		}
	}
}

// spoiled is a model whose states are not as they should be.
type spoiled struct {
	Model
	edit func(states []float32) error
}

func (s spoiled) States(ctx context.Context, texts [][]int32) ([]float32, error) {
	states, err := s.Model.(FrozenEncoder).States(ctx, texts)
	return states, errors.Join(err, s.edit(states))
}
