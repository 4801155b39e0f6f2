package beam_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/runners/beam"
	"sentweave/runners/beam/flink"
	"sentweave/runners/beam/flink/flinktest"
	"sentweave/runners/beam/worker"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// onLocal are the options of a Flink inside of the job server.
func onLocal(t *testing.T) beam.Options {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped: Flink takes seconds to start")
	}
	flinktest.Require(t)
	return beam.Options{Runner: "flink", Parallelism: 2, Flink: flink.Options{Master: "[local]"}}
}

// onCluster are those of a new cluster of two TaskManagers with a slot each.
func onCluster(t *testing.T) (*flinktest.Cluster, beam.Options) {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped: a cluster takes half a minute to start")
	}
	cluster := flinktest.Start(t, 2)
	return cluster, beam.Options{Runner: "flink", Flink: flink.Options{Master: cluster.Master}}
}

// inProcess makes the same dataset by the runner in this process and returns its manifest.
func inProcess(t *testing.T, spilling int) *dataset.Manifest {
	t.Helper()
	m, _, err := beam.Run(t.Context(), job(t, t.TempDir(), spilling, &numbersTask{Fail: -1, Log: t.TempDir()}),
		beam.Options{Runner: "local", Parallelism: 3})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// once says which units were not computed once; some were in flight at a fault.
func once(t *testing.T, log string, units, inFlight int) {
	t.Helper()
	times := computed(t, log)
	again := 0
	for unit := range units {
		if times[unit] == 0 {
			t.Errorf("unit %d was not computed", unit)
		}
		again += times[unit] - 1
	}
	if again > inFlight {
		t.Errorf("%d units were computed again, of which %d were in flight", again, inFlight)
	}
}

// Flink gives the bytes of the runner in this process, a failed unit says why and is
// resumed, and a job that is done is not begun again.
func TestFlinkLocal(t *testing.T) {
	options := onLocal(t)
	output, log := t.TempDir(), t.TempDir()
	const spilling = 30
	_, _, err := beam.Run(t.Context(), job(t, output, spilling, &numbersTask{Fail: 15, Log: log}), options)
	if err == nil || err.Error() != "unit 15: the disk of the moon is full" {
		t.Fatalf("got the error %q", err)
	}
	m, state, err := beam.Run(t.Context(), job(t, output, spilling, &numbersTask{Fail: -1, Log: log}), options)
	if err != nil || state != dataset.Resumed {
		t.Fatal(state, err)
	}
	if want := inProcess(t, spilling); m.Check != want.Check {
		t.Errorf("content %s, in this process %s", m.Check, want.Check)
	}
	if diff := cmp.Diff(want(spilling), read(t, output)); diff != "" {
		t.Error(diff)
	}
	before := total(computed(t, log))
	if _, state, err := beam.Run(t.Context(), job(t, output, spilling, &numbersTask{Fail: -1, Log: log}), options); err != nil ||
		state != dataset.Complete || total(computed(t, log)) != before {
		t.Errorf("second run: %v, %v, computed %d units", state, err, total(computed(t, log))-before)
	}
}

// interrupt runs a job that is cancelled in its midst.
func interrupt(t *testing.T, output, log string, options beam.Options, spilling int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	options.Observe = func(p beam.Progress) {
		if p.Done > 3 {
			cancel()
		}
	}
	_, _, err := beam.Run(ctx, job(
		t, output, spilling, &numbersTask{Fail: -1, Sleep: 200 * time.Millisecond, Log: log, Gate: filepath.Join(t.TempDir(), "never")}),
		options)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	stopped := total(computed(t, log))
	time.Sleep(2 * time.Second)
	if now := total(computed(t, log)); now != stopped {
		t.Errorf("%d units were begun after the job was cancelled", now-stopped)
	}
	if _, err := dataset.Load(t.Context(), storage.NewLocal(output)); !errors.Is(err, dataset.ErrIncomplete) {
		t.Fatalf("after an interrupt: %v", err)
	}
}

// A job that is cancelled has stopped when Run returns, and is resumed.
func TestFlinkLocalInterrupt(t *testing.T) {
	options := onLocal(t)
	output, log := t.TempDir(), t.TempDir()
	const spilling = 60
	interrupt(t, output, log, options, spilling)
	if _, _, err := beam.Run(t.Context(), job(t, output, spilling, &numbersTask{Fail: -1, Log: log}), options); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want(spilling), read(t, output)); diff != "" {
		t.Error(diff)
	}
	once(t, log, sums+spilling, options.Parallelism)
}

