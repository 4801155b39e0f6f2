package units

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every gathering unit is given the ref of every spreading unit once, in the
// order of the units, however many run at once.
func TestRunIn(t *testing.T) {
	const gathering, spreading = 2, 12
	var want []string
	for to := range gathering {
		for from := range spreading {
			want = append(want, fmt.Sprint("of ", gathering+from, " at ", to))
		}
	}
	for _, parallelism := range []int{1, 5} {
		job, env := newJob(t, gathering, spreading, &spread{})
		m, err := job.RunIn(t.Context(), env, parallelism)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, wordsOf(t, env)); diff != "" || m.Rows != int64(len(want)) {
			t.Errorf("%d at once: %d rows: %s", parallelism, m.Rows, diff)
		}
	}
}

// A run that fails leaves what was committed: the next run does the rest, and
// still gathers the refs of all.
func TestRunInAgain(t *testing.T) {
	full := errors.New("the disk is full")
	task := &spread{fail: func(unit int) error {
		if unit == 6 {
			return full
		}
		return nil
	}}
	job, env := newJob(t, 2, 8, task)
	_, err := job.RunIn(t.Context(), env, 1)
	if !errors.Is(err, full) || !strings.HasPrefix(err.Error(), "unit 6: ") {
		t.Fatalf("%v, want the error of unit 6", err)
	}
	if task.done[9] != 0 {
		t.Error("units are begun after the error")
	}
	task.fail = nil
	if _, err := job.RunIn(t.Context(), env, 3); err != nil {
		t.Fatal(err)
	}
	want := map[int]int{2: 1, 3: 1, 4: 1, 5: 1, 6: 2, 7: 1, 8: 1, 9: 1}
	if diff := cmp.Diff(want, task.done); diff != "" {
		t.Errorf("times that a unit was done: %s", diff)
	}
	if n := len(wordsOf(t, env)); n != 2*8 {
		t.Errorf("%d refs are gathered, want 16", n)
	}
}

// A panic ends its unit, with an error that says where, and not the process.
func TestPanic(t *testing.T) {
	job, env := newJob(t, 1, 3, &spread{fail: func(unit int) error {
		if unit == 2 {
			panic("index out of range")
		}
		return nil
	}})
	_, err := job.RunIn(t.Context(), env, 1)
	if err == nil || !strings.Contains(err.Error(), "unit 2: panic: index out of range") ||
		!strings.Contains(err.Error(), "plain_test.go") {
		t.Errorf("%v, want the unit, the panic and its place", err)
	}
}

// A job that is interrupted returns why.
func TestRunInInterrupted(t *testing.T) {
	interrupt := errors.New("interrupt")
	ctx, cancel := context.WithCancelCause(t.Context())
	job, env := newJob(t, 1, 4, &spread{fail: func(unit int) error {
		if unit == 2 {
			cancel(interrupt)
		}
		return nil
	}})
	if _, err := job.RunIn(ctx, env, 1); !errors.Is(err, interrupt) {
		t.Errorf("%v, want the cause", err)
	}
	cancelled, stop := context.WithCancelCause(t.Context())
	stop(interrupt)
	if _, err := job.RunIn(cancelled, env, 1); !errors.Is(err, interrupt) {
		t.Errorf("%v, want the cause", err)
	}
}
