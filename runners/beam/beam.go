// Package beam runs a job on a Beam runner. It writes the plan, builds the graph and
// watches the receipts. An interrupt cancels the job, and its output can be resumed.
package beam

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"sentweave/pipelines/units"
	"sentweave/runners/beam/flink"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
)

// Options say where and how a job is executed. None of them changes its output.
type Options struct {
	// Runner is where the job runs: "local", this process, "flink" or "dataflow".
	Runner string
	// Parallelism is the number of units in flight; 0 means one a core, or as many
	// as a cluster has slots.
	Parallelism int
	Flink       flink.Options
	Dataflow    DataflowOptions
	// Overwrite deletes a dataset of ours that is in the output folder.
	Overwrite bool
	// Observe is called with the state of the work about twice a second; nil for none.
	Observe func(Progress)
}

// Progress is a moment of a running job.
type Progress struct {
	Pipeline string
	// Done and Total count units. Before counts those that an earlier run did.
	Done, Total, Before int
	// Share is the part of the work that is done, from 0 to 1: that of the units that take
	// the time, and of those under way in this process. ShareBefore was done before.
	Share, ShareBefore float64
	// Read counts the rows or pages that this process has read, which Items names.
	Read    int64
	Items   string
	Elapsed time.Duration
	// State says what is under way besides units; empty for nothing.
	State string
	// Working says how far the work is within units, where the job can tell.
	Working string
	// Finished is set in the last call of a job that succeeded.
	Finished bool
}

// runners lists the names that Options.Runner takes.
func runners() []string { return []string{"local", "flink", "dataflow"} }

// Validate returns all faults of the options.
func (o Options) Validate() error {
	var errs fault.List
	if !slices.Contains(runners(), o.Runner) {
		errs.Addf("runner %q is unknown; this build has: %s", o.Runner, strings.Join(runners(), ", "))
	}
	errs.Check(o.Parallelism >= 0, "parallelism %d is negative; 0 means one unit a core", o.Parallelism)
	if o.Runner == "flink" {
		errs.Add(o.Flink.Validate())
	}
	if o.Runner == "dataflow" {
		errs.Add(o.Dataflow.Validate())
	}
	return errs.Err()
}

// Run executes the job and returns the manifest of its dataset. A job that is
// done already returns at once; one that was begun goes on. When the context is
// cancelled, Run cancels the job, waits for it, and returns the context's error:
// units that were committed stay so.
func Run(ctx context.Context, job *units.Job, options Options) (*dataset.Manifest, dataset.Fate, error) {
	if err := options.Validate(); err != nil {
		return nil, dataset.Fresh, err
	}
	folder, err := job.Folder()
	if err != nil {
		return nil, dataset.Fresh, err
	}
	var doing atomic.Value
	if options.Runner == "local" && options.Parallelism == 0 {
		options.Parallelism = runtime.NumCPU()
	}
	execute, err := prepare(ctx, job, options, func(text string) { doing.Store(text) })
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
	progress := Progress{Pipeline: job.Plan.Pipeline, Total: job.Plan.Units, Items: job.Items}
	if err := progress.count(ctx, job, folder); err != nil {
		return nil, state, err
	}
	completed := progress.Done
	progress.Before, progress.ShareBefore = completed, progress.Share
	started := time.Now()
	stop := watcher{job, folder, started, &doing, options.Observe}.watch(ctx, progress)
	err = execute(ctx)
	stop()
	if err != nil && ctx.Err() == nil && strings.Contains(err.Error(), syscall.ENOENT.Error()) { // of a unit there is but the text
		if m, loadErr := dataset.Load(ctx, folder); loadErr == nil && m.Plan.Hash == job.Plan.Hash {
			err = nil // another launcher has done the rest, and swept what was under way here
		}
	}
	if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(err, cause) {
		err = cause // of which that is a consequence
	}
	if err != nil {
		return nil, state, err
	}
	m, err := dataset.Load(ctx, folder)
	if err != nil {
		return nil, state, fmt.Errorf("the runner reported success, but: %w", err)
	}
	if options.Observe != nil {
		progress.Done, progress.Share, progress.Elapsed, progress.Finished = progress.Total, 1, time.Since(started), true
		_, progress.Read = job.Within(units.Range{})
		options.Observe(progress)
	}
	return m, state, dataset.WriteRunRecord(ctx, folder, dataset.RunRecord{
		Started: started.UTC(), Finished: time.Now().UTC(), Runner: options.Runner, Parallelism: options.Parallelism,
		Revision: revision(), UnitsDoneBefore: completed,
	})
}

// prepare checks, before anything is written, what a runner would refuse, and
// returns the function that runs the job there and waits for its end.
func prepare(ctx context.Context, job *units.Job, options Options, tell func(state string)) (execute func(context.Context) error,
	err error) {
	name, err := jobName(job)
	if err != nil {
		return nil, err
	}
	switch options.Runner {
	case "flink":
		return func(ctx context.Context) error {
			return flink.Submission{Job: job, Name: name, Parallelism: options.Parallelism, Options: options.Flink, Tell: tell}.Run(ctx)
		}, nil
	case "dataflow":
		return prepareDataflow(ctx, job, options.Dataflow, tell)
	}
	return func(ctx context.Context) error { return job.RunLocal(ctx, options.Parallelism) }, nil
}

// jobName returns a name that no other job has: a cluster is asked by it what
// became of the job.
func jobName(job *units.Job) (string, error) {
	unique := make([]byte, 4)
	if _, err := rand.Read(unique); err != nil {
		return "", fmt.Errorf("name the job: %w", err)
	}
	return fmt.Sprintf("sentweave-%s-%s-%x", job.Plan.Pipeline, job.Plan.Hash[:8], unique), nil
}

// Close ends what the runners have started in this process.
func Close() { flink.Close() }
