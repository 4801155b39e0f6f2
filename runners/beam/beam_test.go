package beam_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"

	"sentweave/pipelines/units"
	"sentweave/runners/beam"
	"sentweave/runners/beam/worker"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

func TestMain(m *testing.M) {
	if worker.IsWorker(os.Args[1:]) { // started by Flink
		os.Exit(worker.Main(os.Args[1:]))
	}
	flag.Parse()
	sdk.Init()
	code := m.Run()
	beam.Close()
	os.Exit(code)
}

func init() {
	units.Register[*numbersTask]()
	units.Register[*sumTask]()
}

// note writes down that a unit is computed, by a file: workers are other processes.
func note(folder string, unit int) error {
	f, err := os.CreateTemp(folder, fmt.Sprintf("unit-%d-process-%d-", unit, os.Getpid()))
	if err != nil {
		return err
	}
	return f.Close()
}

// computed counts how often each unit was computed.
func computed(t *testing.T, folder string) map[int]int {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	times := map[int]int{}
	for _, e := range entries {
		var unit, process int
		if _, err := fmt.Sscanf(e.Name(), "unit-%d-process-%d-", &unit, &process); err != nil {
			t.Fatal(err)
		}
		times[unit]++
	}
	return times
}

// total is the number of computations.
func total(times map[int]int) (sum int) {
	for _, n := range times {
		sum += n
	}
	return sum
}

const sums = 4 // units 0 to 3 write sums, the others spill numbers

// numbersTask spills the numbers unit*10 .. unit*10+9 to the unit of each number modulo sums.
type numbersTask struct {
	Sleep time.Duration
	// Fail is the ordinal of a unit that fails.
	Fail int
	// Gate is a file without which the unit that fails, or the first one where none
	// does, does not end, so that a job lasts until a test has met it in its midst; ""
	// for none.
	Gate string
	// Swept: that unit then fails as one whose file another launcher has removed.
	Swept bool
	// Log is the folder of what note writes.
	Log string
}

func (*numbersTask) Setup(context.Context) error { return nil }

func (n *numbersTask) Do(ctx context.Context, env units.Env, unit dataset.Unit, _ []units.Ref) error {
	if err := note(n.Log, unit.Ordinal); err != nil {
		return err
	}
	if unit.Ordinal == n.Fail {
		if n.Gate != "" {
			if err := await(ctx, n.Gate); err != nil {
				return err
			}
		}
		return errors.New("the disk of the moon is full")
	}
	select {
	case <-time.After(n.Sleep):
	case <-ctx.Done():
		return ctx.Err()
	}
	if n.Gate != "" && n.Fail < 0 && unit.Ordinal == sums {
		if err := await(ctx, n.Gate); err != nil {
			return err
		}
		if _, err := os.Stat(n.Gate + ".swept"); n.Swept {
			return err
		}
	}
	a, err := dataset.BeginSpill(ctx, env.Folder, env.Plan, unit.Ordinal, dataset.NewChain("numbers", "spill"))
	if err != nil {
		return err
	}
	defer a.Abort()
	for bucket := range sums {
		for i := range 10 {
			if x := unit.Ordinal*10 + i; x%sums == bucket {
				binary.Write(a, binary.LittleEndian, int64(x))
			}
		}
	}
	if err := a.Funnel().Keep("numbers", "und", 10); err != nil {
		return err
	}
	return a.Commit(ctx)
}

// await waits for a file, at most for the minute that a slow fault takes.
func await(ctx context.Context, file string) error {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	for {
		if _, err := os.Stat(file); err == nil {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", file, ctx.Err())
		}
	}
}

// open makes the file of a gate.
func open(t testing.TB, gate string) {
	t.Helper()
	if err := os.WriteFile(gate, nil, 0o644); err != nil {
		t.Error(err)
	}
}

func (*numbersTask) Routes(_ context.Context, _ units.Env, unit int) ([]units.Route, error) {
	var routes []units.Route
	offset := int64(0)
	for bucket := range sums {
		n := int64(0)
		for i := range 10 {
			if (unit*10+i)%sums == bucket {
				n++
			}
		}
		routes = append(routes, units.Route{
			To: int64(bucket), Ref: units.Ref{Unit: int64(unit), Offset: offset, Length: 8 * n, Records: n}})
		offset += 8 * n
	}
	return routes, nil
}

