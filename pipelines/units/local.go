package units

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"

	// The runner is deprecated in favour of Prism, which speaks to itself over a port
	// that it opens to everybody, and runs what anybody sends there. This one is plain
	// function calls. go.mod pins Beam's version; should a later one lack the runner,
	// RunPlain does the same without it.
	//lint:ignore SA1019 see above
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
)

// RunLocal executes the job's graph in this process on Beam's direct runner. It works
// on as many units at once as parallelism says, within the memory budget for them. It
// opens no socket and starts no process. The output folder must hold the plan. When
// RunLocal returns nil, it also holds the manifest. If a unit fails, RunLocal returns
// the unit's own error. When the context ends, RunLocal returns its cause as soon as
// the units in flight have stopped.
//
// The runner keeps an element for every unit, of about a kilobyte, and the refs, of 15
// bytes each, in memory.
func (j *Job) RunLocal(ctx context.Context, parallelism int) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	defer LimitMemory(parallelism)()
	p := beam.NewPipeline()
	j.Graph(p.Root(), parallelism)
	edges, _, err := p.Build()
	if err != nil {
		return fmt.Errorf("build the graph of %s: %w", j.Plan.Pipeline, err)
	}
	for _, edge := range edges {
		if err := travel(edge); err != nil {
			return fmt.Errorf("build the graph of %s: %w", j.Plan.Pipeline, err)
		}
	}
	plan, err := direct.Compile(edges)
	if err != nil {
		return fmt.Errorf("build the graph of %s: %w", j.Plan.Pipeline, err)
	}
	var cause error
	bundleCtx := metrics.SetBundleID(j.meter.measured(withCause(ctx, &cause)), "local") // without it, the SDK has nowhere to count
	err = plan.Execute(bundleCtx, "", exec.DataContext{})
	downErr := plan.Down(bundleCtx) // repeats err
	switch {
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case cause != nil:
		return cause
	case err != nil:
		return fmt.Errorf("run the graph of %s: %w", j.Plan.Pipeline, err)
	}
	return downErr
}

// travel replaces the function of an edge by what a worker of a cluster would decode:
// the direct runner would hand over the function itself, with fields that do not
// travel, and types that nobody has registered.
func travel(edge *graph.MultiEdge) error {
	if edge.DoFn == nil {
		return nil
	}
	encoded, err := graphx.EncodeMultiEdge(edge)
	if err != nil {
		return err
	}
	_, fn, _, _, _, err := graphx.DecodeMultiEdge(encoded)
	if err != nil {
		return err
	}
	edge.DoFn, err = graph.AsDoFn(fn, graph.MainUnknown)
	return err
}
