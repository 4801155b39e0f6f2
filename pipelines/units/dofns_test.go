package units

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// elements is what a GroupByKey hands to a DoFn for one key.
func elements(list ...[]byte) func(*[]byte) bool {
	return func(to *[]byte) bool {
		if len(list) == 0 {
			return false
		}
		*to, list = list[0], list[1:]
		return true
	}
}

// The chunks of a phase give each of its units once, and no other.
func TestPending(t *testing.T) {
	for _, phase := range []Range{
		{First: 0, Count: 0}, {First: 7, Count: 0}, {First: 0, Count: 1}, {First: 0, Count: 999}, {First: 0, Count: 1000},
		{First: 0, Count: 1001},
		{First: 999, Count: 1}, {First: 999, Count: 2}, {First: 1000, Count: 1000}, {First: 990, Count: 2030},
	} {
		var got []int64
		sentinels := 0
		f := &pendingFn{First: phase.First, Count: phase.Count}
		for _, chunk := range phase.chunks() {
			err := f.ProcessElement(t.Context(), chunk, func(ordinal int64, element []byte) {
				if ordinal == sentinel {
					sentinels++
				} else {
					got = append(got, ordinal)
				}
				if element != nil {
					t.Errorf("unit %d begins with refs", ordinal)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		var want []int64
		for i := range phase.Count {
			want = append(want, int64(phase.First+i))
		}
		if diff := cmp.Diff(want, got); diff != "" || sentinels != 1 {
			t.Errorf("units from %d, %d of them: %d sentinels, %s", phase.First, phase.Count, sentinels, diff)
		}
	}
}

// Only the last phase leaves out what is committed: the routes of the others are
// needed again.
func TestPendingSkipsCommitted(t *testing.T) {
	job, env := newJob(t, 2, 4, &spread{})
	for _, unit := range []int{3, 4} {
		if _, err := perform(t.Context(), env, job.Phases[0].task, job.Units[unit], nil); err != nil {
			t.Fatal(err)
		}
	}
	for skip, want := range map[bool][]int64{true: {2, 5}, false: {2, 3, 4, 5}} {
		f := &pendingFn{Output: job.Output, Plan: job.Plan.Hash, First: 2, Count: 4, SkipCommitted: skip}
		if err := f.Setup(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got []int64
		if err := f.ProcessElement(t.Context(), 0, func(ordinal int64, _ []byte) { got = append(got, ordinal) }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("skipping %t: %s", skip, diff)
		}
	}
}

// A task gets the refs of all elements of its key, and its own routes go out at
// the end of the bundle.
func TestTask(t *testing.T) {
	job, env := newJob(t, 2, 3, &spread{})
	first := &taskFn[*spread]{Output: job.Output, Plan: job.Plan.Hash, Window: 2, Task: &spread{To: 2}}
	if err := first.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	routed := map[int64][][]byte{}
	emit := func(to int64, element []byte) { routed[to] = append(routed[to], element) }
	first.StartBundle(t.Context(), emit)
	for _, ordinal := range []int64{4, sentinel, 2, 3} {
		if err := first.ProcessElement(t.Context(), ordinal, elements(nil, nil),
			emit); err != nil { // one element from the plan, one of a retry
			t.Fatal(err)
		}
	}
	if err := first.FinishBundle(t.Context(), emit); err != nil {
		t.Fatal(err)
	}
	second := &taskFn[gather]{Output: job.Output, Plan: job.Plan.Hash, Window: 2}
	if err := second.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	second.StartBundle(t.Context(), nil)
	for to, list := range routed {
		list = append(slices.Clone(list), nil, list[0]) // once more, from a repeated bundle
		if err := second.ProcessElement(t.Context(), to, elements(list...), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := second.FinishBundle(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	last := &finalizeFn{Output: job.Output, Plan: job.Plan.Hash}
	if err := last.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := last.ProcessElement(t.Context(), sentinel, elements()); err != nil {
		t.Fatal(err)
	}
	want := []string{"of 2 at 0", "of 3 at 0", "of 4 at 0", "of 2 at 1", "of 3 at 1", "of 4 at 1"}
	if diff := cmp.Diff(want, wordsOf(t, env)); diff != "" {
		t.Error(diff)
	}
}

// What a worker cannot do is told in words that survive the runner's report.
func TestTaskFails(t *testing.T) {
	job, _ := newJob(t, 1, 2, &spread{})
	f := &taskFn[*spread]{Output: job.Output, Plan: job.Plan.Hash, Window: 1, Task: &spread{To: 1, fail: func(int) error { panic("no") }}}
	if err := f.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	run := func(ordinal int64, element []byte) error {
		f.StartBundle(t.Context(), nil)
		if err := f.ProcessElement(t.Context(), ordinal, elements(element), nil); err != nil {
			return err
		}
		return f.FinishBundle(t.Context(), func(int64, []byte) { t.Error("a failed bundle routes") })
	}
	for _, test := range []struct {
		ordinal int64
		element []byte
		want    string
	}{
		{1, []byte{1, 2, 3}, "launcher and worker are different programs"},
		{3, nil, "unit 3"},
		{1, nil, "unit 1: panic: no"},
	} {
		err := run(test.ordinal, test.element)
		if err == nil || !strings.Contains(Unmark(err).Error(), test.want) || !strings.Contains(err.Error(), markBegin) {
			t.Errorf("unit %d: %v, want %q, marked", test.ordinal, err, test.want)
		}
	}
}

// A unit that cannot be begun ends those in flight: nothing of a bundle outlives it.
func TestTaskFailsInFlight(t *testing.T) {
	job, _ := newJob(t, 1, 3, &spread{})
	begun := make(chan struct{})
	var ended atomic.Bool
	f := &taskFn[*spread]{Output: job.Output, Plan: job.Plan.Hash, Window: 2, Task: &spread{To: 1, wait: func(ctx context.Context) {
		close(begun)
		<-ctx.Done()
		ended.Store(true)
	}}}
	if err := f.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.StartBundle(t.Context(), nil)
	if err := f.ProcessElement(t.Context(), 1, elements(nil), nil); err != nil {
		t.Fatal(err)
	}
	<-begun
	if err := f.ProcessElement(t.Context(), 2, elements([]byte{1}), nil); err == nil ||
		!strings.Contains(err.Error(), "is not a list of refs") {
		t.Errorf("%v, want the error of the second unit", err)
	}
	if !ended.Load() {
		t.Error("the first unit goes on")
	}
}

// A worker that finds another plan in the output folder stops: somebody made the
// dataset anew under it.
func TestOtherPlan(t *testing.T) {
	job, _ := newJob(t, 1, 2, &spread{})
	for name, setup := range map[string]func(output, plan string) error{
		"pending": func(output, plan string) error { return (&pendingFn{Output: output, Plan: plan}).Setup(t.Context()) },
		"task": func(output, plan string) error {
			return (&taskFn[gather]{Output: output, Plan: plan}).Setup(t.Context())
		},
		"finalize": func(output, plan string) error { return (&finalizeFn{Output: output, Plan: plan}).Setup(t.Context()) },
	} {
		if err := setup(job.Output, job.Plan.Hash); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := setup(job.Output, "0123456789abcdef"); err == nil ||
			!strings.Contains(err.Error(), "was overwritten while it was being made") {
			t.Errorf("%s with another plan: %v", name, err)
		}
		if err := setup(t.TempDir(), job.Plan.Hash); err == nil || !strings.Contains(err.Error(), "the worker finds no plan in") {
			t.Errorf("%s without a plan: %v", name, err)
		}
	}
}
