package units

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/dataset"
)

// scripted does what a script says, and hands a ref to each of so many units.
type scripted struct {
	Script string
	To     int
	// secret does not travel.
	secret string
}

// script is what a scripted task does; Setup and Do may be nil.
type script struct {
	setup func(s *scripted) error
	do    func(ctx context.Context, s *scripted, unit int) error
}

// scripts are found by name: a task that has travelled keeps no functions.
var scripts sync.Map // of string to script

func (s *scripted) script() script {
	found, _ := scripts.Load(s.Script)
	return found.(script)
}

func (s *scripted) Setup(context.Context) error {
	if setup := s.script().setup; setup != nil {
		return setup(s)
	}
	return nil
}

func (s *scripted) Do(ctx context.Context, _ Env, unit dataset.Unit, _ []Ref) error {
	if do := s.script().do; do != nil {
		return do(ctx, s, unit.Ordinal)
	}
	return nil
}

func (s *scripted) Routes(_ context.Context, _ Env, unit int) ([]Route, error) {
	routes := make([]Route, s.To)
	for i := range routes { // numbers of a large job
		routes[i] = Route{To: int64(i), Ref: Ref{Unit: int64(unit), Offset: 1<<20 + int64(i)<<12, Length: 40_000, Records: 1000,
			Block: 65_000}}
	}
	return routes, nil
}

// unregistered is a task that Beam does not know.
type unregistered struct{ scripted }

func init() { Register[*scripted]() }

type runHere func(j *Job, ctx context.Context, parallelism int) error

// here are the ways to run a job in this process, which users cannot tell apart.
var here = map[string]runHere{
	"Beam":  (*Job).RunLocal,
	"plain": (*Job).RunPlain,
}

// eachHere tests every way to run a job in this process.
func eachHere(t *testing.T, test func(t *testing.T, run runHere)) {
	for name, run := range here {
		t.Run(name, func(t *testing.T) { test(t, run) })
	}
}

// scriptedJob plans units that do what the script says, and then, if there are any,
// gathering units that do what the second one says.
func scriptedJob(t *testing.T, count int, first script, gathering int, second script) *Job {
	t.Helper()
	scripts.Store(t.Name()+" 1", first)
	scripts.Store(t.Name()+" 2", second)
	job, _ := newJobOf(t, NewPhase("first", Range{First: gathering, Count: count},
		&scripted{Script: t.Name() + " 1", To: gathering, secret: "launcher"}),
		NewPhase("second", Range{First: 0, Count: gathering}, &scripted{Script: t.Name() + " 2"}))
	return job
}

// Both ways give what the test's own tasks give: every gathering unit has the ref of every
// spreading unit once, in their order, however many run at once, and a second run
// does nothing again.
func TestRunLocal(t *testing.T) { eachHere(t, testRunLocal) }

func testRunLocal(t *testing.T, run runHere) {
	const gathering, spreading = 3, 12
	own, ownEnv := newJob(t, gathering, spreading, &spread{})
	if _, err := own.RunIn(t.Context(), ownEnv, 2); err != nil {
		t.Fatal(err)
	}
	for _, parallelism := range []int{1, 5} {
		job, env := newJob(t, gathering, spreading, &spread{})
		for range 2 {
			if err := run(job, t.Context(), parallelism); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(wordsOf(t, ownEnv), wordsOf(t, env)); diff != "" {
				t.Errorf("%d at once: %s", parallelism, diff)
			}
		}
	}
	empty, env := newJob(t, 0, 0, &spread{})
	if err := run(empty, t.Context(), 2); err != nil || len(wordsOf(t, env)) != 0 {
		t.Errorf("a plan without units: %v", err)
	}
}

// A task is what a worker of a cluster would have: what does not travel is not there,
// and a type that nobody has registered is an error.
func TestRunLocalTravels(t *testing.T) { eachHere(t, testRunLocalTravels) }

func testRunLocalTravels(t *testing.T, run runHere) {
	var seen atomic.Value
	job := scriptedJob(t, 1, script{setup: func(s *scripted) error { seen.Store(*s); return nil }}, 1, script{})
	_ = run(job, t.Context(), 1) // its units commit nothing
	if want := (scripted{Script: t.Name() + " 1", To: 1}); seen.Load() != want {
		t.Errorf("the task has %+v, want %+v", seen.Load(), want)
	}
	job, _ = newJobOf(t, NewPhase("only", Range{First: 0, Count: 1}, &unregistered{}))
	if err := run(job, t.Context(), 1); err == nil || !strings.Contains(err.Error(), "build the graph of test") {
		t.Errorf("a task that is not registered: %v", err)
	}
}

// A launcher in this process sees how far units are that are under way.
func TestWithin(t *testing.T) { eachHere(t, testWithin) }