type sumTask struct{ Log string }

func (*sumTask) Setup(context.Context) error { return nil }

func (s *sumTask) Do(ctx context.Context, env units.Env, unit dataset.Unit, refs []units.Ref) error {
	if err := note(s.Log, unit.Ordinal); err != nil {
		return err
	}
	a, err := dataset.Begin[schemas.WordCount](env.Folder, env.Plan, unit.Ordinal, dataset.NewChain("numbers", "spill"))
	if err != nil {
		return err
	}
	defer a.Abort()
	sum := int64(0)
	for _, r := range refs {
		o, err := env.Folder.Open(ctx, dataset.SpillName(int(r.Unit)))
		if err != nil {
			return err
		}
		numbers := make([]int64, r.Records)
		err = binary.Read(io.NewSectionReader(o, r.Offset, r.Length), binary.LittleEndian, numbers)
		o.Close()
		if err != nil {
			return err
		}
		for _, x := range numbers {
			sum += x
		}
	}
	if err := a.Write(ctx, schemas.WordCount{Word: fmt.Sprint("sum", unit.Ordinal), Language: "und", Count: sum}); err != nil {
		return err
	}
	return a.Commit(ctx)
}

func job(t testing.TB, output string, spilling int, task *numbersTask) *units.Job {
	t.Helper()
	list := make([]dataset.Unit, sums+spilling)
	for i := range list {
		list[i].Ordinal = i
	}
	plan, err := dataset.Draft{
		Pipeline: "sums", PipelineVersion: 1, Schema: schemas.WordCount{}.Schema(), Config: struct{}{}, ShardBytes: 1, Units: list,
	}.Plan()
	if err != nil {
		t.Fatal(err)
	}
	return &units.Job{Output: output, Plan: plan, Units: list, Phases: []units.Phase{
		units.NewPhase("numbers", units.Range{First: sums, Count: spilling}, task),
		units.NewPhase("sums", units.Range{First: 0, Count: sums}, &sumTask{Log: task.Log}),
	}}
}

