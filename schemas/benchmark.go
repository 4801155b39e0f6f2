package schemas

// Benchmark is one item of an evaluation set. A translated item also has its original
// text.
type Benchmark struct {
	ID   string `parquet:"id"`
	Task string `parquet:"task,dict"`
	// Split is the part of the task: train, dev, test, or the name of a file without splits.
	Split string `parquet:"split,dict"`
	Fold  *int32 `parquet:"fold,optional"`
	// Row is the row's ordinal in File, from 0: it ties a translation to its source.
	Row int32 `parquet:"row"`
	// KeyA and KeyB are the source's names of both texts, such as MRPC's ids. If the
	// source names only the item, as SICK and tables with a key do, that name is KeyA.
	KeyA      string `parquet:"key_a,optional"`
	KeyB      string `parquet:"key_b,optional"`
	File      string `parquet:"file,dict"`
	LanguageA string `parquet:"language_a,dict"`
	LanguageB string `parquet:"language_b,optional,dict"`
	TextA     string `parquet:"text_a"`
	TextB     string `parquet:"text_b,optional"`
	// OriginalA and OriginalB are the texts of the source, if the item was translated
	// or its tokenising was undone. CasingA and CasingB say how they used capitals:
	// "lower", "mixed", or "none" where no letter has case.
	OriginalA string   `parquet:"original_a,optional"`
	OriginalB string   `parquet:"original_b,optional"`
	CasingA   string   `parquet:"casing_a,optional,dict"`
	CasingB   string   `parquet:"casing_b,optional,dict"`
	Label     string   `parquet:"label,optional,dict"`
	Target    *float64 `parquet:"target,optional"`
	// Skip marks an item without a gold value, which is kept so that rows stay
	// aligned.
	Skip bool `parquet:"skip"`
}

// Schema implements Row.
func (Benchmark) Schema() Schema { return Schema{Name: "benchmark", Version: 2, RowGroup: rowGroup} }

// Validate implements Row.
func (b Benchmark) Validate() error {
	var f faults
	f.id("id", b.ID)
	f.required("task", b.Task)
	f.text("split", b.Split)
	if b.Row < 0 {
		f.Addf("row %d is negative", b.Row)
	}
	f.text("key_a", b.KeyA)
	f.text("key_b", b.KeyB)
	f.required("file", b.File)
	f.language("language_a", b.LanguageA)
	f.text("language_b", b.LanguageB)
	f.text("text_a", b.TextA)
	f.text("text_b", b.TextB)
	f.text("original_a", b.OriginalA)
	f.text("original_b", b.OriginalB)
	f.text("casing_a", b.CasingA)
	f.text("casing_b", b.CasingB)
	f.Check((b.TextB == "") == (b.LanguageB == ""), "text_b and language_b go together")
	f.text("label", b.Label)
	if b.Target != nil {
		f.finite("target", *b.Target)
	}
	f.Check(b.Skip || b.Label != "" || b.Target != nil, "neither label nor target, and not marked skip")
	return f.Err()
}

// Origin returns the name of a task's split that pairs made from it have.
func Origin(task, split string) string {
	if split == "" {
		return task
	}
	return task + "/" + split
}
