package units

import (
	"context"
	"fmt"
	"sync"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

func chunkOf(unit int) int { return dataset.ChunkOf(unit) }

// openEnv opens the output folder and checks that it still holds the plan that
// the graph was built for.
func openEnv(ctx context.Context, output, hash string) (Env, error) {
	folder, err := storage.At(output)
	if err != nil {
		return Env{}, err
	}
	plan, err := dataset.LoadPlan(ctx, folder)
	if err != nil {
		return Env{}, fmt.Errorf("load the plan of a running job: %w", err)
	}
	if plan.Hash != hash {
		return Env{}, fmt.Errorf("%s holds plan %s, this job has plan %s: the dataset was overwritten while it was being made", folder, plan.Hash, hash)
	}
	return Env{Folder: folder, Plan: plan}, nil
}

// pendingFn turns a chunk of the plan into the ordinals of its units.
type pendingFn struct {
	Output, Plan string
	First, Count int
	// SkipCommitted leaves out units with a receipt. Units that others need the
	// routes of are never left out.
	SkipCommitted bool

	env Env
}

// Setup opens the output folder.
func (f *pendingFn) Setup(ctx context.Context) (err error) {
	f.env, err = openEnv(ctx, f.Output, f.Plan)
	return err
}

// ProcessElement emits the ordinals of a chunk. The sentinel emits one ordinal
// that no phase owns: a stage without output would keep Prism busy.
func (f *pendingFn) ProcessElement(ctx context.Context, chunk int64, emit func(int64, Ref)) error {
	if chunk == sentinel {
		emit(sentinel, Ref{Unit: sentinel})
		return nil
	}
	units, err := f.env.Plan.LoadUnits(ctx, f.env.Folder, int(chunk))
	if err != nil {
		return err
	}
	for _, u := range units {
		if u.Ordinal < f.First || u.Ordinal >= f.First+f.Count {
			continue
		}
		if f.SkipCommitted {
			committed, err := f.env.Plan.Committed(ctx, f.env.Folder, u.Ordinal)
			if err != nil {
				return err
			}
			if committed {
				continue
			}
		}
		emit(int64(u.Ordinal), Ref{Unit: sentinel})
	}
	return nil
}

// taskFn performs the units of a phase, up to Window of them at once in one
// process: a local runner gives a stage few bundles and hands each of them its
// elements one by one.
type taskFn[T Task] struct {
	Output, Plan string
	Window       int
	Task         T

	env    Env
	chunk  chunkCache
	bundle *bundle
}

// Setup opens the output folder and sets up the task.
func (f *taskFn[T]) Setup(ctx context.Context) (err error) {
	if f.env, err = openEnv(ctx, f.Output, f.Plan); err != nil {
		return mark(err)
	}
	return mark(f.Task.Setup(ctx))
}

// StartBundle begins a bundle.
func (f *taskFn[T]) StartBundle(context.Context, func(int64, Ref)) { f.bundle = &bundle{} }

// ProcessElement starts the work on a unit and waits only for a free place.
func (f *taskFn[T]) ProcessElement(ctx context.Context, ordinal int64, refs func(*Ref) bool, _ func(int64, Ref)) error {
	if ordinal == sentinel {
		return nil
	}
	var list []Ref
	for r := (Ref{}); refs(&r); {
		list = append(list, r)
	}
	unit, err := f.chunk.unit(ctx, f.env, int(ordinal))
	if err != nil {
		return err
	}
	return f.bundle.start(ctx, gateOf(f.Window), func() ([]Route, error) {
		routes, err := perform(ctx, f.env, f.Task, unit, list)
		return routes, mark(err)
	})
}

// FinishBundle waits for the bundle's units and emits their routes in the order
// in which the units came.
func (f *taskFn[T]) FinishBundle(_ context.Context, emit func(int64, Ref)) error {
	results, err := f.bundle.wait()
	if err != nil {
		return err
	}
	for _, routes := range results {
		for _, r := range routes {
			emit(r.To, r.Ref)
		}
	}
	return nil
}

// chunkCache keeps the last chunk of the plan, since units come in order.
type chunkCache struct {
	index int
	units []dataset.Unit
}

func (c *chunkCache) unit(ctx context.Context, env Env, ordinal int) (dataset.Unit, error) {
	index := chunkOf(ordinal)
	if c.units == nil || c.index != index {
		units, err := env.Plan.LoadUnits(ctx, env.Folder, index)
		if err != nil {
			return dataset.Unit{}, err
		}
		c.index, c.units = index, units
	}
	for _, u := range c.units {
		if u.Ordinal == ordinal {
			return u, nil
		}
	}
	return dataset.Unit{}, fmt.Errorf("the plan has no unit %d", ordinal)
}

// bundle is the work in flight of one bundle.
type bundle struct {
	wg      sync.WaitGroup
	mu      sync.Mutex
	results [][]Route
	err     error
}

func (b *bundle) start(ctx context.Context, gate chan struct{}, work func() ([]Route, error)) error {
	b.mu.Lock()
	err := b.err
	i := len(b.results)
	b.results = append(b.results, nil)
	b.mu.Unlock()
	if err != nil {
		return err // no new work after a failure
	}
	select {
	case gate <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	b.wg.Go(func() {
		defer func() { <-gate }()
		routes, err := work()
		b.mu.Lock()
		defer b.mu.Unlock()
		b.results[i] = routes
		if err != nil && b.err == nil {
			b.err = err
		}
	})
	return nil
}

func (b *bundle) wait() ([][]Route, error) {
	b.wg.Wait()
	return b.results, b.err
}

// gates bound the units in flight over all bundles of the process, one gate for
// each size: a runner may start several bundles at once, but memory is counted
// by units.
var gates sync.Map // of int to chan struct{}

func gateOf(window int) chan struct{} {
	gate, _ := gates.LoadOrStore(window, make(chan struct{}, window))
	return gate.(chan struct{})
}

// finalizeFn writes the manifest after all units.
type finalizeFn struct {
	Output, Plan string

	env Env
}

// Setup opens the output folder.
func (f *finalizeFn) Setup(ctx context.Context) (err error) {
	f.env, err = openEnv(ctx, f.Output, f.Plan)
	return err
}

// ProcessElement finalizes; the sentinel is the only element.
func (f *finalizeFn) ProcessElement(ctx context.Context, ordinal int64, _ func(*Ref) bool) error {
	_, err := f.env.Plan.Finalize(ctx, f.env.Folder)
	return mark(err)
}