func read(t *testing.T, output string) map[string]int64 {
	t.Helper()
	folder := storage.NewLocal(output)
	m, err := dataset.Verify(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for row, err := range dataset.Rows[schemas.WordCount](t.Context(), folder, m) {
		if err != nil {
			t.Fatal(err)
		}
		got[row.Word] += row.Count
	}
	return got
}

func want(spilling int) map[string]int64 {
	w := map[string]int64{}
	for x := sums * 10; x < (sums+spilling)*10; x++ {
		w[fmt.Sprint("sum", x%sums)] += int64(x)
	}
	return w
}

func TestTwoPhases(t *testing.T) {
	for _, spilling := range []int{1, 50, 2500} {
		for _, parallelism := range []int{1, 7} {
			if testing.Short() && spilling > 50 {
				continue
			}
			t.Run(fmt.Sprint(spilling, " units, parallelism ", parallelism), func(t *testing.T) {
				output, log := t.TempDir(), t.TempDir()
				m, state, err := beam.Run(t.Context(), job(t, output, spilling, &numbersTask{Fail: -1, Log: log}),
					beam.Options{Runner: "local", Parallelism: parallelism})
				if err != nil || state != dataset.Fresh {
					t.Fatal(state, err)
				}
				if diff := cmp.Diff(want(spilling), read(t, output)); diff != "" {
					t.Error(diff)
				}
				before := total(computed(t, log))
				again, state, err := beam.Run(t.Context(), job(t, output, spilling, &numbersTask{Fail: -1, Log: log}),
					beam.Options{Runner: "local"})
				if err != nil || state != dataset.Complete || again.Check != m.Check || total(computed(t, log)) != before {
					t.Errorf("second run: %v, %v, computed %d units", state, err, total(computed(t, log))-before)
				}
			})
		}
	}
}

func TestFailureIsExplainedAndResumed(t *testing.T) {
	output, log := t.TempDir(), t.TempDir()
	gate := filepath.Join(t.TempDir(), "midst")
	const midst = 4 // units
	options := beam.Options{Runner: "local", Parallelism: 2, Observe: func(p beam.Progress) {
		if p.Done >= midst {
			open(t, gate)
		}
	}}
	_, _, err := beam.Run(t.Context(), job(t, output, 20, &numbersTask{Fail: 15, Log: log, Gate: gate}), options)
	if err == nil || err.Error() != "unit 15: the disk of the moon is full" {
		t.Fatalf("got the error %q", err)
	}
	before := total(computed(t, log))
	// The task's settings are not part of the plan here, so the repaired job resumes.
	_, state, err := beam.Run(t.Context(), job(t, output, 20, &numbersTask{Fail: -1, Log: log}),
		beam.Options{Runner: "local", Parallelism: 2})
	if err != nil || state != dataset.Resumed {
		t.Fatal(state, err)
	}
	if n := total(computed(t, log)) - before; n > sums+20-midst {
		t.Errorf("the second run computed %d units", n)
	}
	if diff := cmp.Diff(want(20), read(t, output)); diff != "" {
		t.Error(diff)
	}
}

func TestInterruptResumes(t *testing.T) {
	output, log := t.TempDir(), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	options := beam.Options{Runner: "local", Parallelism: 2, Observe: func(p beam.Progress) {
		if p.Done > 3 {
			cancel()
		}
	}}
	task := &numbersTask{Fail: -1, Sleep: 100 * time.Millisecond, Log: log, Gate: filepath.Join(t.TempDir(), "never")}
	if _, _, err := beam.Run(ctx, job(t, output, 100, task), options); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	if _, err := dataset.Load(t.Context(), storage.NewLocal(output)); !errors.Is(err, dataset.ErrIncomplete) {
		t.Fatalf("after an interrupt: %v", err)
	}
	if _, _, err := beam.Run(t.Context(), job(t, output, 100, &numbersTask{Fail: -1, Log: log}),
		beam.Options{Runner: "local", Parallelism: 2}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want(100), read(t, output)); diff != "" {
		t.Error(diff)
	}
}

// A launcher whose files another one has swept, since all was done, is done as well;
// where nobody has done the rest, it fails.
func TestSweptByAnother(t *testing.T) {
	whole := t.TempDir()
	if _, _, err := beam.Run(t.Context(), job(t, whole, 30, &numbersTask{Fail: -1, Log: t.TempDir()}),
		beam.Options{Runner: "local"}); err != nil {
		t.Fatal(err)
	}
	for _, finished := range []bool{true, false} {
		output, log, gate := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "done")
		var once sync.Once
		options := beam.Options{Runner: "local", Parallelism: 2, Observe: func(p beam.Progress) {
			if p.Done > 3 {
				once.Do(func() {
					if finished {
						if err := copyOver(output, whole); err != nil {
							t.Error(err)
						}
					}
					open(t, gate)
				})
			}
		}}
		_, _, err := beam.Run(t.Context(), job(t, output, 30, &numbersTask{Fail: -1, Log: log, Gate: gate, Swept: true}), options)
		if finished && err != nil || !finished && (err == nil || !strings.Contains(err.Error(), "no such file")) {
			t.Errorf("finished %v: %v", finished, err)
		}
		if finished {
			if diff := cmp.Diff(want(30), read(t, output)); diff != "" {
				t.Error(diff)
			}
		}
	}
}

// copyOver copies the files of a folder over those of another one, the manifest among them.
func copyOver(to, from string) error {
	return filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		// Units in flight read these files: they must never be there by halves.
		return storage.WriteFile(context.Background(), storage.NewLocal(to), filepath.ToSlash(name), data, storage.Replace)
	})
}

// The record of a run has the number of units that were in flight, also where it
// was left to the runner.
func TestRunRecord(t *testing.T) {
	output := t.TempDir()
	if _, _, err := beam.Run(t.Context(), job(t, output, 1, &numbersTask{Fail: -1, Log: t.TempDir()}),
		beam.Options{Runner: "local"}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(output, "_run", "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	var record dataset.RunRecord
	if err := json.Unmarshal(data, &record); err != nil || record.Parallelism != runtime.NumCPU() || record.Runner != "local" {
		t.Errorf("%+v, %v", record, err)
	}
}

func TestOptionsFaultsComeTogether(t *testing.T) {
	err := beam.Options{Runner: "prism", Parallelism: -1}.Validate()
	if err == nil || !strings.Contains(err.Error(), `runner "prism" is unknown; this build has: local, flink, dataflow`) ||
		!strings.Contains(err.Error(), "-1") {
		t.Errorf("got %v", err)
	}
}
