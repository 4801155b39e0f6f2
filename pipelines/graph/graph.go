// Package graph builds the jobs of pipelines from ranges of units and the phases that
// they go through.
//
//	Units ─ Spill(key) ─→ Spill(key) ─→ … ─→ Write
//
// In a phase that spills, units hand keyed records to the units of the next phase,
// which merge them. The last phase writes the rows. The builder numbers the units, so
// no pipeline computes ordinals. It also begins, commits and aborts units, so a task
// holds only its own work.
package graph

import (
	"context"
	"fmt"
	"iter"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/exchange/spill"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/read/layout"
)

// Builder builds a job. Units are numbered in the order in which they are added, which is
// that of the rows; phases run in the order in which they are added.
type Builder struct {
	settings units.Settings
	// unitBytes is the size of a unit of the first input for which it was asked.
	unitBytes int64
	units     []dataset.Unit
	rows      int64 // of the datasets that are packed
	inputs    []dataset.Input
	phases    []units.Phase
	// spilled is the exchange of the last phase that was added.
	spilled exchange.Exchange
}

// New returns a builder without units. The settings must be valid.
func New(settings units.Settings) *Builder { return &Builder{settings: settings} }

// Pack cuts the rows of a dataset into units of about the bytes of a shard. Where nobody
// chose these, it also cuts within row groups.
func (b *Builder) Pack(m *dataset.Manifest) []dataset.Unit { return b.PackTimes(m, 1) }

// PackTimes is Pack for a pipeline that writes the rows so many times, each time into other
// units: there are no more units in all.
func (b *Builder) PackTimes(m *dataset.Manifest, times int) []dataset.Unit {
	b.rows += m.Rows
	size := b.UnitBytes(m.Bytes*int64(times), dataset.LeastOfRows)
	if b.settings.ShardBytes > 0 {
		return dataset.Pack(m.Pieces(size), size)
	}
	return dataset.Pack(m.FinePieces(size), size)
}

// PackShards packs the shards of a dataset whole, for pipelines that join neighbouring rows.
func (b *Builder) PackShards(m *dataset.Manifest) []dataset.Unit {
	b.rows += m.Rows
	return dataset.Pack(m.WholeShards(), b.UnitBytes(m.Bytes, dataset.LeastOfRows))
}

// EachShard makes a unit of each shard of a dataset, whatever its size, for pipelines that keep shards.
func (b *Builder) EachShard(m *dataset.Manifest) []dataset.Unit {
	b.rows += m.Rows
	return dataset.Pack(m.WholeShards(), 1)
}

// PackPages adds an input in its role and packs its rows. Where its files have a layout, which is returned, shards stay whole, since
// the versions of a page are in one.
func (b *Builder) PackPages(role string, d *units.Dataset) (list []dataset.Unit, files string, err error) {
	m := d.Manifest()
	l, err := layout.FromManifest(m)
	if err != nil {
		return nil, "", fmt.Errorf("%s %s: %w", role, d.Location, err)
	}
	b.Input(m.Input(role))
	if l.IsZero() {
		return b.Pack(m), "", nil
	}
	return b.PackShards(m), l.String(), nil
}

// UnitBytes returns the bytes that make one unit of an input, see units.Settings. Those of
// the first input for which it is called are in the plan.
func (b *Builder) UnitBytes(total, minimum int64) int64 {
	size := b.settings.UnitBytes(total, minimum)
	if b.unitBytes == 0 {
		b.unitBytes = size
	}
	return size
}

// Units adds units that read the spans of those given, and returns their range.
func (b *Builder) Units(list []dataset.Unit) units.Range {
	r := units.Range{First: len(b.units), Count: len(list)}
	for i, u := range list {
		u.Ordinal = r.First + i
		b.units = append(b.units, u)
	}
	return r
}

// Buckets adds n units that read nothing but what is spilled for them.
func (b *Builder) Buckets(n int) units.Range { return b.Units(make([]dataset.Unit, n)) }

// maxBuckets bounds the units that merge: each sees every spill file.
const maxBuckets = 64

// Bucketing returns the number of buckets for so many spilling units: one for each few of
// them, at most 64.
func Bucketing(spilling, perBucket int) int { return min(maxBuckets, (spilling+perBucket-1)/perBucket) }

// Input adds inputs, which the plan records in their order.
func (b *Builder) Input(inputs ...dataset.Input) { b.inputs = append(b.inputs, inputs...) }

// Phase adds a phase whose task begins and commits its units itself.
func (b *Builder) Phase(p units.Phase) { b.phases = append(b.phases, p) }

