package bitext

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/exchange/spill"
	"sentweave/pipelines/graph"
)

// keysTask spills what decides about a unit's pairs beyond the unit. The key of a pair, of
// keyBytes, has the pair's place as its value: the writing unit and its row there, big
// endian, so that the first one sorts first. The key of a text, which is one byte longer,
// has the group of a text of the pivot that it translates, or the place of a pair that
// waits for one.
type keysTask struct {
	Work Work
	// First is the ordinal of the first spilling unit.
	First int
	graph.Nothing
}

// Setup implements graph.Task.
func (t *keysTask) Setup(context.Context) error { return t.Work.setup() }

// Values of a text's key begin with one of these, so that groups sort before places.
const (
	isGroup = 0
	isPlace = 1
)

// Spill implements graph.Spiller.
func (t *keysTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	var k keyer
	row := uint32(0)
	var key, value []byte
	add := func(language string, text []byte, kind byte, what uint64) error {
		hash := k.text(language, text)
		key = append(append(key[:0], hash[:]...), 't')
		value = binary.BigEndian.AppendUint64(append(value[:0], kind), what)
		return output.Add(key, value)
	}
	return t.Work.each(ctx, unit, func(record item) error {
		if record.Reason != "" {
			return nil
		}
		pivot := t.Work.pivotOf(record)
		for _, p := range record.pairs {
			if !t.Work.counts(record, p, pivot, k.groupOf(record, p, pivot)) {
				continue
			}
			place := uint64(unit.Ordinal-t.First)<<32 | uint64(row)
			row++
			a, b := record.Texts[p[0]], record.Texts[p[1]]
			if !t.Work.Config.Repeated {
				hash := k.key(t.Work.Config.Kind, record.languages[p[0]], record.languages[p[1]], a, b)
				value = binary.BigEndian.AppendUint64(value[:0], place)
				if err := output.Add(hash[:], value); err != nil {
					return err
				}
			}
			if t.Work.waits(record, p, pivot) {
				if err := errors.Join(add(record.languages[p[0]], a, isPlace, place),
					add(record.languages[p[1]], b, isPlace, place)); err != nil {
					return err
				}
			}
		}
		if pivot < 0 {
			return nil
		}
		for i, code := range record.languages {
			if i != pivot && len(record.Texts[i]) > 0 && slices.Contains(t.Work.Joined, code) {
				if err := add(code, record.Texts[i], isGroup, k.group(record.languages[pivot], record.Texts[pivot])); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// keyBytes is the length of a pair's key.
const keyBytes = 16

// notesTask tells the writing units what keysTask asked for: of each key in a bucket, all
// places but the first are repetitions; of each text, all places learn its group. Of
// several groups, which a text has that translates several texts, they learn the least.
type notesTask struct{ graph.Nothing }

// Spill implements graph.Spiller.
func (t *notesTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	var last, key, group []byte
	tell := func(place, note []byte) error {
		key = exchange.UnitKey(key[:0], int(binary.BigEndian.Uint32(place)))
		return output.Add(append(key, place[4:]...), note)
	}
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return err
		}
		fresh := last == nil || !bytes.Equal(last, record.Key)
		if fresh {
			last, group = append(last[:0], record.Key...), group[:0]
		}
		switch v := record.Value; {
		case len(record.Key) == keyBytes && len(v) == 8:
			if !fresh {
				err = tell(v, nil)
			}
		case len(record.Key) != keyBytes+1 || len(v) != 9:
			err = fmt.Errorf("a value of %d bytes", len(v))
		case v[0] == isGroup && len(group) == 0:
			group = append(group, v[1:]...)
		case v[0] == isPlace && len(group) > 0:
			err = tell(v[1:], group)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// notes walks what the exchange tells of a unit's pairs beside them.
type notes struct {
	next func() (spill.Record, error, bool)
	row  int64 // of the next note; -1 if none is left
	note []byte
}

func newNotes(ctx context.Context, unit graph.Unit) (*notes, func()) {
	next, stop := iter.Pull2(unit.Merge(ctx, nil))
	return &notes{next: next, row: notYet}, stop
}

const notYet = -2

func (n *notes) advance() error {
	record, err, ok := n.next()
	switch {
	case err != nil:
		return err
	case !ok:
		n.row = -1
	case len(record.Key) != 8 || len(record.Value) != 0 && len(record.Value) != 8:
		return fmt.Errorf("a note with a key of %d bytes and %d of value", len(record.Key), len(record.Value))
	default:
		n.row, n.note = int64(binary.BigEndian.Uint32(record.Key[4:])), append(n.note[:0], record.Value...)
	}
	return nil
}

// take says whether the pair of a row is a duplicate, and returns the least of the groups of
// its texts, which is nil if neither has one. Rows are asked for in order.
func (n *notes) take(row uint32) (duplicate bool, group *uint64, err error) {
	if n.row == notYet {
		if err := n.advance(); err != nil {
			return false, nil, err
		}
	}
	for n.row == int64(row) {
		if len(n.note) == 0 {
			duplicate = true
		} else if g := binary.BigEndian.Uint64(n.note); group == nil || g < *group {
			group = &g
		}
		if err := n.advance(); err != nil {
			return false, nil, err
		}
	}
	return duplicate, group, nil
}

// finished is an error if a note found no row.
func (n *notes) finished() error {
	if n.row == notYet {
		if err := n.advance(); err != nil {
			return err
		}
	}
	if n.row >= 0 {
		return fmt.Errorf("the exchange names row %d, but the unit has fewer rows: %w", n.row, errChanged)
	}
	return nil
}
