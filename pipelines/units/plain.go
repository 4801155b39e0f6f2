package units

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime"

	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
)

// RunPlain does what RunLocal does without a runner of Beam: the tasks travel, the units are
// worked on at once within the same bounds, the refs are held in the same form, and errors,
// interrupts and bytes are equal. RunPlain takes the place of RunLocal when a version of
// Beam without its direct runner is pinned.
func (j *Job) RunPlain(ctx context.Context, parallelism int) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	env, err := openEnv(ctx, j.Output, j.Plan.Hash)
	if err != nil {
		return err
	}
	phases := make([]Phase, len(j.Phases))
	for i, phase := range j.Phases {
		if phases[i], err = phase.travelled(); err != nil {
			return fmt.Errorf("build the graph of %s: %w", j.Plan.Pipeline, err)
		}
	}
	_, err = j.runIn(ctx, env, phases, parallelism)
	return err
}

// RunIn executes the job with its own tasks, which do not travel, and sees the output through
// the env, whose folder may be another view of the job's output. Tests stop jobs at chosen
// moments by it, and benchmarks measure what a runner costs.
func (j *Job) RunIn(ctx context.Context, env Env, parallelism int) (*dataset.Manifest, error) {
	return j.runIn(ctx, env, j.Phases, parallelism)
}

func (j *Job) runIn(ctx context.Context, env Env, phases []Phase, parallelism int) (*dataset.Manifest, error) {
	defer LimitMemory(parallelism)()
	ctx = j.meter.measured(ctx)
	work := plainWork{units: j.Units, env: env, parallelism: parallelism}
	var routed parcels
	for i, phase := range phases {
		var err error
		if routed, err = work.phase(ctx, phase, i == len(phases)-1, routed); err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			return nil, err
		}
	}
	return env.Plan.FinalizeWithin(ctx, env.Folder, j.Errors)
}

// plainWork performs the units of a job in this process.
type plainWork struct {
	units       []dataset.Unit
	env         Env
	parallelism int
}

// phase performs the units of a phase with the refs that earlier phases routed to them, and
// returns what the units route themselves. The last phase passes over the units that are
// committed.
func (w plainWork) phase(ctx context.Context, phase Phase, last bool, routed parcels) (parcels, error) {
	if err := phase.task.Setup(ctx); err != nil {
		return nil, err
	}
	var committed []bool
	if last {
		var err error
		if committed, err = w.env.Plan.CommittedOf(ctx, w.env.Folder, phase.First, phase.Count); err != nil {
			return nil, err
		}
	}
	bundle, gate := newBundle(ctx), gateOf(w.parallelism)
	for i, unit := range w.units[phase.First : phase.First+phase.Count] {
		if last && committed[i] {
			continue
		}
		refs, err := routed.take(int64(unit.Ordinal))
		if err != nil {
			bundle.fail(err)
			break
		}
		if err := bundle.start(gate, func(ctx context.Context) ([]Route, error) {
			return perform(ctx, w.env, phase.task, unit, refs)
		}); err != nil {
			return nil, err
		}
	}
	return bundle.wait()
}

// travelled returns the phase with the task that a worker of a cluster would decode, so that what
// does not travel is absent here, too, and an unregistered type is an error.
func (p Phase) travelled() (Phase, error) {
	fn := p.fn("", "", 0)
	typ := reflect.TypeOf(fn).Elem()
	key, ok := runtime.TypeKey(typ)
	if ok {
		_, ok = runtime.LookupType(key)
	}
	if !ok {
		return p, fmt.Errorf("the task of phase %s is not registered", p.Name)
	}
	encoded, err := json.Marshal(fn)
	if err != nil {
		return p, fmt.Errorf("encode the task of phase %s: %w", p.Name, err)
	}
	decoded := reflect.New(typ).Interface()
	if err := jsonfile.Unmarshal(encoded, decoded); err != nil {
		return p, fmt.Errorf("decode the task of phase %s: %w", p.Name, err)
	}
	p.task = decoded.(interface{ task() Task }).task()
	return p, nil
}
