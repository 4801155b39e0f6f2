package units

import (
	"context"
	"sync"
	"sync/atomic"

	"sentweave/schemas/dataset"
)

// Gauge tells how far the work on a unit is, for a launcher in the same process. A task
// finds it by GaugeOf. Where nobody looks, as in a worker of a cluster, it is nil, which
// may be used like any other.
type Gauge struct {
	whole, done, asked, answered, items atomic.Int64
	// merges says that the unit reads nothing but what is spilled for it.
	merges bool
	meter  *meter
}

// reads is a part of a dataset that units read.
type reads struct {
	location string
	span     dataset.Span
}

// first says whether this process reads a part of a dataset for the first time: several
// phases of a job may read it, and its rows are items once.
func (g *Gauge) first(location string, span dataset.Span) bool {
	if g == nil {
		return false
	}
	g.meter.mutex.Lock()
	defer g.meter.mutex.Unlock()
	part := reads{location, span}
	if g.meter.read[part] {
		return false
	}
	if g.meter.read == nil {
		g.meter.read = map[reads]bool{}
	}
	g.meter.read[part] = true
	return true
}

// Expect sets what the work on the unit is in all: in bytes, rows or what the task likes.
func (g *Gauge) Expect(total int64) {
	if g != nil {
		g.whole.Store(total)
	}
}

// Add adds to what is done of the whole.
func (g *Gauge) Add(n int64) {
	if g != nil {
		g.done.Add(n)
	}
}

// Merged tells that so many bytes were read of what is spilled for the unit. They count
// where it reads nothing else.
func (g *Gauge) Merged(n int) {
	if g != nil && g.merges {
		g.done.Add(int64(n))
	}
}

// Set sets what is done of the whole.
func (g *Gauge) Set(n int64) {
	if g != nil {
		g.done.Store(n)
	}
}

// Item counts a row, a page or the like, for the user to see that work goes on.
func (g *Gauge) Item() {
	if g != nil {
		g.items.Add(1)
	}
}

// Ask and Answer count what is asked of others and what they have answered. Where the
// reading runs ahead of the answers, these decide what is done.
func (g *Gauge) Ask(n int) {
	if g != nil {
		g.asked.Add(int64(n))
	}
}

// Answer is the other side of Ask.
func (g *Gauge) Answer(n int) {
	if g != nil {
		g.answered.Add(int64(n))
	}
}

// share is the part of the unit that is done.
func (g *Gauge) share() float64 {
	total := g.whole.Load()
	if total <= 0 { // nobody knows
		return 0
	}
	share := min(1, float64(g.done.Load())/float64(total))
	if requests := g.asked.Load(); requests > 0 {
		share *= min(1, float64(g.answered.Load())/float64(requests))
	}
	return share
}

type gaugeKey struct{}

// GaugeOf returns the gauge of the unit that is done in a context. It is looked up once
// for a unit and not for a row.
func GaugeOf(ctx context.Context) *Gauge {
	g, _ := ctx.Value(gaugeKey{}).(*Gauge)
	return g
}

// meter has the gauges of the units of a job that are under way in this process.
type meter struct {
	mutex sync.Mutex
	open  map[*Gauge]int // with the ordinals of their units
	items int64          // of the units that are done
	read  map[reads]bool
}

type meterKey struct{}

// measured returns a context in which units have gauges.
func (m *meter) measured(ctx context.Context) context.Context {
	return context.WithValue(ctx, meterKey{}, m)
}

// gauged returns a context with a gauge for a unit, if somebody looks, and a function that
// ends it.
func gauged(ctx context.Context, unit dataset.Unit, refs []Ref) (context.Context, func()) {
	m, ok := ctx.Value(meterKey{}).(*meter)
	if !ok {
		return ctx, func() {}
	}
	g := &Gauge{merges: len(unit.Spans) == 0, meter: m}
	if g.merges {
		spilled := int64(0)
		for _, r := range refs {
			spilled += r.Length
		}
		g.Expect(spilled)
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.open == nil {
		m.open = map[*Gauge]int{}
	}
	m.open[g] = unit.Ordinal
	return context.WithValue(ctx, gaugeKey{}, g), func() {
		m.mutex.Lock()
		defer m.mutex.Unlock()
		delete(m.open, g)
		m.items += g.items.Load()
	}
}

// Within returns how much is done of the units of a range that are under way in this
// process, in units, and how many rows or pages this process has read in all.
func (j *Job) Within(r Range) (share float64, items int64) {
	m := &j.meter
	m.mutex.Lock()
	defer m.mutex.Unlock()
	items = m.items
	for g, ordinal := range m.open {
		items += g.items.Load()
		if r.Has(ordinal) {
			share += g.share()
		}
	}
	return share, items
}
