package schemas

// WordCount says how often a word of the basic tokenizer occurs in one language.
type WordCount struct {
	Word     string `parquet:"word"`
	Language string `parquet:"language,dict"`
	Count    int64  `parquet:"count"`
}

// Schema implements Row.
func (WordCount) Schema() Schema { return Schema{Name: "wordcount", Version: 1, RowGroup: rowGroup} }

// Validate implements Row.
func (w WordCount) Validate() error {
	var f faults
	f.required("word", w.Word)
	f.language("language", w.Language)
	if w.Count <= 0 {
		f.Addf("count %d is not positive", w.Count)
	}
	return f.Err()
}
