package schemas

// Count says how many items of a kind and language ended at one place of a funnel:
// dropped at a step for a reason, or, where both are empty, kept by all steps. So what
// came into a step is the sum of the counts that ended there or later.
type Count struct {
	// Items names the chain of the funnel: "documents", "pairs".
	Items string `parquet:"items,dict"`
	// Language is that of the items; a pair has the form "deu-eng". It is "others" for
	// what a unit of very many languages counts together.
	Language string `parquet:"language,dict"`
	Step     string `parquet:"step,dict"`
	Reason   string `parquet:"reason,dict"`
	Count    int64  `parquet:"count"`
}

// Schema implements Row.
func (Count) Schema() Schema { return Schema{Name: "count", Version: 1, RowGroup: rowGroup} }

// Validate implements Row.
func (c Count) Validate() error {
	var f faults
	f.required("items", c.Items)
	f.text("language", c.Language)
	f.text("step", c.Step)
	f.text("reason", c.Reason)
	if (c.Step == "") != (c.Reason == "") {
		f.Addf("step %q and reason %q: both are empty, or none", c.Step, c.Reason)
	}
	if c.Count <= 0 {
		f.Addf("count %d is not positive", c.Count)
	}
	return f.Err()
}
