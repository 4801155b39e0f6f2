package bitext

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"iter"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/exchange/spill"
	"sentweave/pipelines/graph"
)

// keysTask spills the keys of a unit's pairs. The value is where the pair stands: the
// writing unit and its row there, big endian, so that the first one sorts first.
type keysTask struct {
	Work Work
	// First is the ordinal of the first spilling unit.
	First int
	graph.Nothing
}

// Setup implements graph.Task.
func (t *keysTask) Setup(context.Context) error { return t.Work.setup() }

// Spill implements graph.Spiller.
func (t *keysTask) Spill(ctx context.Context, unit graph.Unit, out *exchange.Output) error {
	var k keyer
	row := uint32(0)
	var place [8]byte
	binary.BigEndian.PutUint32(place[:], uint32(unit.Ordinal-t.First))
	return t.Work.each(ctx, unit, func(it item) error {
		if it.Reason != "" {
			return nil
		}
		for _, p := range it.pairs {
			a, b := it.Texts[p[0]], it.Texts[p[1]]
			if !t.Work.takesPart(k.groupOf(it, p, t.Work.Config.Pivot)) {
				continue
			}
			if len(a) == 0 || len(b) == 0 {
				continue
			}
			key := k.key(t.Work.Config.Kind, it.languages[p[0]], it.languages[p[1]], a, b)
			binary.BigEndian.PutUint32(place[4:], row)
			if err := out.Add(key[:], place[:]); err != nil {
				return err
			}
			row++
		}
		return nil
	})
}

// losersTask finds, of each key in a bucket, all places but the first.
type losersTask struct{ graph.Nothing }

// Spill implements graph.Spiller.
func (t *losersTask) Spill(ctx context.Context, unit graph.Unit, out *exchange.Output) error {
	var last, key []byte
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return err
		}
		if len(record.Value) != 8 {
			return fmt.Errorf("a place of %d bytes", len(record.Value))
		}
		if last == nil || !bytes.Equal(last, record.Key) {
			last = append(last[:0], record.Key...)
			continue
		}
		key = exchange.UnitKey(key[:0], int(binary.BigEndian.Uint32(record.Value)))
		if err := out.Add(append(key, record.Value[4:]...), nil); err != nil {
			return err
		}
	}
	return nil
}

// losers walks the duplicates of a unit beside its pairs.
type losers struct {
	next func() (spill.Record, error, bool)
	row  int64 // of the next duplicate; -1 if none is left
}

func newLosers(ctx context.Context, unit graph.Unit) (*losers, func()) {
	next, stop := iter.Pull2(unit.Merge(ctx, nil))
	return &losers{next: next, row: notYet}, stop
}

const notYet = -2

func (l *losers) advance() error {
	record, err, ok := l.next()
	switch {
	case err != nil:
		return err
	case !ok:
		l.row = -1
	case len(record.Key) != 8:
		return fmt.Errorf("a duplicate's key of %d bytes", len(record.Key))
	default:
		l.row = int64(binary.BigEndian.Uint32(record.Key[4:]))
	}
	return nil
}

// take says whether a row is a duplicate. Rows are asked for in order.
func (l *losers) take(row uint32) (bool, error) {
	if l.row == notYet {
		if err := l.advance(); err != nil {
			return false, err
		}
	}
	if l.row != int64(row) {
		return false, nil
	}
	return true, l.advance()
}

// finished is an error if a duplicate found no row.
func (l *losers) finished() error {
	if l.row == notYet {
		if err := l.advance(); err != nil {
			return err
		}
	}
	if l.row >= 0 {
		return fmt.Errorf("the exchange names row %d as a duplicate, and the unit has fewer: %w", l.row, errChanged)
	}
	return nil
}
