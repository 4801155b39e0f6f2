package schemas

// MaxSample is the longest sample of a rejected record, in bytes.
const MaxSample = 500

// Reject is a sampled record that a step dropped, with the reason.
type Reject struct {
	ID     string `parquet:"id"`
	Source string `parquet:"source"`
	Offset int64  `parquet:"offset"`
	// Step and Reason name the row of the funnel that counts the drop.
	Step   string `parquet:"step,dict"`
	Reason string `parquet:"reason,dict"`
	// Language is the record's language, as far as it was known when the record was
	// dropped.
	Language string `parquet:"language,dict"`
	// Detail gives the measure that decided, as text.
	Detail string `parquet:"detail"`
	// Sample is the start of the record's text, at most MaxSample bytes.
	Sample string `parquet:"sample"`
	// Rank is the hash by which the sample was drawn. The records with the smallest
	// ranks are kept, so the choice does not depend on how the input is cut into
	// units.
	Rank uint64 `parquet:"rank"`
}

// Schema implements Row.
func (Reject) Schema() Schema { return Schema{Name: "reject", Version: 1, RowGroup: rowGroup} }

// Validate implements Row.
func (r Reject) Validate() error {
	var f faults
	f.required("id", r.ID)
	f.text("source", r.Source)
	f.required("step", r.Step)
	f.required("reason", r.Reason)
	f.language("language", r.Language)
	f.text("detail", r.Detail)
	f.text("sample", r.Sample)
	if len(r.Sample) > MaxSample {
		f.Addf("sample has %d bytes, more than %d", len(r.Sample), MaxSample)
	}
	return f.Err()
}
