package objective

import "fmt"

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
	all := make([]float32, q.Count*row)
	for i, n := range q.Lengths {
		if err := f.States.Read(all[i*row:][:int(n)*f.States.Size()], q.IDs[i*q.Length:][:n]); err != nil {
			return nil, fmt.Errorf("read the vectors of tokens: %w", err)
		}
	}
	return all, nil
}
