package units

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sort"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// openEnv opens the output folder and checks that it still holds the plan that
// the graph was built for.
func openEnv(ctx context.Context, output, hash string) (Env, error) {
	folder, err := storage.Locate(output)
	if err != nil {
		return Env{}, err
	}
	plan, err := dataset.LoadPlan(ctx, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return Env{}, fmt.Errorf("the worker finds no plan in %s, which the launcher has written: give a folder that both see, or gs://",
			folder)
	}
	if err != nil {
		return Env{}, fmt.Errorf("load the plan of a running job: %w", err)
	}
	if plan.Hash != hash {
		return Env{}, fmt.Errorf("%s holds plan %s, this job has plan %s: the dataset was overwritten while it was being made", folder,
			plan.Hash, hash)
	}
	return Env{Folder: folder, Plan: plan}, nil
}

// pendingFn turns a chunk of the plan into the ordinals of its units. Which
// units a chunk has follows from its number: nothing of the plan is read.
type pendingFn struct {
	Output, Plan string
	First, Count int
	// SkipCommitted leaves out units with a receipt. Units whose routes other units
	// need are never left out.
	SkipCommitted bool

	env Env
}

// Setup opens the output folder.
func (f *pendingFn) Setup(ctx context.Context) (err error) {
	f.env, err = openEnv(ctx, f.Output, f.Plan)
	return report(ctx, err)
}

// ProcessElement emits the ordinals of a chunk. The sentinel emits one ordinal
// that no phase owns, so that a phase without units has an element all the same.
func (f *pendingFn) ProcessElement(ctx context.Context, chunk int64, emit func(int64, []byte)) error {
	if chunk == sentinel {
		emit(sentinel, nil)
		return nil
	}
	first := f.First + sort.Search(f.Count, func(i int) bool { return dataset.ChunkOf(f.First+i) >= int(chunk) })
	end := f.First + sort.Search(f.Count, func(i int) bool { return dataset.ChunkOf(f.First+i) > int(chunk) })
	committed := make([]bool, end-first)
	if f.SkipCommitted {
		var err error
		if committed, err = f.env.Plan.CommittedOf(ctx, f.env.Folder, first, end-first); err != nil {
			return report(ctx, err)
		}
	}
	for i, finished := range committed {
		if !finished {
			emit(int64(first+i), nil)
		}
	}
	return nil
}

// taskFn performs the units of a phase, up to Window of them at once in one
// process: a local runner gives a stage few bundles and hands each of them its
// elements one by one. Without a window it performs one at a time in each bundle,
// of which a cluster starts one for each slot that it has.
type taskFn[T Task] struct {
	Output, Plan string
	Window       int
	Task         T

	env    Env
	units  unitCache
	bundle *bundle
	gate   chan struct{}
}

func (f *taskFn[T]) task() Task { return f.Task }

// Setup opens the output folder and sets up the task.
func (f *taskFn[T]) Setup(ctx context.Context) (err error) {
	if f.env, err = openEnv(ctx, f.Output, f.Plan); err != nil {
		return report(ctx, err)
	}
	return report(ctx, f.Task.Setup(ctx))
}

// StartBundle begins a bundle.
func (f *taskFn[T]) StartBundle(ctx context.Context, _ func(int64, []byte)) {
	f.bundle, f.gate = newBundle(ctx), gateOf(f.Window)
}

// ProcessElement starts the work on a unit and waits only for a free place.
func (f *taskFn[T]) ProcessElement(ctx context.Context, ordinal int64, elements func(*[]byte) bool, _ func(int64, []byte)) error {
	if ordinal == sentinel {
		return nil
	}
	unit, refs, err := f.read(ctx, ordinal, elements)
	if err != nil {
		f.bundle.fail(err)
		_, err = f.bundle.wait() // nothing outlives the bundle
		return report(ctx, err)
	}
	return report(ctx, f.bundle.start(f.gate, func(ctx context.Context) ([]Route, error) {
		return perform(ctx, f.env, f.Task, unit, refs)
	}))
}

// read returns a unit and the refs that were routed to it.
func (f *taskFn[T]) read(ctx context.Context, ordinal int64, elements func(*[]byte) bool) (unit dataset.Unit, refs []Ref, err error) {
	for element := []byte(nil); elements(&element); {
		if refs, err = parseRefs(refs, element); err != nil {
			return unit, nil, err
		}
	}
	unit, err = f.units.load(ctx, f.env, int(ordinal))
	return unit, refs, err
}

// FinishBundle waits for the bundle's units and emits their routes.
func (f *taskFn[T]) FinishBundle(ctx context.Context, emit func(int64, []byte)) error {
	parcels, err := f.bundle.wait()
	f.bundle = nil // the runner has the routes now
	if err != nil {
		return report(ctx, err)
	}
	parcels.emit(emit)
	return nil
}

// unitCache keeps chunks of the plan: units come in any order, and reading one
// alone costs as much as reading the file that it is in.
type unitCache struct {
	chunks map[int][]dataset.Unit
	spans  int
}

const (
	// maxCachedSpans bounds the cache: some 100 bytes each.
	maxCachedSpans = 400_000
	// leastUnitsPerFile is the number of units in a file of the plan below which
	// a chunk is not worth its memory: its units have hundreds of spans, so that
	// the work on one takes longer than to read a file.
	leastUnitsPerFile = 250
)

func (c *unitCache) load(ctx context.Context, env Env, ordinal int) (dataset.Unit, error) {
	if env.Plan.UnitsPerFile < leastUnitsPerFile {
		return env.Plan.LoadUnit(ctx, env.Folder, ordinal)
	}
	index := dataset.ChunkOf(ordinal)
	chunk, ok := c.chunks[index]
	if !ok {
		var err error
		if chunk, err = env.Plan.LoadUnits(ctx, env.Folder, index); err != nil {
			return dataset.Unit{}, err
		}
		if c.chunks == nil || c.spans > maxCachedSpans {
			c.chunks, c.spans = map[int][]dataset.Unit{}, 0
		}
		c.chunks[index] = chunk
		for _, u := range chunk {
			c.spans += len(u.Spans)
		}
	}
	for _, u := range chunk {
		if u.Ordinal == ordinal {
			return u, nil
		}
	}
	return dataset.Unit{}, fmt.Errorf("the plan in %s has no unit %d, it has %d", env.Folder, ordinal, env.Plan.Units)
}

// finalizeFn writes the manifest after all units.
type finalizeFn struct {
	Output, Plan string
	Errors       *dataset.ErrorLimit

	env Env
}

// Setup opens the output folder.
func (f *finalizeFn) Setup(ctx context.Context) (err error) {
	f.env, err = openEnv(ctx, f.Output, f.Plan)
	return report(ctx, err)
}

// ProcessElement finalizes; the sentinel is the only element.
func (f *finalizeFn) ProcessElement(ctx context.Context, _ int64, _ func(*[]byte) bool) error {
	_, err := f.env.Plan.FinalizeWithin(ctx, f.env.Folder, f.Errors)
	return report(ctx, err)
}
