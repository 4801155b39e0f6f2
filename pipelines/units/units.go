// Package units runs the units of a plan on a Beam runner, in one phase or in several
// that exchange keyed records.
//
// # The graph
//
//	plan chunks → pending units ─GroupByKey→ phase ─GroupByKey→ phase … ─GroupByKey→ finalize
//
// The size of the graph does not depend on the number of units. A phase owns a range
// of the plan's ordinals. Only ordinals and Refs (which say where a section of a spill
// file lies) cross the GroupByKeys. Rows never do: a worker reads, judges and writes
// the rows of a unit by plain functions within one call. Each unit commits by its
// receipt. When the runner or the next run repeats an attempt, it finds the units that
// are done and skips them.
package units

import (
	"context"
	"fmt"
	"runtime/debug"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// Job is a planned pipeline, which a runner executes.
type Job struct {
	// Output is the location of the dataset's folder, absolute.
	Output string
	Plan   *dataset.Plan
	Units  []dataset.Unit
	// Phases own the plan's units; the last phase writes the rows.
	Phases []Phase
	// Notes are messages for the user about the plan, such as which files it leaves
	// out.
	Notes []string
	// Filters are the names of the filters that rows pass, in their order; nil for a
	// pipeline that has no list of them.
	Filters []string
	// Working, if set, reports progress within the units of this process, in addition
	// to the receipts.
	Working func() string
	// Items names what Within counts, such as "rows". It is "" where nothing is counted.
	Items string
	// Slow, if set, is the range of the units that take nearly all the time: what is left
	// is told by them.
	Slow Range
	// Rows and Content are what the job reads, for estimates: the rows of datasets, and the bytes of
	// files as they are decompressed, by their format. They are 0 and nil where the plan does not know them.
	Rows    int64
	Content map[string]int64
	// Operations are the multiplications and additions of a job whose time does not follow from what it reads, else 0.
	Operations float64
	// Errors bounds the inputs that are rejected; nil bounds nothing.
	Errors *dataset.ErrorLimit
	// Blocked says why the job can only be looked at and not run, because it has no
	// output folder. It is nil for a job that can run.
	Blocked error

	meter meter
}

// Folder opens the job's output folder. Every runner begins with this.
func (j *Job) Folder() (storage.Folder, error) {
	if j.Blocked != nil {
		return nil, j.Blocked
	}
	return storage.Locate(j.Output)
}

// Env is the part of a run that the work on a unit sees.
type Env struct {
	// Folder is the output dataset.
	Folder storage.Folder
	Plan   *dataset.Plan
}

// Task is the work of a phase on each of its units. Its exported fields are its
// configuration, and travel to the worker as JSON. After Setup many goroutines use it
// at once.
type Task interface {
	// Setup opens the models, vocabularies and input folders that all units need.
	Setup(ctx context.Context) error
	// Do makes and commits the output of one unit. The refs name the sections that
	// earlier phases spilled for the unit, ordered by the spilling unit.
	Do(ctx context.Context, env Env, unit dataset.Unit, refs []Ref) error
}

// router is a Task whose units hand records to a later phase.
type router interface {
	Task
	// Routes returns a route for each section of the committed spill file of a unit.
	// It is called after Do, and also for a unit that was already committed.
	Routes(ctx context.Context, env Env, unit int) ([]Route, error)
}

// perform runs a task on one unit unless it is committed, and returns its
// routes. A panic becomes an error that names the unit: it must not end a worker
// that is in the midst of other units.
func perform(ctx context.Context, env Env, task Task, unit dataset.Unit, refs []Ref) (routes []Route, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("unit %d: panic: %v\n%s", unit.Ordinal, p, debug.Stack())
		}
	}()
	committed, err := env.Plan.Committed(ctx, env.Folder, unit.Ordinal)
	if err != nil {
		return nil, err
	}
	if !committed {
		ctx, end := gauged(ctx, unit, refs)
		defer end()
		if err := env.Plan.Repeat(ctx, env.Folder, func() error { return task.Do(ctx, env, unit, sortRefs(refs)) }); err != nil {
			return nil, fmt.Errorf("unit %d: %w", unit.Ordinal, err)
		}
	}
	router, ok := task.(router)
	if !ok {
		return nil, nil
	}
	routes, err = router.Routes(ctx, env, unit.Ordinal)
	if err != nil {
		return nil, fmt.Errorf("unit %d: %w", unit.Ordinal, err)
	}
	return routes, nil
}
