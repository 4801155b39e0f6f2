package mine

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"

	"github.com/zeebo/xxh3"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/knn"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/transforms/measure/mining"
)

// What is equal in two rows.
const (
	equalID   = 0
	equalText = 1
)

var repeatedReasons = [2]string{equalID: reasonRepeatedID, equalText: reasonRepeated}

// Parts of what is spilled for distinctTask, in their order: documents with their rows, then what is equal.
const (
	partDocuments = iota
	partEqual
)

// signTask spills the hashes of the ids and texts of a unit's rows, or the keys of a unit's documents.
type signTask struct {
	Work
	Restriction
	units.Range
}

// Setup implements graph.Task.
func (t *signTask) Setup(ctx context.Context) error {
	if err := t.Work.Setup(ctx); err != nil {
		return err
	}
	return graph.Reopen[schemas.Document](ctx, t.Documents)
}

// Spill implements graph.Spiller.
func (t *signTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	if _, n := t.Documents.Of(unit.Ordinal); n >= 0 {
		return t.signDocuments(ctx, unit, output)
	}
	side, row := t.of(unit.Ordinal - t.First)
	var key, value []byte
	return units.DatasetRows(ctx, t.Sides[side].Rows, unit.Unit, func(e schemas.Embedding) error {
		number := row
		row++
		if t.reasonFor(side, &e) != "" {
			return nil
		}
		for what, text := range [2]string{equalID: e.ID, equalText: e.Text} {
			sum := xxh3.HashString128(text).Bytes()
			key = append(append(exchange.UnitKey(key[:0], 0), byte(side), partEqual+byte(what)), sum[:]...)
			value = binary.BigEndian.AppendUint32(value[:0], number)
			if t.Gold != nil && what == equalText {
				value = binary.BigEndian.AppendUint64(value, xxh3.HashString(text))
			}
			if err := output.Add(key, value); err != nil {
				return err
			}
		}
		if t.Key == "" || e.Document() == "" {
			return nil
		}
		return output.Add(append(documentKey(key[:0], side, e.Document()), 1), value[:4])
	})
}

// distinctTask tells the units that search which rows are repeated: all of the other side, also those that cannot be
// taken, and their own ones with the reason. Where candidates are restricted it tells their keys, too, and texts are repeated within a key.
// It holds three bits for each row, and its key. True pairs none of which can be found are an error here,
// before the search.
type distinctTask struct {
	Work
	Restricted bool
}

// Spill implements graph.Spiller.
func (t *distinctTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	var repeated [2][2]mining.Bits
	var signed [2]mining.Bits // rows that can be taken
	var keys keys
	for side, s := range t.Sides {
		repeated[side] = [2]mining.Bits{mining.NewBits(s.Len()), mining.NewBits(s.Len())}
		signed[side] = mining.NewBits(s.Len())
		if t.Restricted {
			keys.rows[side] = make([]uint64, s.Len())
		}
	}
	gold, err := readGold(ctx, t.Gold)
	if err != nil {
		return err
	}
	var last []byte
	var first map[uint64]bool // of what is equal, the keys that have one
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return err
		}
		side, part := int(record.Key[4]), record.Key[5]
		if part == partDocuments {
			keys.join(record.Key, record.Value)
			continue
		}
		if len(record.Value) > 4 {
			gold.mark(side, binary.BigEndian.Uint64(record.Value[4:]))
		}
		if !bytes.Equal(last, record.Key) {
			last, first = append(last[:0], record.Key...), map[uint64]bool{}
		}
		row, key := rowOf(record.Value), uint64(0) // rows of one key come in their order
		signed[side].Set(int(row))
		if part == partEqual+equalText {
			key = keys.of(side, row)
		}
		if first[key] {
			repeated[side][part-partEqual].Set(int(row))
		}
		first[key] = true
	}
	if gold != nil {
		if _, err := gold.among(); err != nil {
			return err
		}
	}
	var others [2]mining.Bits // that are repeated, or cannot be taken
	for side := range others {
		others[side] = slices.Clone(repeated[side][equalID])
		for i, word := range signed[side] {
			others[side][i] |= repeated[side][equalText][i] | ^word
		}
	}
	sources := t.Sides[source].units()
	for n := range sources + t.Sides[target].units() {
		side, first := t.of(n)
		last := t.Sides[side].Firsts[n-side*sources+1]
		if t.Restricted {
			err = keys.tell(output, n, side, first, last)
		} else {
			err = knn.SpillRows(output, append(exchange.UnitKey(nil, n), otherRows), others[1-side])
		}
		if err != nil {
			return err
		}
		for row := first; row < last; row++ {
			for what := range repeated[side] {
				if !repeated[side][what].Has(int(row)) {
					continue
				}
				key := binary.BigEndian.AppendUint32(append(exchange.UnitKey(nil, n), ownRow), row)
				if err := output.Add(key, []byte{byte(what)}); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// What a record for a unit that searches tells.
const (
	otherRows = iota
	ownRow
	ownKeys
)

// told is what distinctTask tells a unit.
type told struct {
	side     int
	first    uint32          // of the own rows
	repeated mining.Bits     // rows of the other side, also those that cannot be taken
	own      map[uint32]byte // own rows that are repeated, with what is equal
	keys     []uint64        // of the own rows, from the first on, where candidates are restricted
}

// told reads what distinctTask tells the n-th unit of a range over both sides.
func (w *Work) told(ctx context.Context, unit graph.Unit, n int) (t told, err error) {
	t.side, t.first = w.of(n)
	t.repeated, t.own = mining.NewBits(w.Sides[1-t.side].Len()), map[uint32]byte{}
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return t, err
		}
		number := rowOf(record.Key[5:])
		switch record.Key[4] {
		case ownRow:
			t.own[number] = record.Value[0]
		case ownKeys:
			for value := record.Value; len(value) >= 8; value = value[8:] {
				t.keys = append(t.keys, binary.BigEndian.Uint64(value))
			}
		default:
			knn.ReadRows(t.repeated, record.Key[5:], record.Value)
		}
	}
	return t, nil
}

// sentences calls use for each row of a unit that can be searched, with its key, and drops the others.
func (w *Work) sentences(ctx context.Context, unit graph.Unit, t *told, output *exchange.Output,
	use func(row uint32, key uint64, e *schemas.Embedding) error) error {
	row := t.first
	return units.DatasetRows(ctx, w.Sides[t.side].Rows, unit.Unit, func(e schemas.Embedding) error {
		number, key := row, uint64(0)
		row++
		reason := w.reasonFor(t.side, &e)
		if what, ok := t.own[number]; ok && reason == "" {
			reason = repeatedReasons[what]
		}
		if t.keys != nil {
			if key = t.keys[number-t.first]; key == 0 && reason == "" {
				reason = reasonNoKey
			}
		}
		if reason != "" {
			return dropSentence(output, t.side,
				schemas.Reject{ID: e.ID, Offset: int64(number), Reason: reason, Language: e.Language, Sample: e.Text})
		}
		return use(number, key, &e)
	})
}

// dropSentence counts a sentence of a side that is not searched, or for which there is no candidate.
func dropSentence(output *exchange.Output, side int, r schemas.Reject) error {
	r.Source, r.Step = roles[side], stepVectors
	if output.Rejects().Wants(r.Step, r.Reason, r.Language, r.ID) {
		output.Rejects().Add(r)
	}
	return output.Funnel().Drop(chainSentences, r.Language, r.Step, r.Reason, 1)
}
