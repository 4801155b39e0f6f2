package dataflow_test

import (
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"

	"sentweave/pipelines/units"
	"sentweave/runners/beam/dataflow"
	"sentweave/runners/beam/dataflow/dataflowtest"
	"sentweave/runners/beam/worker"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/gcs"
	"sentweave/schemas/storage/gcs/gcstest"
)

// TestMain is the main of the workers, too: the test's own program is what is staged.
func TestMain(m *testing.M) {
	gcs.Register()
	if worker.IsWorker(os.Args[1:]) {
		os.Exit(worker.Main(os.Args[1:]))
	}
	flag.Parse()
	sdk.Init()
	os.Exit(m.Run())
}

func init() { units.Register[*pausingTask]() }

// pausingTask writes a row for each unit, after a pause.
type pausingTask struct {
	Pause time.Duration
	// Fail is the ordinal of a unit that fails; negative for none.
	Fail int
	// Input is a location that the task pretends to read.
	Input units.File
}

func (*pausingTask) Setup(context.Context) error { return nil }

func (p *pausingTask) Do(ctx context.Context, env units.Env, unit dataset.Unit, _ []units.Ref) error {
	if unit.Ordinal == p.Fail {
		return errors.New("the disk of the moon is full")
	}
	select {
	case <-time.After(p.Pause):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	a, err := dataset.Begin[schemas.WordCount](env.Folder, env.Plan, unit.Ordinal, dataset.NewChain("words", "pause"))
	if err != nil {
		return err
	}
	defer a.Abort()
	if err := a.Write(ctx, schemas.WordCount{Word: fmt.Sprint("word", unit.Ordinal), Language: "und", Count: 1}); err != nil {
		return err
	}
	if err := a.Funnel().Keep("words", "und", 1); err != nil {
		return err
	}
	return a.Commit(ctx)
}

// pauses is a job of so many units of a task.
func pauses(t testing.TB, output string, n int, task *pausingTask) *units.Job {
	t.Helper()
	list := make([]dataset.Unit, n)
	for i := range list {
		list[i].Ordinal = i
	}
	plan, err := dataset.Draft{
		Pipeline: "pauses", PipelineVersion: 1, Schema: schemas.WordCount{}.Schema(), Config: struct{}{}, ShardBytes: 1, Units: list,
	}.Plan()
	if err != nil {
		t.Fatal(err)
	}
	return &units.Job{Output: output, Plan: plan, Units: list,
		Phases: []units.Phase{units.NewPhase("pause", units.Range{First: 0, Count: n}, task)}}
}

// begin writes the plan of a job into its output folder, as a launcher does.
func begin(t testing.TB, job *units.Job) storage.Folder {
	t.Helper()
	folder, err := job.Folder()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := job.Plan.Create(t.Context(), folder, job.Units); err != nil {
		t.Fatal(err)
	}
	return folder
}

// program writes the head of a program, which is all that is looked at, with so many
// bytes behind it.
func program(t testing.TB, machine elf.Machine, abi elf.OSABI, kind elf.Type, more string) string {
	t.Helper()
	head := elf.Header64{Type: uint16(kind), Machine: uint16(machine), Version: 1, Ehsize: 64}
	copy(head.Ident[:], elf.ELFMAG)
	head.Ident[elf.EI_CLASS], head.Ident[elf.EI_DATA], head.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1
	head.Ident[elf.EI_OSABI] = byte(abi)
	data, err := binary.Append(nil, binary.LittleEndian, head)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, append(data, more...), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// smallProgram passes for a worker that is never started.
func smallProgram(t testing.TB) string {
	return program(t, elf.EM_X86_64, elf.ELFOSABI_NONE, elf.ET_EXEC, t.Name())
}

// cloud is a service of Dataflow and one of storage.
type cloud struct {
	*dataflowtest.Service
	storage *gcstest.Service
	options dataflow.Options
}

func newCloud(t testing.TB) *cloud {
	t.Helper()
	c := &cloud{storage: gcstest.Start(t), Service: dataflowtest.Start(t)}
	c.options = dataflow.Options{
		Project: dataflowtest.Project, Region: "us-central1", Staging: c.storage.Folder(), WorkerBinary: smallProgram(t),
		Endpoint: c.Endpoint(),
	}
	return c
}

func (c *cloud) client(t testing.TB) *dataflow.Client {
	t.Helper()
	client, err := dataflow.NewClient(t.Context(), c.options)
	if err != nil {
		t.Fatal(err)
	}
	return client.Hurry()
}

func (c *cloud) prepare(t testing.TB, job *units.Job) *dataflow.Request {
	t.Helper()
	r, err := dataflow.Prepare(t.Context(), job, c.options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// submit submits a job of one unit into an output of its own.
func (c *cloud) submit(t testing.TB) (dataflow.Job, error) {
	t.Helper()
	return c.client(t).Submit(t.Context(), c.prepare(t, pauses(t, c.storage.Folder(), 1, &pausingTask{Fail: -1})))
}

func (c *cloud) submitted(t testing.TB) dataflow.Job {
	t.Helper()
	job, err := c.submit(t)
	if err != nil {
		t.Fatal(err)
	}
	return job
}

func (c *cloud) advance(t testing.TB, id, to string, messages ...string) {
	t.Helper()
	if err := c.Advance(id, to, messages...); err != nil {
		t.Fatal(err)
	}
}