// A worker that is killed is replaced; what it had committed is not done again.
func TestFlinkWorkerKilled(t *testing.T) {
	options := onLocal(t)
	output, log := t.TempDir(), t.TempDir()
	const spilling = 40
	gate := filepath.Join(t.TempDir(), "killed")
	var kill sync.Once
	options.Observe = func(p beam.Progress) {
		if p.Done > 5 {
			kill.Do(func() { killWorker(t, log); open(t, gate) })
		}
	}
	m, _, err := beam.Run(t.Context(),
		job(t, output, spilling, &numbersTask{Fail: -1, Sleep: 150 * time.Millisecond, Log: log, Gate: gate}), options)
	if err != nil {
		t.Fatal(err)
	}
	if want := inProcess(t, spilling); m.Check != want.Check {
		t.Errorf("content %s, in this process %s", m.Check, want.Check)
	}
	once(t, log, sums+spilling, options.Parallelism)
}

// killWorker kills the process that has computed a unit.
func killWorker(t *testing.T, log string) {
	entries, err := os.ReadDir(log)
	if err != nil || len(entries) == 0 {
		t.Errorf("no unit was computed: %v", err)
		return
	}
	var unit, process int
	if _, err := fmt.Sscanf(entries[0].Name(), "unit-%d-process-%d-", &unit, &process); err != nil {
		t.Error(err)
	} else if process == os.Getpid() {
		t.Error("the worker is this process")
	} else if err := syscall.Kill(process, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}

// On a cluster with workers of its own: the same bytes, with a TaskManager that
// is lost in the midst; and a job that is cancelled is cancelled in Flink.
func TestFlinkCluster(t *testing.T) {
	cluster, options := onCluster(t)
	const spilling = 60
	t.Run("a TaskManager is lost", func(t *testing.T) {
		output, log := t.TempDir(), t.TempDir()
		gate := filepath.Join(t.TempDir(), "lost")
		options := options
		var kill sync.Once
		options.Observe = func(p beam.Progress) {
			if p.Done > 5 {
				kill.Do(func() { cluster.KillTaskManager(0); cluster.StartTaskManager(); open(t, gate) })
			}
		}
		m, _, err := beam.Run(t.Context(),
			job(t, output, spilling, &numbersTask{Fail: -1, Sleep: 200 * time.Millisecond, Log: log, Gate: gate}), options)
		if err != nil {
			t.Fatal(err)
		}
		if want := inProcess(t, spilling); m.Check != want.Check {
			t.Errorf("content %s, in this process %s", m.Check, want.Check)
		}
		once(t, log, sums+spilling, 2)
	})
	t.Run("cancelled", func(t *testing.T) {
		output, log := t.TempDir(), t.TempDir()
		before := map[string]bool{}
		for _, j := range cluster.Jobs() {
			before[j.ID] = true
		}
		interrupt(t, output, log, options, spilling)
		stopped := 0
		for _, j := range cluster.Jobs() {
			if before[j.ID] {
				continue
			}
			if stopped++; j.State != "CANCELED" {
				t.Errorf("job %s is %s", j.Name, j.State)
			}
		}
		if stopped != 1 {
			t.Errorf("%d new jobs", stopped)
		}
		if _, _, err := beam.Run(t.Context(), job(t, output, spilling, &numbersTask{Fail: -1, Log: log}), options); err != nil {
			t.Fatal(err)
		}
		once(t, log, sums+spilling, 2)
	})
	t.Run("services for workers", func(t *testing.T) {
		sockets, _ := midst(t, options)
		for _, s := range sockets {
			if s.Beyond() { // the cluster itself is configured not to
				t.Errorf("it listens to others: %v", s)
			}
		}
		if len(sockets) < 15 {
			t.Errorf("only %d sockets are seen: %v", len(sockets), sockets)
		}
	})
	t.Run("a unit fails", func(t *testing.T) {
		_, _, err := beam.Run(t.Context(), job(t, t.TempDir(), spilling, &numbersTask{Fail: 15, Log: t.TempDir()}), options)
		if err == nil || !strings.HasPrefix(err.Error(), "unit 15: the disk of the moon is full") {
			t.Errorf("got the error %q", err)
		}
	})
}

// A job server that is killed is an error that says so; the same job goes on.
func TestFlinkJobServerKilled(t *testing.T) {
	options := onLocal(t)
	output, log := t.TempDir(), t.TempDir()
	const spilling = 40
	gate := filepath.Join(t.TempDir(), "killed")
	task := &numbersTask{Fail: -1, Sleep: 150 * time.Millisecond, Log: log, Gate: gate}
	var kill sync.Once
	dying := options
	dying.Observe = func(p beam.Progress) {
		if p.Done > 5 {
			kill.Do(func() { killChild(t, "--flink-master=[local]"); open(t, gate) })
		}
	}
	_, _, err := beam.Run(t.Context(), job(t, output, spilling, task), dying)
	if err == nil || !strings.Contains(err.Error(), "the job server of Flink has ended") ||
		!strings.Contains(err.Error(), "run the same command again") {
		t.Fatalf("got the error %v", err)
	}
	if _, _, err := beam.Run(t.Context(), job(t, output, spilling, task), options); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want(spilling), read(t, output)); diff != "" {
		t.Error(diff)
	}
	once(t, log, sums+spilling, options.Parallelism)
}

