package schemas

// Contamination is a text of a test that was found in a row of a training, with both texts.
type Contamination struct {
	// ID is derived from Row and Item, and their sides.
	ID string `parquet:"id"`
	// Row is the identity of the document or pair, Position that of the first sentence of a document, Side "a" or
	// "b" of a pair.
	Row      string `parquet:"row"`
	Position *int32 `parquet:"position,optional"`
	Side     string `parquet:"side,optional,dict"`
	// Test is the task of a benchmark, or the origin of pairs; Item is the identity of its row.
	Test         string `parquet:"test,dict"`
	TestLanguage string `parquet:"test_language,dict"`
	Item         string `parquet:"item"`
	// Language is that of the text in the training.
	Language string `parquet:"language,dict"`
	// Share is the share of the text of the test that was found, by evidence, and Bits is that evidence.
	Share float32 `parquet:"share"`
	Bits  float32 `parquet:"bits"`
	// TestText is the text of the test, Text what is like it in the training.
	TestText string `parquet:"test_text"`
	Text     string `parquet:"text"`
}

// Schema implements Row.
func (Contamination) Schema() Schema {
	return Schema{Name: "contamination", Version: 1, RowGroup: rowGroup}
}

// Validate implements Row.
func (c Contamination) Validate() error {
	var f faults
	f.id("id", c.ID)
	f.id("row", c.Row)
	f.text("side", c.Side)
	f.required("test", c.Test)
	f.language("test_language", c.TestLanguage)
	f.id("item", c.Item)
	f.language("language", c.Language)
	f.finite("share", float64(c.Share))
	f.finite("bits", float64(c.Bits))
	f.required("test_text", c.TestText)
	f.required("text", c.Text)
	return f.Err()
}
