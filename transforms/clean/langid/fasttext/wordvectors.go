package fasttext

import (
	"fmt"
	"io"
)

// WordVectors gives the vectors of words, also of those that the model has not seen, by their
// character n-grams. It holds scratch memory: use one per goroutine.
type WordVectors struct {
	model  *Model
	rows   []int32
	framed []byte
}

// ReadWordVectors reads a model of any kind for its words, as Read does.
func ReadWordVectors(stream io.Reader, size int64) (*WordVectors, error) {
	m, err := read(stream, size, expandLimit, true)
	if err != nil {
		return nil, fmt.Errorf("read fastText model: %w", err)
	}
	return &WordVectors{model: m}, nil
}

// Magic are the bytes that a model begins with.
func Magic() []byte {
	return []byte{magic & 0xff, magic >> 8 & 0xff, magic >> 16 & 0xff, magic >> 24 & 0xff}
}

// Dim is the number of values of a vector.
func (v *WordVectors) Dim() int { return int(v.model.args.dim) }

// Vector sets dst to the vector of a word, as the program's print-word-vectors does: the mean of
// the rows of the word and of its n-grams. It is false, and dst is 0, for a word without any.
func (v *WordVectors) Vector(word string, dst []float32) bool {
	clear(dst)
	d := v.model.words
	v.rows = v.rows[:0]
	if id := d.find(word, hash(word)); id >= 0 {
		v.rows = append(v.rows, id)
	}
	if word != endOfLine {
		v.framed = frame(v.framed, word)
		v.rows = d.appendSubwords(v.rows, v.framed, &v.model.args)
	}
	if len(v.rows) == 0 {
		return false
	}
	for _, row := range v.rows {
		v.model.input.addRow(dst, row)
	}
	for i := range dst {
		dst[i] *= 1 / float32(len(v.rows))
	}
	return true
}
