package ingest

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sentweave/schemas/storage"
)

// A damaged file is an error, or gives other texts: never the end of the program.
func TestDamagedParquet(t *testing.T) {
	type row struct {
		Text        string  `parquet:"text"`
		Translation *string `parquet:"translation,zstd"`
		Source      string  `parquet:"source_language,dict"`
		Target      string  `parquet:"target_language,dict"`
	}
	var whole bytes.Buffer
	w := parquet.NewGenericWriter[row](&whole)
	for i := range 600 {
		r := row{Text: string(rune('a' + i%26)), Source: "eng", Target: "spa"}
		if i%3 > 0 {
			r.Translation = &r.Text
		}
		if _, err := w.Write([]row{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	read := func(data []byte) (rows int64, err error) {
		if err := os.WriteFile(filepath.Join(root, "x.parquet"), data, 0o666); err != nil {
			t.Fatal(err)
		}
		table, err := openTable(t.Context(), storage.NewLocal(root), "x.parquet")
		if err != nil {
			return 0, err
		}
		defer table.Close()
		err = table.rows(t.Context(), 0, int64(len(table.file.RowGroups())), func(number int64, row tableRow) error {
			if number != rows {
				t.Fatalf("row %d is the %dth", number, rows)
			}
			rows++
			return nil
		})
		return rows, err
	}
	if rows, err := read(whole.Bytes()); rows != 600 || err != nil {
		t.Fatalf("%d rows, error %v", rows, err)
	}
	random, failed := rand.New(rand.NewPCG(1, 2)), 0
	for range 400 {
		data := slices.Clone(whole.Bytes())
		for range 1 + random.IntN(4) {
			data[random.IntN(len(data))] ^= byte(1 + random.IntN(255))
		}
		if _, err := read(data); err != nil {
			failed++
		}
	}
	if failed < 100 {
		t.Errorf("%d of 400 damaged files failed", failed)
	}
}
