package schemas

// Embedding is the vector of one text.
type Embedding struct {
	ID       string    `parquet:"id"`
	Language string    `parquet:"language,dict"`
	Text     string    `parquet:"text,optional"`
	Vector   []float32 `parquet:"vector,list"`
	// Bits are the sparse binary codes that some models make, packed eight to a byte.
	Bits []byte `parquet:"bits,optional"`
}

// Schema implements Row.
func (Embedding) Schema() Schema { return Schema{Name: "embedding", Version: 1, RowGroup: rowGroup} }

// Validate implements Row.
func (e Embedding) Validate() error {
	var f faults
	f.required("id", e.ID)
	f.language("language", e.Language)
	f.text("text", e.Text)
	f.Check(len(e.Vector) > 0 || len(e.Bits) > 0, "vector and bits are both empty")
	for i, v := range e.Vector {
		if !isFinite(float64(v)) {
			f.Addf("vector[%d] is %v", i, v)
			break // one is enough: a broken model gives thousands
		}
	}
	return f.Err()
}
