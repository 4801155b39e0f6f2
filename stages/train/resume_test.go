package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/storage"
)

// stride is the distance of the kills that are tried.
func stride() int {
	if testing.Short() {
		return 17
	}
	return 1
}

var errKilled = errors.New("killed")

func reference(t *testing.T, c Config) outcome {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	result, existed, err := Run(context.Background(), out, c, options(nil))
	if err != nil {
		t.Fatal(err)
	}
	if existed || result.Steps != 16 || !result.Record.finished() {
		t.Fatalf("result %+v", result)
	}
	return look(t, out)
}

// killedAfter are options by which all calls of the model but the first n fail. It counts them.
func killedAfter(n int, calls *int) Options {
	return options(func(f *fake) {
		f.fail = func(string, *fake) error {
			if *calls++; *calls > n {
				return errKilled
			}
			return nil
		}
	})
}

// resumesAfterKills kills a training in some calls of the model, and wants of the next run what one without
// a kill gives.
func resumesAfterKills(t *testing.T, c Config, want outcome) {
	t.Helper()
	for n := 3; n < 200; n += 17 * stride() {
		calls := 0
		killed := killedAfter(n, &calls)
		out := filepath.Join(t.TempDir(), "out")
		if _, _, err := Run(context.Background(), out, c, killed); err != nil && !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if _, _, err := Run(context.Background(), out, c, options(nil)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, look(t, out)); diff != "" {
			t.Fatalf("killed after %d calls:\n%s", n, diff)
		}
	}
}

// TestResumeAfterAKillInTheModel stops before every call of the model.
func TestResumeAfterAKillInTheModel(t *testing.T) {
	c := twoPeriods(t)
	want := reference(t, c)
	for n := 0; ; n += stride() {
		calls := 0
		killed := killedAfter(n, &calls)
		// As a killed process does, the run leaves its temporary files.
		dead := false
		killed.intercept = func(storage.Step, string) error {
			if dead = dead || calls > n; dead {
				return errKilled
			}
			return nil
		}
		out := filepath.Join(t.TempDir(), "out")
		_, _, err := Run(context.Background(), out, c, killed)
		if err == nil {
			if n < 50 {
				t.Fatalf("only %d calls", n)
			}
			return
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if _, _, err := Run(context.Background(), out, c, options(nil)); err != nil {
			t.Fatalf("after %d calls: %v", n, err)
		}
		if diff := cmp.Diff(want, look(t, out)); diff != "" {
			t.Fatalf("killed after %d calls:\n%s", n, diff)
		}
	}
}

// TestResumeAfterAKillOfTheDisk stops before every change of the disk.
func TestResumeAfterAKillOfTheDisk(t *testing.T) {
	c := twoPeriods(t)
	want := reference(t, c)
	for n := 0; ; n += stride() {
		changes := 0
		o := options(nil)
		o.intercept = func(storage.Step, string) error {
			if changes++; changes > n {
				return errKilled
			}
			return nil
		}
		out := filepath.Join(t.TempDir(), "out")
		_, _, err := Run(context.Background(), out, c, o)
		if err == nil {
			if n < 90 {
				t.Fatalf("only %d changes", n)
			}
			return
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if _, _, err := Run(context.Background(), out, c, options(nil)); err != nil {
			t.Fatalf("after %d changes: %v", n, err)
		}
		if diff := cmp.Diff(want, look(t, out)); diff != "" {
			t.Fatalf("killed after %d changes:\n%s", n, diff)
		}
		if left, err := os.ReadDir(filepath.Join(out+Suffix, storage.TemporaryFolder)); err == nil && len(left) > 0 {
			t.Fatalf("killed after %d changes: %v is left", n, left)
		}
	}
}

// TestResumeAfterResume kills one run again and again.
func TestResumeAfterResume(t *testing.T) {
	c := twoPeriods(t)
	want := reference(t, c)
	for _, every := range []int{3, 4, 5, 11} {
		out := filepath.Join(t.TempDir(), "out")
		runs := 0
		for {
			updates := 0
			_, _, err := Run(context.Background(), out, c, options(func(f *fake) {
				f.fail = func(call string, f *fake) error {
					if call == "update" {
						if updates++; updates > every {
							return errKilled
						}
					}
					return nil
				}
			}))
			if runs++; runs > 20 {
				t.Fatal("it does not come to an end")
			}
			if err == nil {
				break
			}
		}
		if diff := cmp.Diff(want, look(t, out)); diff != "" {
			t.Errorf("killed every %d steps:\n%s", every, diff)
		}
	}
}

func TestInterrupted(t *testing.T) {
	c := twoPeriods(t)
	want := reference(t, c)
	for _, stop := range []int64{1, 3, 7, 8, 15} {
		out := filepath.Join(t.TempDir(), "out")
		ctx, cancel := context.WithCancel(context.Background())
		o := options(nil)
		o.Observer.Step = func(p Progress) {
			if p.Step == stop {
				cancel()
			}
		}
		var written []int64
		o.Observer.Checkpoint = func(step int64, _ string) { written = append(written, step) }
		if _, _, err := Run(ctx, out, c, o); !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped after step %d: %v", stop, err)
		}
		if written[len(written)-1] != stop {
			t.Errorf("stopped after step %d: checkpoints %v", stop, written)
		}
		var first int64
		o = options(nil)
		o.Observer.Step = func(p Progress) {
			if first == 0 {
				first = p.Step
			}
		}
		if _, _, err := Run(context.Background(), out, c, o); err != nil {
			t.Fatal(err)
		}
		if first != stop+1 {
			t.Errorf("stopped after step %d, it went on at %d", stop, first)
		}
		if diff := cmp.Diff(want, look(t, out)); diff != "" {
			t.Errorf("stopped after step %d:\n%s", stop, diff)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Run(ctx, filepath.Join(t.TempDir(), "out"), c, options(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}

func TestFinishedRunDoesNothing(t *testing.T) {
	c := twoPeriods(t)
	out := filepath.Join(t.TempDir(), "out")
	if _, _, err := Run(context.Background(), out, c, options(nil)); err != nil {
		t.Fatal(err)
	}
	o := options(nil)
	o.Open = func(int, Period, string) (Trainer, error) { return nil, errors.New("opened") }
	result, existed, err := Run(context.Background(), out, c, o)
	if err != nil || !existed || result.Steps != 0 {
		t.Fatalf("%+v, %v", result, err)
	}
}
