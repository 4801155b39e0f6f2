package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset/rowtest"
	"sentweave/schemas/storage"
)

// TestOlder: rows of version 3 of documents are read as rows of the present one, whose later columns are empty; those of version 2 are
// refused.
func TestOlder(t *testing.T) {
	stored, err := os.ReadFile(filepath.Join(goldenFolder, "document.v3.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	folder := storage.NewLocal(t.TempDir())
	if err := storage.WriteFile(t.Context(), folder, ShardName(0), stored, storage.Replace); err != nil {
		t.Fatal(err)
	}
	read := func(version int) (got []schemas.Document, err error) {
		m := &Manifest{Plan: Plan{Schema: "document", SchemaVersion: version}, Shards: []Shard{{
			Name: ShardName(0), Rows: goldenRows, Bytes: int64(len(stored)), XXH3: HashString(xxh3.Hash(stored)),
		}}}
		for r, err := range Rows[schemas.Document](t.Context(), folder, m) {
			if err != nil {
				return nil, err
			}
			got = append(got, r)
		}
		return got, nil
	}
	want := rowtest.List(rowtest.Document, 0, goldenRows)
	for i := range want {
		want[i].License, want[i].OptOut = "", ""
	}
	got, err := read(3)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, version := range []int{2, 4, 5} {
		if _, err := read(version); err == nil || !strings.Contains(err.Error(), "its columns are not those of document v4") {
			t.Errorf("version %d: %v", version, err)
		}
	}
}
