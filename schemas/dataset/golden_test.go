package dataset

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/dataset/rowtest"
	"sentweave/schemas/storage"
)

var update = flag.Bool("update", false, "rewrite the golden files of the present schema versions")

const goldenFolder = "../testdata"

// goldenRows is the number of rows in a golden file, largeRows in the file of
// which only the hash is kept: several pages and row groups.
const goldenRows, largeRows = 8, 20_000

// The golden files pin, for every version of every schema, its columns, the
// bytes of a shard and the hash of its content. A change of columns must raise
// the schema's version; bytes that change with parquet-go, the codec or the
// writer's settings are seen here before they are in somebody's dataset.
func TestGolden(t *testing.T) {
	tests := []struct {
		schema schemas.Schema
		run    func(*testing.T)
	}{
		{schemas.Document{}.Schema(), func(t *testing.T) { golden(t, rowtest.Document, 2_500) }},
		{schemas.Pair{}.Schema(), func(t *testing.T) { golden(t, rowtest.Pair, largeRows) }},
		{schemas.Example{}.Schema(), func(t *testing.T) { golden(t, rowtest.Example, largeRows) }},
		{schemas.Embedding{}.Schema(), func(t *testing.T) { golden(t, rowtest.Embedding, largeRows) }},
		{schemas.Result{}.Schema(), func(t *testing.T) { golden(t, rowtest.Result, largeRows) }},
		{schemas.Benchmark{}.Schema(), func(t *testing.T) { golden(t, rowtest.Benchmark, largeRows) }},
		{schemas.Reject{}.Schema(), func(t *testing.T) { golden(t, rowtest.Reject, largeRows) }},
		{schemas.WordCount{}.Schema(), func(t *testing.T) { golden(t, rowtest.WordCount, largeRows) }},
		{schemas.Translation{}.Schema(), func(t *testing.T) { golden(t, rowtest.Translation, largeRows) }},
		{schemas.Item{}.Schema(), func(t *testing.T) { golden(t, rowtest.Item, largeRows) }},
		{schemas.Text{}.Schema(), func(t *testing.T) { golden(t, rowtest.Text, largeRows) }},
		{schemas.State{}.Schema(), func(t *testing.T) { golden(t, rowtest.State, 40) }},
		{schemas.Count{}.Schema(), func(t *testing.T) { golden(t, rowtest.Count, largeRows) }},
		{schemas.PairScore{}.Schema(), func(t *testing.T) { golden(t, rowtest.PairScore, largeRows) }},
		{schemas.Contamination{}.Schema(), func(t *testing.T) { golden(t, rowtest.Contamination, largeRows) }},
		{schemas.InvertedList{}.Schema(), func(t *testing.T) { golden(t, rowtest.InvertedList, 40) }},
	}
	if len(tests) != len(schemas.List()) {
		t.Errorf("%d schemas have golden files, there are %d", len(tests), len(schemas.List()))
	}
	for _, test := range tests {
		t.Run(test.schema.Name, test.run)
	}
}

func golden[T schemas.Row](t *testing.T, row func(int) T, large int) {
	var zero T
	schema := zero.Schema()
	base := filepath.Join(goldenFolder, fmt.Sprintf("%s.v%d", schema.Name, schema.Version))
	columns := parquet.SchemaOf(zero).String() + "\n"
	rows := rowtest.List(row, 0, goldenRows)
	file, content := shardOf(t, rows)
	big, bigContent := shardOf(t, rowtest.List(row, 0, large))
	hashes := fmt.Sprintf("rows %d xxh3 %s content %s\nrows %d xxh3 %s content %s\n",
		goldenRows, HashString(xxh3.Hash(file)), HashString(content), large, HashString(xxh3.Hash(big)), HashString(bigContent))
	if *update {
		for name, data := range map[string][]byte{".schema": []byte(columns), ".parquet": file, ".xxh3": []byte(hashes)} {
			if err := os.WriteFile(base+name, data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	read := func(suffix string) []byte {
		data, err := os.ReadFile(base + suffix)
		if errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s is new: write its golden files with go test ./schemas/dataset -run Golden -update, and look at them before they are committed",
				schema)
		}
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if diff := cmp.Diff(strings.Split(string(read(".schema")), "\n"), strings.Split(columns, "\n")); diff != "" {
		t.Errorf("the columns of %s changed, but not its version. Datasets of version %d are about: raise Version in schemas/%s.go, then run go test ./schemas/dataset -run Golden -update, which adds the files of version %d and leaves those of version %d.\n%s",
			schema, schema.Version, schema.Name, schema.Version+1, schema.Version, diff)
	}
	if want := string(read(".xxh3")); want != hashes {
		t.Errorf("the bytes of a shard of %s changed: datasets that are made in part would be finished with other bytes. If the columns are the same, find what changed: parquet-go, the zstd encoder, writerOptions, a tag, the row hash, the rows of rows_test.go. To accept it, run go test ./schemas/dataset -run Golden -update and tell in the release notes that datasets that are half done are to be made again.\n%s",
			schema, cmp.Diff(want, hashes))
	}
	// The file that was written once, by whichever version, reads back equal.
	stored := read(".parquet")
	folder := storage.NewLocal(t.TempDir())
	if err := storage.WriteFile(t.Context(), folder, ShardName(0), stored, storage.Replace); err != nil {
		t.Fatal(err)
	}
	m := &Manifest{Plan: Plan{Schema: schema.Name, SchemaVersion: schema.Version}, Shards: []Shard{{
		Name: ShardName(0), Rows: goldenRows, Bytes: int64(len(stored)), XXH3: HashString(xxh3.Hash(stored)),
	}}}
	var got []T
	for r, err := range Rows[T](t.Context(), folder, m) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	if diff := cmp.Diff(rows, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the golden file of %s gives other rows:\n%s", schema, diff)
	}
	if sum, err := verifyShard(t.Context(), folder, m.Shards[0]); err != nil || sum != content {
		t.Errorf("the golden file of %s has the content hash %x, %v; want %x", schema, sum, err, content)
	}
}

// shardOf returns the bytes of a shard of the rows, and its content hash.
func shardOf[T schemas.Row](t testing.TB, rows []T) (file []byte, content uint64) {
	t.Helper()
	var b bytes.Buffer
	w := rowfile.NewWriter[T](&b)
	for _, r := range rows {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), w.Content
}

// A golden file of a version that no schema has is left over or misnamed.
func TestGoldenFilesAreKnown(t *testing.T) {
	versions := map[string]int{}
	for _, s := range schemas.List() {
		versions[s.Name] = s.Version
	}
	entries, err := os.ReadDir(goldenFolder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		var version int
		name, rest, _ := strings.Cut(e.Name(), ".v")
		if _, err := fmt.Sscanf(rest, "%d.", &version); err != nil || version < 1 || version > versions[name] {
			t.Errorf("%s is of no version of a schema", e.Name())
		}
	}
}
