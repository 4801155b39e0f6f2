package schemas

import (
	"encoding/binary"
	"math"
)

// InvertedList is a part of an inverted-file index of a dataset of embeddings: the centroid of a list, or some of the vectors that
// are nearest to that centroid. The centroids of all lists come first, then the lists in their order, and in each the vectors in
// that of their rows.
type InvertedList struct {
	// List is the number of the list.
	List int32 `parquet:"list"`
	// Rows are the numbers of the rows of the embeddings, from 0 on, whose vectors follow; a centroid has none.
	Rows []int32 `parquet:"rows,list"`
	// Vectors are the vector of each row as embed made it, or the centroid, as float32 in little endian, see State.
	Vectors []byte `parquet:"vectors,uncompressed"`
}

// MostListNumbers is how many numbers the vectors of a row may have, unless it has only one: readers hold a row group of them.
const MostListNumbers = 1 << 18

// Schema implements Row.
func (InvertedList) Schema() Schema {
	return Schema{Name: "invertedlist", Version: 1, RowGroup: 16, Blob: "vectors"}
}

// Validate implements Row.
func (l InvertedList) Validate() error {
	var f faults
	f.Check(l.List >= 0, "list %d is negative", l.List)
	for i, row := range l.Rows {
		if row < 0 || i > 0 && row <= l.Rows[i-1] {
			f.Addf("row %d of rows, %d, is negative or not greater than the one before", i, row)
			break
		}
	}
	switch n := len(l.Vectors); {
	case n == 0 || n%(4*max(1, len(l.Rows))) != 0:
		f.Addf("vectors has %d bytes for %d vectors", n, max(1, len(l.Rows)))
	case n > 4*MostListNumbers && len(l.Rows) > 1:
		f.Addf("vectors has %d bytes, more than %d", n, 4*MostListNumbers)
	default:
		if i := Infinite(Floats(nil, l.Vectors)); i >= 0 {
			f.Addf("number %d of vectors is not finite", i)
		}
	}
	return f.Err()
}

// AppendFloats appends numbers as float32 in little endian.
func AppendFloats(dst []byte, numbers []float32) []byte {
	for _, x := range numbers {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

// Floats appends the numbers that AppendFloats wrote.
func Floats(dst []float32, bytes []byte) []float32 {
	for ; len(bytes) >= 4; bytes = bytes[4:] {
		dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(bytes)))
	}
	return dst
}
