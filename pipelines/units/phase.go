package units

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"sentweave/schemas/dataset"
)

// Range is the range [First, First+Count) of ordinals of a plan.
type Range struct {
	First, Count int
}

// Has says whether an ordinal is in the range.
func (r Range) Has(ordinal int) bool { return ordinal >= r.First && ordinal < r.First+r.Count }

// To returns the range from the beginning of r to the end of a later one.
func (r Range) To(last Range) Range {
	return Range{First: r.First, Count: last.First + last.Count - r.First}
}

// Phase is a task with the range of ordinals that it owns.
type Phase struct {
	// Name is in the graph.
	Name string
	Range
	task Task
	fn   func(output, plan string, window int) any
}

// NewPhase makes a phase of a task. The task's type must be registered by
// Register in an init function of its package.
func NewPhase[T Task](name string, r Range, task T) Phase {
	return Phase{Name: name, Range: r, task: task, fn: func(output, plan string, window int) any {
		return &taskFn[T]{Output: output, Plan: plan, Window: window, Task: task}
	}}
}

// Register makes a task type known to Beam. It is called from init.
func Register[T Task]() { beam.RegisterType(reflect.TypeFor[taskFn[T]]()) }

func init() {
	beam.RegisterType(reflect.TypeFor[pendingFn]())
	beam.RegisterType(reflect.TypeFor[finalizeFn]())
}

// Graph adds the job to a Beam pipeline. Window is the number of units that one worker
// process works on at once. With 0 the runner decides: each bundle that it starts
// works on one unit.
func (j *Job) Graph(s beam.Scope, window int) {
	s = s.Scope(j.Plan.Pipeline)
	var routed beam.PCollection
	for i, phase := range j.Phases {
		s := s.Scope(phase.Name)
		source := beam.ParDo(s, &pendingFn{
			Output: j.Output, Plan: j.Plan.Hash, First: phase.First, Count: phase.Count, SkipCommitted: i == len(j.Phases)-1,
		}, beam.CreateList(s, phase.chunks()))
		if i > 0 {
			source = beam.Flatten(s, source, routed)
		}
		routed = beam.ParDo(s, phase.fn(j.Output, j.Plan.Hash, window), beam.GroupByKey(s, source))
	}
	// The finalizer has its own source, so that it runs on a plan without units.
	always := beam.ParDo(s, &pendingFn{Output: j.Output, Plan: j.Plan.Hash}, beam.CreateList(s, []int64{sentinel}))
	beam.ParDo0(s, &finalizeFn{Output: j.Output, Plan: j.Plan.Hash, Errors: j.Errors}, beam.GroupByKey(s, beam.Flatten(s, routed, always)))
}

// sentinel is a chunk that stands for none: Beam has no empty list.
const sentinel = int64(-1)

// chunks lists the plan files that hold the units of the range.
func (r Range) chunks() []int64 {
	list := []int64{sentinel}
	if r.Count > 0 {
		for c := dataset.ChunkOf(r.First); c <= dataset.ChunkOf(r.First+r.Count-1); c++ {
			list = append(list, int64(c))
		}
	}
	return list
}
