package pipelinetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/parquet-go/parquet-go"

	"sentweave/pipelines/flags"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// Pipeline is the configuration of a pipeline.
type Pipeline interface {
	Validate() error
	Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error)
}

// Settings are those of most tests: shards so small that there are several.
func Settings(shardBytes int64) units.Settings {
	return units.Settings{Seed: 7, ShardBytes: dataset.Bytes(shardBytes)}
}

// Parse returns a configuration as the command line makes it.
func Parse[C any](t testing.TB, args ...string) C {
	t.Helper()
	config, err := Configure[C](args...)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return config
}

// Configure is Parse outside of a test. The list of engines in a help is left out: naming
// them links the libraries of all services into the tests of every pipeline.
func Configure[C any](args ...string) (C, error) {
	var config C
	parser, err := kong.New(&config, flags.Option(), kong.Vars{"engines": "…"})
	if err == nil {
		_, err = parser.Parse(args)
	}
	return config, err
}

// Runner executes a planned job.
type Runner func(ctx context.Context, job *units.Job) (*dataset.Manifest, error)

// Plain runs jobs by goroutines, with the tasks of the test themselves.
func Plain(parallelism int) Runner {
	return func(ctx context.Context, job *units.Job) (*dataset.Manifest, error) {
		folder, err := job.Folder()
		if err != nil {
			return nil, err
		}
		return PlainIn(ctx, job, folder, parallelism)
	}
}

// PlainIn runs a job by goroutines, seeing its output through a folder of the caller's.
func PlainIn(ctx context.Context, job *units.Job, folder storage.Folder, parallelism int) (*dataset.Manifest, error) {
	if state, err := job.Plan.Create(ctx, folder, job.Units); err != nil || state == dataset.Complete {
		return nil, err
	}
	return job.RunIn(ctx, units.Env{Folder: folder, Plan: job.Plan}, parallelism)
}

// Local runs jobs as the command does, by the runner in this process.
func Local(parallelism int) Runner {
	return planned(func(ctx context.Context, job *units.Job) error { return job.RunLocal(ctx, parallelism) })
}

// WithoutBeam runs jobs as the command will once Beam has no runner in this process.
func WithoutBeam(parallelism int) Runner {
	return planned(func(ctx context.Context, job *units.Job) error { return job.RunPlain(ctx, parallelism) })
}

// Prism runs jobs on Beam's reference runner, another reading of the same graph. It
// opens a port to everybody: it is for tests alone.
func Prism(window int) Runner {
	return planned(func(ctx context.Context, job *units.Job) error {
		defer units.LimitMemory(window)()
		p := beam.NewPipeline()
		job.Graph(p.Root(), window)
		_, err := prism.Execute(ctx, p)
		return units.Unmark(err)
	})
}

// planned returns a runner that executes a plan that it has written.
func planned(execute func(ctx context.Context, job *units.Job) error) Runner {
	return func(ctx context.Context, job *units.Job) (*dataset.Manifest, error) {
		folder, err := job.Folder()
		if err != nil {
			return nil, err
		}
		if _, err := job.Plan.Create(ctx, folder, job.Units); err != nil {
			return nil, err
		}
		if err := execute(ctx, job); err != nil {
			return nil, err
		}
		return dataset.Load(ctx, folder)
	}
}

// Run plans and runs a pipeline into a new folder and returns it.
func Run(t testing.TB, c Pipeline, settings units.Settings, run Runner) (string, *dataset.Manifest) {
	t.Helper()
	output := filepath.Join(t.TempDir(), "out")
	return output, RunTo(t, c, output, settings, run)
}

// RunTo plans and runs a pipeline.
func RunTo(t testing.TB, c Pipeline, output string, settings units.Settings, run Runner) *dataset.Manifest {
	t.Helper()
	job, err := c.Plan(t.Context(), output, settings)
	if err != nil {
		t.Fatalf("plan: %v", err)
	}
	m, err := run(t.Context(), job)
	if err != nil {
		t.Fatalf("%s: %v", job.Plan.Pipeline, err)
	}
	return m
}

// Fails plans and runs a pipeline that must fail, and returns the error.
func Fails(t testing.TB, c Pipeline, settings units.Settings) error {
	t.Helper()
	job, err := c.Plan(t.Context(), filepath.Join(t.TempDir(), "out"), settings)
	if err == nil {
		_, err = Plain(2)(t.Context(), job)
	}
	if err == nil {
		t.Fatal("no error")
	}
	return err
}

// Digests returns the hash of every file of a dataset, by its name, but for the
// record of the run.
func Digests(t testing.TB, location string) map[string]string {
	t.Helper()
	digests := map[string]string{}
	for info, err := range storage.NewLocal(location).List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if info.Name == "_run/run.json" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(location, filepath.FromSlash(info.Name)))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		digests[info.Name] = hex.EncodeToString(sum[:])
	}
	return digests
}

// Rows returns all rows of a dataset in order.
func Rows[T schemas.Row](t testing.TB, location string) []T {
	t.Helper()
	rows, err := dataset.ReadAll[T](t.Context(), storage.NewLocal(location))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Dropped sums, over languages, what a manifest's funnel drops: "chain step
// reason" to count.
func Dropped(m *dataset.Manifest) map[string]int64 {
	dropped := map[string]int64{}
	for _, chain := range m.Funnel.Chains {
		for _, step := range chain.Steps {
			for reason, n := range step.Total().Dropped {
				dropped[strings.Join([]string{chain.Items, step.Name, reason}, " ")] += n
			}
		}
	}
	return dropped
}

// Rejects returns the sampled rejects of a dataset.
func Rejects(t testing.TB, location string) []schemas.Reject {
	t.Helper()
	rows, err := parquet.ReadFile[schemas.Reject](filepath.Join(location, "rejects", "part-00000.parquet"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return rows
}
