package objective

import (
	"errors"
	"fmt"
	"slices"

	"sentweave/stages/objective/joined"
	"sentweave/transforms/tokens/masking"
)

// Example is a checked row of schemas.Example, cut to length.
type Example = joined.Example

// Entry is an example and its place in the order of a training.
type Entry struct {
	*Example
	// Epoch counts complete epochs: the trainer's masks differ between them.
	Epoch int64
}

// Filler makes batches of examples. Only one goroutine may use it.
type Filler struct {
	// Padding fills up shorter sequences.
	Padding int32
	// MaxTokens is the most tokens of a sequence; 0 is no bound.
	MaxTokens int
	// Seed decides other choices than masks.
	Seed   uint64
	Masker *masking.Masker
	// States are the vectors of tokens that are known; nil where none are.
	States States
}

// pad returns lists of tokens as sequences of one length.
func (f *Filler) pad(lists [][]int32) Sequences {
	s := Sequences{}
	for _, tokens := range lists {
		s.Length = max(s.Length, len(tokens))
	}
	s.IDs = make([]int32, 0, len(lists)*s.Length)
	s.Lengths = make([]int32, 0, len(lists))
	for _, tokens := range lists {
		s.Append(tokens, f.Padding)
	}
	return s
}

// padSides returns the first and the second sides of examples. A text that stands alone
// is both: it gives two views, which differ by dropout.
func (f *Filler) padSides(list []Entry) (a, b Sequences) {
	lists := [2][][]int32{}
	for _, e := range list {
		lists[0], lists[1] = append(lists[0], e.A), append(lists[1], second(e))
	}
	return f.pad(lists[0]), f.pad(lists[1])
}

// second is the second view of a text, or the text again.
func second(e Entry) []int32 {
	if len(e.B) == 0 {
		return e.A
	}
	return e.B
}

// masked are lists of tokens with masks.
type masked struct {
	lists, positions [][]int32
	targets          []int32
}

// add appends the second side of an entry with the masks that came with it, or masks tokens.
func (m *masked) add(f *Filler, e Entry) error {
	if len(e.Positions) == 0 {
		return m.mask(f, e.B, e.ID, e.Epoch)
	}
	m.append(e.B, e.Positions, e.Targets)
	return nil
}

// mask appends tokens with masks by hash of the id and the epoch: after the cut, so that the
// ratio is one of the tokens that are there.
func (m *masked) mask(f *Filler, tokens []int32, id string, epoch int64) error {
	tokens = slices.Clone(tokens)
	positions, targets, err := f.Masker.AppendEpoch(nil, nil, tokens, id, epoch)
	if err == nil {
		m.append(tokens, positions, targets)
	}
	return err
}

func (m *masked) append(tokens, positions, targets []int32) {
	m.lists, m.positions, m.targets = append(m.lists, tokens), append(m.positions, positions), append(m.targets, targets...)
}

// pad returns the lists as sequences, with the indices of all masks in their IDs. A
// batch without a mask has no loss and is an error.
func (m *masked) pad(f *Filler) (s Sequences, positions []int32, err error) {
	if len(m.targets) == 0 { // only where whole words are masked, and all are too long
		return s, nil, errors.New("no token of the batch is masked, so it has no loss: raise batch_size or max_predictions")
	}
	s = f.pad(m.lists)
	for i, list := range m.positions {
		for _, p := range list {
			positions = append(positions, int32(i*s.Length)+p)
		}
	}
	return s, positions, nil
}

// maskable says whether tokens hold one that can be masked.
func maskable(tokens []int32, special []bool) bool {
	return slices.ContainsFunc(tokens, func(id int32) bool { return !special[id] })
}

// States are the vectors of the tokens of texts, which a frozen encoder has given before.
type States interface {
	// Size is that of a vector.
	Size() int
	// Read writes the vectors of the tokens of a text into dst, which has room for them.
	Read(dst []float32, ids []int32) error
}

// states returns the vectors of the tokens of sequences, Count × Length × the size of a
// vector; those of padding are 0. It is nil where no vectors are known.
func (f *Filler) states(q Sequences) ([]float32, error) {
	if f.States == nil {
		return nil, nil
	}
	row := q.Length * f.States.Size()
	vectors := make([]float32, q.Count*row)
	for i, n := range q.Lengths {
		if err := f.States.Read(vectors[i*row:][:int(n)*f.States.Size()], q.IDs[i*q.Length:][:n]); err != nil {
			return nil, fmt.Errorf("read the vectors of tokens: %w", err)
		}
	}
	return vectors, nil
}
