package mine

import (
	"context"
	"encoding/binary"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
)

// spreadTask spills the sentences of a unit to the units of their keys.
type spreadTask struct {
	Work
	units.Range
	Buckets int
}

// Spill implements graph.Spiller.
func (t *spreadTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	told, err := t.told(ctx, unit, unit.Ordinal-t.First)
	if err != nil {
		return err
	}
	var key, value []byte
	return t.sentences(ctx, unit, &told, output, func(row uint32, hash uint64, e *schemas.Embedding) error {
		key = binary.BigEndian.AppendUint64(exchange.UnitKey(key[:0], int(hash>>1%uint64(t.Buckets))), hash)
		key = binary.BigEndian.AppendUint32(append(key, byte(told.side)), row)
		value = value[:0]
		for _, text := range []string{e.ID, e.Language, e.Text} {
			value = append(binary.AppendUvarint(value, uint64(len(text))), text...)
		}
		value = schemas.AppendFloats(value, e.Vector)
		return output.Add(key, value)
	})
}

// withinTask finds the nearest sentences of all sentences of its keys. It reads the vectors of the keys once more for each
// block of them.
type withinTask struct {
	Config Config
	Work
}

// Setup implements graph.Task: the datasets are not read.
func (t *withinTask) Setup(context.Context) error { return nil }

// Spill implements graph.Spiller.
func (t *withinTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	s := newSearch(t.Config, t.Dimensions, output)
	var e schemas.Embedding
	s.Feed = func(add func(vector []float32, row uint32) error) error {
		wanted, last := map[uint64]bool{}, uint64(0)
		for _, key := range s.Queries.Keys {
			wanted[key], last = true, max(last, key|1)
		}
		for record, err := range unit.Merge(ctx, nil) {
			if err != nil {
				return err
			}
			key := binary.BigEndian.Uint64(record.Key[4:]) | uint64(record.Key[12])
			if key > last {
				break
			}
			if !wanted[key] {
				continue
			}
			parseSentence(&e, record.Value)
			s.Candidates.Keys = append(s.Candidates.Keys, key)
			if err := add(e.Vector, rowOf(record.Key[13:])); err != nil {
				return err
			}
		}
		return nil
	}
	for record, err := range unit.Merge(ctx, nil) {
		if err != nil {
			return err
		}
		parseSentence(&e, record.Value)
		side := record.Key[12]
		s.Queries.Keys = append(s.Queries.Keys, binary.BigEndian.Uint64(record.Key[4:])|uint64(1-side))
		s.addQuery(side, rowOf(record.Key[13:]), &e)
		if s.Queries.Full() {
			if err := s.block(ctx); err != nil {
				return err
			}
		}
	}
	return s.block(ctx)
}

// parseSentence reads what spreadTask spills, into the memory of the vector.
func parseSentence(e *schemas.Embedding, value []byte) {
	for _, text := range []*string{&e.ID, &e.Language, &e.Text} {
		length, prefix := binary.Uvarint(value)
		value = value[prefix:]
		*text, value = string(value[:length]), value[length:]
	}
	e.Vector = schemas.Floats(e.Vector[:0], value)
}
