package train

import (
	"errors"
	"slices"

	"github.com/zeebo/xxh3"

	"sentweave/stages/objective"
	"sentweave/transforms/masking"
)

// Batch is a batch of a source with what messages need.
type Batch struct {
	objective.Batch
	// IDs are those of the examples, in the batch's order.
	IDs []string
}

// filler turns examples into batches of an objective.
type filler struct {
	objective string
	padding   int32
	masker    *masking.Masker
	masked    []int32
}

func (f *filler) fill(list []entry) (*Batch, error) {
	batch := &Batch{IDs: make([]string, len(list))}
	for i, e := range list {
		batch.IDs[i] = e.id
	}
	var err error
	switch f.objective {
	case objective.CMLMName:
		batch.Batch, err = f.cmlm(list)
	default:
		batch.Batch = f.bitext(list)
	}
	return batch, err
}

// sequences returns empty sequences with room for a side of the examples.
func sequences(list []entry, side func(entry) []int32) objective.Sequences {
	s := objective.Sequences{}
	for _, e := range list {
		s.Length = max(s.Length, len(side(e)))
	}
	s.IDs = make([]int32, 0, len(list)*s.Length)
	s.Lengths = make([]int32, 0, len(list))
	return s
}

func sideA(e entry) []int32 { return e.a }
func sideB(e entry) []int32 { return e.b }

// cmlm masks the second sides that have no masks by hash of their id and epoch,
// after they were cut, so that the ratio is one of the tokens that are there.
func (f *filler) cmlm(list []entry) (*objective.CMLMBatch, error) {
	b := &objective.CMLMBatch{A: sequences(list, sideA), B: sequences(list, sideB)}
	for i, e := range list {
		b.A.Append(e.a, f.padding)
		tokens, positions, targets := e.b, e.positions, e.targets
		if len(positions) == 0 {
			f.masked = append(f.masked[:0], e.b...)
			var err error
			if positions, targets, err = f.masker.AppendEpoch(nil, nil, f.masked, e.id, e.epoch); err != nil {
				return nil, err
			}
			tokens = f.masked
		}
		b.B.Append(tokens, f.padding)
		for _, p := range positions {
			b.Positions = append(b.Positions, int32(i*b.B.Length)+p)
		}
		b.Targets = append(b.Targets, targets...)
	}
	if len(b.Targets) == 0 { // only where whole words are masked, and all are too long
		return nil, errors.New("no token of the batch is masked, so it has no loss: raise batch_size or max_predictions")
	}
	return b, nil
}

// bitext excludes negatives of an equal group, and those of an equal text on
// either side: as the other side of one text, or as the text itself.
func (f *filler) bitext(list []entry) *objective.BitextBatch {
	n := len(list)
	b := &objective.BitextBatch{A: sequences(list, sideA), B: sequences(list, sideB), Excluded: make([]bool, n*n)}
	hashA, hashB := make([]uint64, n), make([]uint64, n)
	for i, e := range list {
		b.A.Append(e.a, f.padding)
		b.B.Append(e.b, f.padding)
		hashA[i], hashB[i] = hashIDs(e.a), hashIDs(e.b)
	}
	for i, x := range list {
		for j, y := range list {
			if i == j {
				continue
			}
			b.Excluded[i*n+j] = x.group != nil && y.group != nil && *x.group == *y.group ||
				hashA[i] == hashA[j] && slices.Equal(x.a, y.a) || hashB[i] == hashB[j] && slices.Equal(x.b, y.b) ||
				hashA[i] == hashB[j] && slices.Equal(x.a, y.b)
		}
	}
	return b
}

func hashIDs(ids []int32) uint64 {
	var buffer [4 * 512]byte
	data := buffer[:0]
	for _, id := range ids {
		data = append(data, byte(id), byte(id>>8), byte(id>>16), byte(id>>24))
	}
	return xxh3.Hash(data)
}
