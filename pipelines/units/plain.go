package units

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"

	"sentweave/schemas/dataset"
)

// RunPlain executes the job by goroutines of this process, without Beam. Tasks,
// receipts and bytes are the same. Tests use it to stop at chosen moments, and
// benchmarks to measure the cost of the runner. It can replace RunLocal. The env's
// folder may be another view of the job's output.
func (j *Job) RunPlain(ctx context.Context, env Env, parallelism int) (*dataset.Manifest, error) {
	waiting := map[int64][]Ref{}
	for _, phase := range j.Phases {
		if err := phase.task.Setup(ctx); err != nil {
			return nil, err
		}
		arrived := waiting
		waiting = map[int64][]Ref{}
		var mu sync.Mutex
		group, groupCtx := errgroup.WithContext(ctx)
		group.SetLimit(parallelism)
		for _, unit := range j.Units[phase.First : phase.First+phase.Count] {
			if groupCtx.Err() != nil {
				break
			}
			group.Go(func() error {
				routes, err := perform(groupCtx, env, phase.task, unit, arrived[int64(unit.Ordinal)])
				mu.Lock()
				defer mu.Unlock()
				for _, r := range routes {
					waiting[r.To] = append(waiting[r.To], r.Ref)
				}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil { // with units that were never begun
			return nil, context.Cause(ctx)
		}
	}
	return env.Plan.Finalize(ctx, env.Folder)
}