// Job makes the job. Of the draft it sets the units, the inputs and what settings say.
func (b *Builder) Job(output string, draft dataset.Draft) (*units.Job, error) {
	if b.unitBytes == 0 { // it cuts by something else
		b.unitBytes = b.settings.UnitBytes(0, dataset.MostOfUnit)
	}
	draft.Seed, draft.ShardBytes, draft.Units, draft.Inputs = b.settings.Seed, b.unitBytes, b.units, b.inputs
	plan, err := draft.Plan()
	if err != nil {
		return nil, err
	}
	return &units.Job{Output: output, Plan: plan, Units: b.units, Phases: b.phases, Items: "rows", Rows: b.rows}, nil
}

// Unit is a unit at work.
type Unit struct {
	dataset.Unit
	// Plan is that of the output.
	Plan *dataset.Plan

	env  units.Env
	from exchange.Exchange
	refs []units.Ref
}

// Merge yields what the phase before has spilled for the unit, see exchange.Merge.
func (u Unit) Merge(ctx context.Context, combine exchange.Combine) iter.Seq2[spill.Record, error] {
	return u.from.Merge(ctx, u.env, u.Ordinal, u.refs, combine)
}

// Task is what the tasks of phases have in common. Their exported fields travel to
// workers; after Setup they are used by many goroutines at once.
type Task interface {
	// Setup opens what all units need.
	Setup(ctx context.Context) error
	// Chains are those of the funnel of a unit. It is called after Setup.
	Chains() []dataset.Chain
}

// Nothing is embedded by tasks that set nothing up, count nothing or combine nothing.
type Nothing struct{}

// Setup implements Task.
func (Nothing) Setup(context.Context) error { return nil }

// Chains implements Task.
func (Nothing) Chains() []dataset.Chain { return nil }

// Combine implements Spiller.
func (Nothing) Combine() exchange.Combine { return nil }

// Spiller is the work of a phase that spills.
type Spiller interface {
	Task
	// Combine merges the values of equal keys where they meet; nil keeps them apart.
	Combine() exchange.Combine
	// Spill hands the records of a unit to output.
	Spill(ctx context.Context, unit Unit, output *exchange.Output) error
}

// Writer is the work of the phase that writes rows of type R.
type Writer[R schemas.Row] interface {
	Task
	// Write writes the rows of a unit, and counts what it drops.
	Write(ctx context.Context, unit Unit, attempt *dataset.Attempt[R]) error
}

// Spill adds a phase that spills for the units of the next one.
func Spill[T Spiller](b *Builder, name string, r units.Range, task T, target exchange.Exchange) {
	b.phases = append(b.phases, units.NewPhase(name, r, &spillTask[T]{Task: task, From: b.spilled, To: target}))
	b.spilled = target
}

// Write adds the phase that writes.
func Write[R schemas.Row, T Writer[R]](b *Builder, name string, r units.Range, task T) {
	b.phases = append(b.phases, units.NewPhase(name, r, &writeTask[R, T]{Task: task, From: b.spilled}))
}

// RegisterSpiller makes a task known to Beam. It is called from init.
func RegisterSpiller[T Spiller]() { units.Register[*spillTask[T]]() }

// RegisterWriter makes a task known to Beam. It is called from init.
func RegisterWriter[R schemas.Row, T Writer[R]]() { units.Register[*writeTask[R, T]]() }

// spillTask implements units.Router by a Spiller.
type spillTask[T Spiller] struct {
	Task     T
	From, To exchange.Exchange
}

// Setup implements units.Task.
func (t *spillTask[T]) Setup(ctx context.Context) error { return t.Task.Setup(ctx) }

// Do implements units.Task.
func (t *spillTask[T]) Do(ctx context.Context, env units.Env, unit dataset.Unit, refs []units.Ref) error {
	output, err := t.To.Begin(ctx, env, unit.Ordinal, t.Task.Combine(), t.Task.Chains()...)
	if err != nil {
		return err
	}
	defer output.Abort()
	if err := t.Task.Spill(ctx, Unit{unit, env.Plan, env, t.From, refs}, output); err != nil {
		return err
	}
	return output.Commit(ctx)
}

// Routes implements units.Router.
func (t *spillTask[T]) Routes(ctx context.Context, env units.Env, unit int) ([]units.Route, error) {
	return t.To.Routes(ctx, env, unit)
}

// writeTask implements units.Task by a Writer.
type writeTask[R schemas.Row, T Writer[R]] struct {
	Task T
	From exchange.Exchange
}

// Setup implements units.Task.
func (t *writeTask[R, T]) Setup(ctx context.Context) error { return t.Task.Setup(ctx) }

// Do implements units.Task.
func (t *writeTask[R, T]) Do(ctx context.Context, env units.Env, unit dataset.Unit, refs []units.Ref) error {
	attempt, err := dataset.Begin[R](env.Folder, env.Plan, unit.Ordinal, t.Task.Chains()...)
	if err != nil {
		return err
	}
	defer attempt.Abort()
	if err := t.Task.Write(ctx, Unit{unit, env.Plan, env, t.From, refs}, attempt); err != nil {
		return err
	}
	return attempt.Commit(ctx)
}
