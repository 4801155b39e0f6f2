package dataset

import (
	"bytes"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	parquetformat "github.com/parquet-go/parquet-go/format"
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
	pairs, _ := shardOf(t, rowsOf(pairRow, 0, goldenRows))
	check(pairs)
	documents, _ := shardOf(t, rowsOf(documentRow, 0, goldenRows))
	check(documents)
	embeddings, _ := shardOf(t, rowsOf(embeddingRow, 0, goldenRows))
	check(embeddings)
	examples, _ := shardOf(t, rowsOf(exampleRow, 0, goldenRows))
	check(examples)
	rejects, _ := shardOf(t, rowsOf(rejectRow, 0, goldenRows))
	check(rejects)
}