// killChild kills the child of this process whose command line has a word. There
// may be job servers of other tests; one of them alone is in use.
func killChild(t *testing.T, word string) {
	processes, err := os.ReadDir("/proc")
	if err != nil {
		t.Error(err)
		return
	}
	for _, p := range processes {
		command, _ := os.ReadFile("/proc/" + p.Name() + "/cmdline") // it may have ended
		status, _ := os.ReadFile("/proc/" + p.Name() + "/status")
		if strings.Contains(string(command), word) && strings.Contains(string(status), fmt.Sprintf("PPid:\t%d\n", os.Getpid())) {
			var pid int
			if _, err := fmt.Sscan(p.Name(), &pid); err != nil {
				t.Error(err)
			} else if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Errorf("no child runs %s", word)
}

// Two launchers on two runners at once give one dataset, whole and the same.
func TestTwoLaunchers(t *testing.T) {
	options := onLocal(t)
	output, log := t.TempDir(), t.TempDir()
	const spilling = 40
	launch := func(options beam.Options) error {
		_, _, err := beam.Run(t.Context(), job(t, output, spilling, &numbersTask{Fail: -1, Sleep: 100 * time.Millisecond, Log: log}),
			options)
		return err
	}
	var group sync.WaitGroup
	errs := make([]error, 3)
	for i, o := range []beam.Options{options, {Runner: "local", Parallelism: 2}, {Runner: "local", Parallelism: 3}} {
		group.Go(func() { errs[i] = launch(o) })
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want(spilling), read(t, output)); diff != "" {
		t.Error(diff)
	}
}

// Workers of a pool do the work of a Flink that starts none.
func TestFlinkWorkerPool(t *testing.T) {
	options := onLocal(t)
	t.Setenv(worker.TokenVariable, "a token of this test")
	token, err := worker.ReadToken("")
	if err != nil {
		t.Fatal(err)
	}
	pool, err := worker.NewPool(token, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- pool.Serve(ctx, listener) }()
	options.Flink.WorkerPool = listener.Addr().String()
	output, log := t.TempDir(), t.TempDir()
	const spilling = 20
	if _, _, err := beam.Run(t.Context(), job(t, output, spilling, &numbersTask{Fail: -1, Log: log}), options); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want(spilling), read(t, output)); diff != "" {
		t.Error(diff)
	}
	t.Setenv(worker.TokenVariable, "another token than the pool's")
	_, _, err = beam.Run(t.Context(), job(t, t.TempDir(), spilling, &numbersTask{Fail: -1, Log: log}), options)
	if err == nil || !strings.Contains(err.Error(), worker.Refusal+"; give the token of the pool at ") {
		t.Errorf("with a wrong token: %v", err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A machine with many cores has buffers enough for all its slots.
func TestFlinkManySlots(t *testing.T) {
	options := onLocal(t)
	options.Parallelism = 64
	output := t.TempDir()
	const spilling = 100
	if _, _, err := beam.Run(t.Context(), job(t, output, spilling, &numbersTask{Fail: -1, Log: t.TempDir()}), options); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want(spilling), read(t, output)); diff != "" {
		t.Error(diff)
	}
}