func testWithin(t *testing.T, run runHere) {
	var job *Job
	begun := int64(0) // units, in whichever order
	job = scriptedJob(t, 2, script{do: func(ctx context.Context, _ *scripted, unit int) error {
		begun++
		g := GaugeOf(ctx)
		g.Expect(4)
		g.Add(1)
		g.Item()
		share, items := job.Within(Range{First: 0, Count: 10})
		other, _ := job.Within(Range{First: unit + 1, Count: 1})
		if share != .25 || items != begun || other != 0 {
			t.Errorf("unit %d: %v of it is done, %v of others, %d items", unit, share, other, items)
		}
		g.Ask(10)
		g.Answer(5)
		g.Set(8)
		if share, _ := job.Within(Range{First: unit, Count: 1}); share != .5 {
			t.Errorf("unit %d: %v of it is done", unit, share)
		}
		return nil
	}}, 1, script{do: func(ctx context.Context, _ *scripted, _ int) error {
		GaugeOf(ctx).Merged(0)
		return nil
	}})
	_ = run(job, t.Context(), 1) // its units commit nothing
	if share, items := job.Within(Range{Count: 10}); share != 0 || items != 2 {
		t.Errorf("in the end %v of a unit is done, %d items", share, items)
	}
	var nobody *Gauge // looks
	nobody.Expect(1)
	nobody.Add(1)
	nobody.Set(1)
	nobody.Item()
	nobody.Ask(1)
	nobody.Answer(1)
	nobody.Merged(1)
}

// The error of a unit, or of a task's setup, comes back as itself.
func TestRunLocalFails(t *testing.T) { eachHere(t, testRunLocalFails) }

func testRunLocalFails(t *testing.T, run runHere) {
	full := errors.New("the disk is full")
	for name, test := range map[string]struct {
		script script
		want   string
	}{
		"a unit": {script{do: func(_ context.Context, _ *scripted, unit int) error {
			if unit == 5 {
				return fmt.Errorf("write: %w", full)
			}
			return nil
		}}, "unit 5: write: the disk is full"},
		"setup": {script{setup: func(*scripted) error { return full }}, "the disk is full"},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(scriptedJob(t, 8, test.script, 2, script{}), t.Context(), 2)
			if !errors.Is(err, full) || err.Error() != test.want {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
	t.Run("no plan", func(t *testing.T) {
		job := scriptedJob(t, 1, script{}, 1, script{})
		job.Output = t.TempDir()
		if err := run(job, t.Context(), 1); err == nil || !strings.HasPrefix(err.Error(), "the worker finds no plan in ") {
			t.Errorf("%v", err)
		}
	})
	t.Run("units that commit nothing", func(t *testing.T) {
		if err := run(scriptedJob(t, 1, script{}, 1, script{}), t.Context(), 1); !errors.Is(err, dataset.ErrIncomplete) {
			t.Errorf("%v, want that the dataset is not complete", err)
		}
	})
	t.Run("panic", func(t *testing.T) {
		err := run(scriptedJob(t, 1, script{do: func(context.Context, *scripted, int) error { panic("no") }}, 1, script{}), t.Context(), 1)
		if err == nil || !strings.HasPrefix(err.Error(), "unit 1: panic: no\n") {
			t.Errorf("%v", err)
		}
	})
}

// A job that is interrupted returns why, when its units have ended: none is begun
// afterwards, and none goes on.
func TestRunLocalInterrupted(t *testing.T) { eachHere(t, testRunLocalInterrupted) }

func testRunLocalInterrupted(t *testing.T, run runHere) {
	interrupt := errors.New("interrupt")
	ctx, cancel := context.WithCancelCause(t.Context())
	var running, begun atomic.Int64
	job := scriptedJob(t, 100, script{do: func(ctx context.Context, _ *scripted, _ int) error {
		defer running.Add(-1)
		running.Add(1)
		if begun.Add(1) == 3 {
			cancel(interrupt)
		}
		<-ctx.Done()
		return ctx.Err()
	}}, 1, script{})
	if err := run(job, ctx, 3); !errors.Is(err, interrupt) {
		t.Errorf("%v, want the cause", err)
	}
	if running.Load() != 0 || begun.Load() > 4 { // one may have been on its way
		t.Errorf("%d units go on, %d were begun", running.Load(), begun.Load())
	}
	if err := run(job, ctx, 3); !errors.Is(err, interrupt) || begun.Load() > 4 {
		t.Errorf("once more: %v, %d were begun", err, begun.Load())
	}
	if err := run(scriptedJob(t, 1, script{do: func(context.Context, *scripted, int) error { return fs.ErrNotExist }}, 1, script{}),
		t.Context(), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another job: %v", err)
	}
}

// The runner holds the refs of a large job, 10,000 units that spill for 256 others, in
// 15 bytes each, and hardly more for the units.
func TestRunLocalMemory(t *testing.T) { eachHere(t, testRunLocalMemory) }

func testRunLocalMemory(t *testing.T, run runHere) {
	if testing.Short() {
		t.Skip("skipped: 10,000 units")
	}
	const spreading, gathering = 10_000, 256
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	var done atomic.Int64
	var spread, gathered int64
	enough := errors.New("enough")
	job := scriptedJob(t, spreading, script{do: func(context.Context, *scripted, int) error {
		if done.Add(1) == spreading {
			spread = heap()
		}
		return nil
	}}, gathering, script{do: func(context.Context, *scripted, int) error {
		gathered = heap()
		return enough
	}})
	if err := run(job, t.Context(), 1); !errors.Is(err, enough) {
		t.Fatal(err)
	}
	const refs = spreading * gathering
	const most = 20*refs + 2000*(spreading+gathering)
	for phase, held := range map[string]int64{"the units that spill": spread - before, "the units that gather": gathered - before} {
		t.Logf("after %s it holds %.1f MB: %.1f bytes a ref", phase, float64(held)/1e6, float64(held)/refs)
		if held > most || held < 5*refs {
			t.Errorf("after %s it holds %d bytes, want less than %d", phase, held, most)
		}
	}
}
