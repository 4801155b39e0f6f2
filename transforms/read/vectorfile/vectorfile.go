// Package vectorfile reads vectors that other programs have written: matrices of NumPy (.npy, .npz), Parquet with a column of lists,
// and JSON lines.
//
// A file declares sizes, and they are compared with what it holds before memory is taken for them. Numbers of 16, 32 and 64
// bits become float32.
package vectorfile

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"slices"
	"strings"
)

// maxNumbers of a vector are those with which vectors can be compared (neighbors.MaxDim).
const maxNumbers = 1 << 16

// Options say where in a file the vectors are.
type Options struct {
	// Column is the column of Parquet, the field of JSON, or the array of .npz; "" is vector or embedding, or the only array.
	Column string
	// IDs is the column or the field of the ids of vectors, "" for none.
	IDs string
}

// Row is a vector of a file.
type Row struct {
	// ID is that of Options.IDs, "" without.
	ID string
	// Vector is valid until the next row.
	Vector []float32
}

// Vectors are those of a file.
type Vectors struct {
	// Rows is the number of vectors, -1 where a file does not say before its end.
	Rows int64
	each func(yield func(Row) error) error
}

// kinds has the ends of the names of files.
var kinds = map[string]func(file io.ReaderAt, size int64, o Options) (Vectors, error){
	".npy": openNPY, ".npz": openNPZ, ".parquet": openParquet, ".jsonl": openLines, ".ndjson": openLines,
}

// usual are columns of vectors, where none is named.
var usual = []string{"vector", "embedding"}

// Open reads what comes before the vectors. What the file is, its name says: .npy, .npz, .parquet, .jsonl or .ndjson.
func Open(name string, file io.ReaderAt, size int64, o Options) (Vectors, error) {
	open, ok := kinds[strings.ToLower(path.Ext(name))]
	if !ok {
		return Vectors{}, errors.New("the name ends with none of .npy, .npz, .parquet, .jsonl, .ndjson")
	}
	return open(file, size, o)
}

// All yields the vectors in their order. The error of a row that has no id or no vector, another number of numbers than the
// first row, or a number that is not finite as float32, names the row, counted from 0.
func (v Vectors) All() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		errStop := errors.New("stop")
		row, width := int64(0), 0
		err := v.each(func(r Row) error {
			if row == 0 {
				width = len(r.Vector)
			}
			if err := sound(r.Vector, width); err != nil {
				return fmt.Errorf("row %d: %w", row, err)
			}
			if !yield(r, nil) {
				return errStop
			}
			row++
			return nil
		})
		if err == nil && v.Rows >= 0 && row != v.Rows {
			err = fmt.Errorf("it has %d vectors, and says %d", row, v.Rows)
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(Row{}, err)
		}
	}
}

func sound(vector []float32, width int) error {
	if n := len(vector); n == 0 || n > maxNumbers {
		return fmt.Errorf("the vector has %d numbers, where 1 to %d can be", n, maxNumbers)
	}
	if len(vector) != width {
		return fmt.Errorf("the vector has %d numbers, the first one has %d", len(vector), width)
	}
	if i := slices.IndexFunc(vector, func(x float32) bool { return x-x != 0 }); i >= 0 {
		return fmt.Errorf("the number %d of the vector is %v as float32", i, vector[i])
	}
	return nil
}
