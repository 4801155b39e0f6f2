package dataset

import (
	"bytes"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	parquetformat "github.com/parquet-go/parquet-go/format"

	"sentweave/schemas/dataset/rowtest"
)

// Readers that know few encodings read what we write: of pages of version 2, fastparquet 2025 knows
// these alone and one that is deprecated.
func TestEncodings(t *testing.T) {
	known := []parquetformat.Encoding{parquetformat.Plain, parquetformat.RLE, parquetformat.RLEDictionary, parquetformat.DeltaBinaryPacked}
	check := func(file []byte) {
		t.Helper()
		f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range f.Metadata().RowGroups {
			for _, c := range group.Columns {
				for _, e := range c.MetaData.Encoding {
					if !slices.Contains(known, e) {
						t.Errorf("column %v has the encoding %v", c.MetaData.PathInSchema, e)
					}
				}
			}
		}
	}
	pairs, _ := shardOf(t, rowtest.List(rowtest.Pair, 0, goldenRows))
	check(pairs)
	documents, _ := shardOf(t, rowtest.List(rowtest.Document, 0, goldenRows))
	check(documents)
	embeddings, _ := shardOf(t, rowtest.List(rowtest.Embedding, 0, goldenRows))
	check(embeddings)
	examples, _ := shardOf(t, rowtest.List(rowtest.Example, 0, goldenRows))
	check(examples)
	rejects, _ := shardOf(t, rowtest.List(rowtest.Reject, 0, goldenRows))
	check(rejects)
}
