package parquetfile_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sentweave/schemas/parquetfile"
	"sentweave/schemas/peertest"
)

// Files of pyarrow and DuckDB, in all compressions, versions and encodings, are read
// with the values that were written.
func TestForeignWriters(t *testing.T) {
	python := peertest.Python(t)
	folder := t.TempDir()
	peertest.Output(t, nil, python, "testdata/foreign.py", folder)
	data, err := os.ReadFile(filepath.Join(folder, "rows.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want [3][]any
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.parquet"))
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	for _, path := range files {
		name := filepath.Base(path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := readAll(data); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f, err := parquetfile.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for i, column := range []string{"few", "text", "number"} {
			got := columnOf(t, f, column)
			want := want[i]
			if name == "empty.parquet" {
				want = nil
			}
			if len(got) != len(want) {
				t.Errorf("%s, %s: %d values, want %d", name, column, len(got), len(want))
				continue
			}
			for j := range got {
				if got[j] != want[j] {
					t.Fatalf("%s, %s: value %d is %v, want %v", name, column, j, got[j], want[j])
				}
			}
		}
	}
}

// columnOf reads a column, with values as JSON gives them.
func columnOf(t *testing.T, f *parquetfile.File, name string) (values []any) {
	t.Helper()
	leaf, ok := f.Schema().Lookup(name)
	if !ok {
		t.Fatalf("no column %s", name)
	}
	for _, group := range f.RowGroups() {
		reader := parquet.NewColumnChunkValueReader(group.ColumnChunks()[leaf.ColumnIndex])
		batch := make([]parquet.Value, 100)
		for {
			f.Next()
			n, err := reader.ReadValues(batch)
			for _, v := range batch[:n] {
				switch {
				case v.IsNull():
					values = append(values, nil)
				case v.Kind() == parquet.Int32:
					values = append(values, float64(v.Int32()))
				default:
					values = append(values, string(v.ByteArray()))
				}
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := reader.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return values
}
