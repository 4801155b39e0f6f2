// Package beam executes a job on a Beam runner: it writes the plan, builds the
// graph, watches the receipts, and turns an interrupt into a cancelled job
// whose output can be resumed.
package beam

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"

	"sentweave/pipelines/units"
	"sentweave/schemas/dataset"
)

// Options say where and how a job is executed. None of them changes its output.
type Options struct {
	// Runner is the engine: "prism", the embedded one.
	Runner string
	// Parallelism is the number of units in flight in one process; 0 means one a core.
	Parallelism int
	// Overwrite deletes a dataset of ours that stands in the output folder.
	Overwrite bool
	// Observe is called with the state of the work about twice a second; nil for none.
	Observe func(Progress)
}

// Progress is a moment of a running job.
type Progress struct {
	Pipeline string
	// Done and Total count units. Before counts those that an earlier run did.
	Done, Total, Before int
	Elapsed             time.Duration
	// Finished is set in the last call of a job that succeeded.
	Finished bool
}

// Runners lists the names that Options.Runner takes.
func Runners() []string { return []string{"prism"} }

// Validate returns all faults of the options.
func (o Options) Validate() error {
	var errs []error
	if o.Runner != "prism" {
		errs = append(errs, fmt.Errorf("runner %q is unknown; this build has: %s", o.Runner, strings.Join(Runners(), ", ")))
	}
	if o.Parallelism < 0 {
		errs = append(errs, fmt.Errorf("parallelism %d is negative; 0 means one unit a core", o.Parallelism))
	}
	return errors.Join(errs...)
}

// Run executes the job and returns the manifest of its dataset. A job that is
// done already returns at once; one that was begun goes on. When the context is
// cancelled, Run cancels the job, waits for it, and returns the context's error:
// units that were committed stay so.
func Run(ctx context.Context, job *units.Job, options Options) (*dataset.Manifest, dataset.State, error) {
	if err := options.Validate(); err != nil {
		return nil, dataset.Fresh, err
	}
	folder, err := job.Folder()
	if err != nil {
		return nil, dataset.Fresh, err
	}
	state, err := job.Plan.CreateOver(ctx, folder, job.Units, options.Overwrite)
	if err != nil {
		return nil, state, err
	}
	if state == dataset.Complete {
		m, err := dataset.Load(ctx, folder)
		return m, state, err
	}
	before, err := job.Plan.CountReceipts(ctx, folder)
	if err != nil {
		return nil, state, err
	}
	started := time.Now()
	progress := Progress{Pipeline: job.Plan.Pipeline, Before: before, Done: before, Total: job.Plan.Units}
	stop := watch(ctx, job, folder, started, progress, options.Observe)
	parallelism := options.Parallelism
	if parallelism == 0 {
		parallelism = runtime.NumCPU()
	}
	restore := units.LimitMemory(parallelism)
	err = execute(ctx, job, parallelism)
	restore()
	stop()
	if err != nil {
		if ctx.Err() != nil {
			return nil, state, context.Cause(ctx)
		}
		return nil, state, err
	}
	m, err := dataset.Load(ctx, folder)
	if err != nil {
		return nil, state, fmt.Errorf("the runner reported success, but: %w", err)
	}
	if options.Observe != nil {
		progress.Done, progress.Elapsed, progress.Finished = progress.Total, time.Since(started), true
		options.Observe(progress)
	}
	return m, state, dataset.WriteRunRecord(ctx, folder, dataset.RunRecord{
		Started: started.UTC(), Finished: time.Now().UTC(), Runner: options.Runner, Parallelism: parallelism,
		Revision: revision(), UnitsDoneBefore: before,
	})
}

// execute runs the graph on the embedded runner and waits for its end.
func execute(ctx context.Context, job *units.Job, parallelism int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	pipeline := sdk.NewPipeline()
	job.Graph(pipeline.Root(), parallelism)
	return prismRun(ctx, pipeline)
}
