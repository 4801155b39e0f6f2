// Package exchange is the external shuffle of the pipelines. The units of one phase
// spill keyed records into files, and the units of the next phase merge the sections
// that belong to them. Package spill defines the files; this package connects them
// with the plan, the receipts and the routes. Rows never cross a GroupByKey.
package exchange

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"

	"sentweave/pipelines/exchange/spill"
	"sentweave/pipelines/units"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// memory is the budget of one writer or merge. A process holds one or two for
// each unit in flight.
const memory = 48 << 20

// Exchange is one shuffle between two phases of a job. It travels to workers.
type Exchange struct {
	// Purpose tells the exchanges of a job apart.
	Purpose string
	// First is the ordinal of the unit that reads bucket 0.
	First int
	// Buckets is the number of reading units.
	Buckets int
	// ByUnit says that keys begin with the number of their bucket, as UnitKey makes
	// them; otherwise buckets are ranges of the hash of the key.
	ByUnit bool
}

// ByHash returns the exchange that spreads keys over the units of a range by their hash.
func ByHash(purpose string, r units.Range) Exchange {
	return Exchange{Purpose: purpose, First: r.First, Buckets: max(1, r.Count)}
}

// ToUnits returns the exchange whose keys name the unit of a range, see UnitKey.
func ToUnits(purpose string, r units.Range) Exchange {
	x := ByHash(purpose, r)
	x.ByUnit = true
	return x
}

// Combine merges the values of equal keys, see spill.Options.
type Combine = func(dst, value []byte) []byte

// Sum is the Combine of counts: values are 8 bytes, little endian.
func Sum(dst, value []byte) []byte { return AppendCount(dst[:0], Count(dst)+Count(value)) }

func (x Exchange) layout(plan *dataset.Plan) spill.Layout {
	l := spill.Layout{Order: spill.ByHash, Buckets: x.Buckets, Fingerprint: plan.Hash + " " + x.Purpose}
	if x.ByUnit {
		l.Order = spill.ByKey
		l.Splits = make([][]byte, 0, x.Buckets-1)
		for bucket := 1; bucket < x.Buckets; bucket++ {
			l.Splits = append(l.Splits, UnitKey(nil, bucket))
		}
	}
	return l
}

func options(combine Combine) spill.Options {
	return spill.Options{Memory: memory, Temporary: spill.TemporaryFiles(os.TempDir()), Combine: combine}
}

// Output is the spill of one unit.
type Output struct {
	*spill.Writer
	attempt *dataset.SpillAttempt
}

// Begin starts the spill of a unit, whose funnel has the given chains.
func (x Exchange) Begin(ctx context.Context, env units.Env, unit int, combine Combine, chains ...dataset.Chain) (*Output, error) {
	attempt, err := dataset.BeginSpill(ctx, env.Folder, env.Plan, unit, chains...)
	if err != nil {
		return nil, err
	}
	w, err := spill.NewWriter(attempt, x.layout(env.Plan), options(combine))
	if err != nil {
		attempt.Abort()
		return nil, err
	}
	return &Output{w, attempt}, nil
}

// Funnel returns the counts of the unit, for the caller to fill.
func (o *Output) Funnel() *dataset.Funnel { return o.attempt.Funnel() }

// Rejects returns the sample of dropped records, for the caller to fill.
func (o *Output) Rejects() *dataset.Rejects { return o.attempt.Rejects() }

// Commit writes what is left, and the receipt.
func (o *Output) Commit(ctx context.Context) error {
	if _, err := o.Writer.Close(); err != nil {
		return err
	}
	return o.attempt.Commit(ctx)
}

// Abort drops what was written. After Commit it does nothing.
func (o *Output) Abort() {
	o.Writer.Abort()
	o.attempt.Abort()
}

// Routes reads, off the spill file of a committed unit, which later unit finds
// records in it.
func (x Exchange) Routes(ctx context.Context, env units.Env, unit int) ([]units.Route, error) {
	name := dataset.SpillName(unit)
	object, err := env.Folder.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	reader, err := spill.NewReader(object, object.Size(), x.layout(env.Plan))
	if err != nil {
		return nil, wayOut(fmt.Errorf("%s in %s: %w", name, env.Folder, err))
	}
	var routes []units.Route
	for _, r := range reader.Refs() {
		routes = append(routes, units.Route{
			To:  int64(x.First + r.Bucket),
			Ref: units.Ref{Unit: int64(unit), Offset: r.Offset, Length: r.Length, Records: r.Records, Block: r.Block},
		})
	}
	return routes, nil
}

// Spilled yields all records that a unit of a complete dataset has spilled, as Merge does those for one unit. The file is compared with
// the receipt before the first record, see dataset.Plan.CheckSpill.
func (x Exchange) Spilled(ctx context.Context, env units.Env, unit int) iter.Seq2[spill.Record, error] {
	return func(yield func(spill.Record, error) bool) {
		err := env.Plan.CheckSpill(ctx, env.Folder, unit)
		var routes []units.Route
		if err == nil {
			routes, err = x.Routes(ctx, env, unit)
		}
		if errors.Is(err, dataset.ErrKept) {
			yield(spill.Record{}, fmt.Errorf("%w; delete that file and run the same command again: it reads the rows of that unit instead", err))
			return
		}
		if err != nil {
			yield(spill.Record{}, wayOut(err))
			return
		}
		for _, route := range routes {
			for record, err := range x.Merge(ctx, env, int(route.To), []units.Ref{route.Ref}, nil) {
				if !yield(record, err) || err != nil {
					return
				}
			}
		}
	}
}

// Merge yields the records that were spilled for a unit, in the order of the
// exchange. A record's slices are valid until the next one is asked for.
func (x Exchange) Merge(ctx context.Context, env units.Env, unit int, refs []units.Ref, combine Combine) iter.Seq2[spill.Record, error] {
	return func(yield func(spill.Record, error) bool) {
		layout := x.layout(env.Plan)
		sections := make([]spill.Section, len(refs))
		gauge := units.GaugeOf(ctx)
		for i, r := range refs {
			file := &spilled{ctx: ctx, folder: env.Folder, name: dataset.SpillName(int(r.Unit)), gauge: gauge}
			var err error
			sections[i], err = spill.OpenSection(file, layout, spill.Ref{
				Bucket: unit - x.First, Offset: r.Offset, Length: r.Length, Records: r.Records, Block: r.Block,
			})
			if err != nil {
				yield(spill.Record{}, wayOut(fmt.Errorf("%s: %w", file, err)))
				return
			}
		}
		for record, err := range spill.Merge(sections, options(combine)) {
			if err == nil {
				err = ctx.Err()
			}
			if !yield(record, wayOut(err)) || err != nil {
				return
			}
		}
	}
}

// wayOut adds what to do about a damaged file.
func wayOut(err error) error {
	if errors.Is(err, spill.ErrDamaged) || errors.Is(err, dataset.ErrCorrupt) {
		err = fmt.Errorf("%w; delete that file and run the same command again, it does that unit again", err)
	}
	return err
}

// spilled opens its file for every read: a merge may read thousands of files.
type spilled struct {
	ctx    context.Context
	folder storage.Folder
	name   string
	gauge  *units.Gauge
}

func (s *spilled) ReadAt(p []byte, offset int64) (int, error) {
	object, err := s.folder.Open(s.ctx, s.name)
	if err != nil {
		return 0, err
	}
	defer object.Close()
	s.gauge.Merged(len(p))
	return object.ReadAt(p, offset)
}

// String names the file in errors.
func (s *spilled) String() string { return fmt.Sprintf("%s in %s", s.name, s.folder) }
