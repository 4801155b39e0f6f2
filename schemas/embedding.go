package schemas

import (
	"math"
	"strings"
)

// Embedding is the vector of one text.
type Embedding struct {
	// ID is unique in its dataset: DOCUMENT/POSITION of a sentence, ROW/a or ROW/b of a side of a pair.
	ID       string `parquet:"id"`
	Language string `parquet:"language,dict"`
	Text     string `parquet:"text,optional"`
	// Vector is not compressed: zstd found nothing in float32 of encoders, at a fifth of the cost of a row.
	Vector []float32 `parquet:"vector,list" parquet-element:",uncompressed"`
	// Bits are the sparse binary codes that some models make, packed eight to a byte.
	Bits []byte `parquet:"bits,optional"`
}

// Schema implements Row.
func (Embedding) Schema() Schema {
	return Schema{Name: "embedding", Version: 1, RowGroup: rowGroup, Blob: "vector.list.element"}
}

// Validate implements Row.
func (e Embedding) Validate() error {
	var f faults
	f.required("id", e.ID)
	f.language("language", e.Language)
	f.text("text", e.Text)
	f.Check(len(e.Vector) > 0 || len(e.Bits) > 0, "vector and bits are both empty")
	if i := Infinite(e.Vector); i >= 0 { // one is enough: a broken model gives thousands
		f.Addf("vector[%d] is %v", i, e.Vector[i])
	}
	return f.Err()
}

// Document returns the id of the document whose sentence the text is, as far as the id of the row tells; else "".
func (e Embedding) Document() string {
	document, position, _ := strings.Cut(e.ID, "/")
	if position == "" || strings.Trim(position, "0123456789") != "" || !IsID(document) {
		return ""
	}
	return document
}

// Infinite returns the place of the first number of a vector that is not finite, -1 if all are.
func Infinite(vector []float32) int {
	const exponent = 0x7f800000
	for i, x := range vector {
		if math.Float32bits(x)&exponent == exponent {
			return i
		}
	}
	return -1
}
