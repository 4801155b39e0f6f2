package schemas

import (
	"encoding/binary"
	"math"
)

// State is what a frozen encoder makes of a text: the vectors of its tokens by the last layer.
type State struct {
	// ID is that of the first example that has the text, with /a or /b for its side.
	ID     string  `parquet:"id"`
	Tokens []int32 `parquet:"tokens,list"`
	// Vectors are those of the tokens, one after another, as float32 in little endian. A list of
	// numbers takes some ten times as long to read. They are not compressed, as those of embeddings.
	Vectors []byte `parquet:"vectors,uncompressed"`
}

// StateOf returns the row of a text. Vectors are copied.
func StateOf(id string, tokens []int32, vectors []float32) State {
	return State{ID: id, Tokens: tokens, Vectors: AppendFloats(make([]byte, 0, 4*len(vectors)), vectors)}
}

// Size is how many numbers the vector of a token has.
func (s State) Size() int { return len(s.Vectors) / 4 / len(s.Tokens) }

// MostStateNumbers is how many numbers the vectors of a text may have: those of 1,024 tokens of 1,024
// dimensions. Readers hold a row group of them.
const MostStateNumbers = 1 << 20

// Schema implements Row.
func (State) Schema() Schema {
	return Schema{Name: "state", Version: 1, RowGroup: 16, Blob: "vectors"}
}

// Validate implements Row.
func (s State) Validate() error {
	var f faults
	f.required("id", s.ID)
	switch n := len(s.Vectors); {
	case len(s.Tokens) == 0 || n == 0 || n%(4*len(s.Tokens)) != 0:
		f.Addf("vectors has %d bytes for %d tokens", n, len(s.Tokens))
	case n > 4*MostStateNumbers:
		f.Addf("vectors has %d bytes, more than %d", n, 4*MostStateNumbers)
	default:
		for i := 0; i < n; i += 4 {
			if x := math.Float32frombits(binary.LittleEndian.Uint32(s.Vectors[i:])); x-x != 0 {
				f.Addf("number %d of vectors is %v", i/4, x)
				break
			}
		}
	}
	return f.Err()
}
