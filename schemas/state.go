package schemas

// State is what a frozen encoder makes of a text: the vectors of its tokens by the last layer.
type State struct {
	// ID is that of the first example that has the text, with /a or /b for its side.
	ID     string  `parquet:"id"`
	Tokens []int32 `parquet:"tokens,list"`
	// Vectors are those of the tokens, one after another.
	Vectors []float32 `parquet:"vectors,list"`
}

// MostStateNumbers is how many numbers the vectors of a text may have: those of 1,024 tokens of 1,024
// dimensions. A row group of them is what readers take.
const MostStateNumbers = 1 << 20

// Schema implements Row. A row has as many numbers as its tokens have together, which is why
// row groups are small.
func (State) Schema() Schema { return Schema{Name: "state", Version: 1, RowGroup: 16} }

// Validate implements Row.
func (s State) Validate() error {
	var f faults
	f.required("id", s.ID)
	if len(s.Tokens) == 0 || len(s.Vectors) == 0 || len(s.Vectors)%len(s.Tokens) != 0 {
		f.Addf("vectors has %d numbers for %d tokens", len(s.Vectors), len(s.Tokens))
	}
	if len(s.Vectors) > MostStateNumbers {
		f.Addf("vectors has %d numbers, more than %d", len(s.Vectors), MostStateNumbers)
	}
	for i, v := range s.Vectors {
		if !isFinite(float64(v)) {
			f.Addf("vectors[%d] is %v", i, v)
			break
		}
	}
	return f.Err()
}
