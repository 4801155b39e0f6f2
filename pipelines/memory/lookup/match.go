package lookup

import (
	"bytes"
	"context"
	"iter"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/exchange/spill"
	"sentweave/pipelines/graph"
)

// join calls use for every record of someone who asks, with the value of the best
// that was told of its key, nil if nothing was.
func join(records iter.Seq2[spill.Record, error], use func(record spill.Record, best []byte) error) error {
	var key, best []byte
	for record, err := range records {
		if err != nil {
			return err
		}
		if len(record.Key) != keySize || len(record.Value) == 0 {
			return errRecord
		}
		if key == nil || !bytes.Equal(key, record.Key) {
			key, best = append(key[:0], record.Key...), nil
		}
		switch record.Value[0] {
		case kindTold:
			if best == nil {
				best = bytes.Clone(record.Value)
			}
		case kindAsked:
			if err := use(record, best); err != nil {
				return err
			}
		default:
			return errRecord
		}
	}
	return nil
}

// matchTask answers all who ask for the texts of a bucket.
type matchTask struct{ graph.Nothing }

// Spill implements graph.Spiller.
func (t *matchTask) Spill(ctx context.Context, unit graph.Unit, output *exchange.Output) error {
	var key, last []byte
	return join(unit.Merge(ctx, nil), func(record spill.Record, best []byte) error {
		a, err := parseAsked(record.Value)
		if err != nil {
			return err
		}
		// Who asks comes in the order of units and texts.
		repeated := bytes.Equal(last, record.Key)
		last = append(last[:0], record.Key...)
		key = a.appendAnswerKey(key[:0], int(record.Key[0])<<8|int(record.Key[1]), repeated)
		return output.Add(key, best) // nothing stands for nothing
	})
}
