package mine

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/bits"

	"github.com/zeebo/xxh3"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
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

// signTask spills the hashes of the ids and texts of a unit's rows.
type signTask struct {
	Work
	units.Range
}

// Spill implements graph.Spiller.
func (t *signTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
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
			key = append(append(exchange.UnitKey(key[:0], 0), byte(side), byte(what)), sum[:]...)
			value = binary.BigEndian.AppendUint32(value[:0], number)
			if t.Gold != nil && what == equalText {
				value = binary.BigEndian.AppendUint64(value, xxh3.HashString(text))
			}
			if err := output.Add(key, value); err != nil {
				return err
			}
		}
		return nil
	})
}

// distinctTask tells the units that search which rows are repeated: all of the other side, and their
// own ones with the reason. It holds two bits for each row. True pairs none of which can be found are an error here,
// before the search.
type distinctTask struct{ Work }

// chunk is how many words of 64 rows a record holds.
const chunk = 512

// Spill implements graph.Spiller.
func (t *distinctTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	var repeated [2][2]mining.Bits
	for side, s := range t.Sides {
		repeated[side] = [2]mining.Bits{mining.NewBits(s.Len()), mining.NewBits(s.Len())}
	}
	gold, err := readGold(ctx, t.Gold)
	if err != nil {
		return err
	}
	var last []byte
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return err
		}
		if len(record.Value) > 4 {
			gold.mark(int(record.Key[4]), binary.BigEndian.Uint64(record.Value[4:]))
		}
		if bytes.Equal(last, record.Key) { // rows of one key come in their order
			repeated[record.Key[4]][record.Key[5]].Set(int(binary.BigEndian.Uint32(record.Value)))
		}
		last = append(last[:0], record.Key...)
	}
	if gold != nil {
		if _, err := gold.among(); err != nil {
			return err
		}
	}
	sources := t.Sides[source].units()
	for n := range sources + t.Sides[target].units() {
		side, first := t.of(n)
		if err := tellOthers(output, n, repeated[1-side]); err != nil {
			return err
		}
		last := t.Sides[side].Firsts[n-side*sources+1]
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
	otherRows = 0
	ownRow    = 1
)

// tellOthers spills which rows of the other side are repeated, for whatever reason.
func tellOthers(output *exchange.Output, unit int, repeated [2]mining.Bits) error {
	var key, value []byte
	for from := 0; from < len(repeated[0]); from += chunk {
		value = value[:0]
		sum := 0
		for i := from; i < min(from+chunk, len(repeated[0])); i++ {
			word := repeated[equalID][i] | repeated[equalText][i]
			sum += bits.OnesCount64(word)
			value = binary.BigEndian.AppendUint64(value, word)
		}
		if sum == 0 {
			continue
		}
		key = binary.BigEndian.AppendUint32(append(exchange.UnitKey(key[:0], unit), otherRows), uint32(from))
		if err := output.Add(key, value); err != nil {
			return err
		}
	}
	return nil
}

// readRepeated reads what distinctTask tells a unit: the repeated rows of the other side, and its own
// with what is equal.
func readRepeated(ctx context.Context, unit graph.Unit, others int) (other mining.Bits, own map[uint32]byte, err error) {
	other, own = mining.NewBits(others), map[uint32]byte{}
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return nil, nil, err
		}
		number := rowOf(record.Key[5:])
		if record.Key[4] == ownRow {
			own[number] = record.Value[0]
			continue
		}
		for i := range len(record.Value) / 8 {
			other[int(number)+i] = binary.BigEndian.Uint64(record.Value[8*i:])
		}
	}
	return other, own, nil
}
