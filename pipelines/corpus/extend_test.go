package corpus_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// writeDumps writes the pages of dumps, in two languages each, into a folder of each dump.
func writeDumps(t *testing.T, root string, dumps ...int) {
	for _, dump := range dumps {
		pipelinetest.File(t, root, fmt.Sprintf("%d/short.eng.html", dump), "<p>Too short.")
		for page := range 4 {
			for _, code := range []string{"eng", "deu"} {
				pipelinetest.File(t, root, fmt.Sprintf("%d/%d.%s.html", dump, page, code), htmlPage(100*dump+10*page))
			}
		}
	}
}

// sameDataset compares rows, their order, counts and samples of rejects with those of a dataset that was made at once.
func sameDataset(t *testing.T, name, location, whole string) {
	t.Helper()
	got, err := dataset.Verify(t.Context(), storage.NewLocal(location))
	if err != nil {
		t.Fatal(name, err)
	}
	want, err := dataset.Load(t.Context(), storage.NewLocal(whole))
	if err != nil {
		t.Fatal(name, err)
	}
	if got.ContentXXH3 != want.ContentXXH3 {
		t.Errorf("%s: content %s, want %s", name, got.ContentXXH3, want.ContentXXH3)
	}
	if diff := cmp.Diff(pipelinetest.Rows[schemas.Document](t, whole), pipelinetest.Rows[schemas.Document](t, location)); diff != "" {
		t.Errorf("%s: rows: %s", name, diff)
	}
	if diff := cmp.Diff(want.Funnel, got.Funnel); diff != "" {
		t.Errorf("%s: funnel: %s", name, diff)
	}
	if diff := cmp.Diff(want.Rejects, got.Rejects); diff != "" {
		t.Errorf("%s: rejects: %s", name, diff)
	}
}

// A corpus to which dumps are added one by one, in any order, in which a page changes or is translated, and of which a dump is
// taken out, is that of all its pages at once, and only the shards of units that have changed are not the old ones.
func TestExtend(t *testing.T) {
	for name, order := range map[string][]int{"in order": {1, 2}, "out of order": {3, 1, 2}} {
		root, last := t.TempDir(), ""
		args := []string{"--input", root, "--layout", "{page}.{language}.html"}
		extend := func(step string, lost int) {
			whole, _ := run(t, 3000, 2, args...)
			if last == "" {
				last = whole
				return
			}
			// The size of units is that of the dataset that is extended.
			location, _ := run(t, 0, 3, append(slices.Clone(args), "--extend", last)...)
			sameDataset(t, name+": "+step, location, whole)
			if n := lostShards(t, last, location); n != lost {
				t.Errorf("%s: %s: %d shards are lost, want %d", name, step, n, lost)
			}
			last = location
		}
		for _, dump := range order {
			writeDumps(t, root, dump)
			extend(fmt.Sprint("dump ", dump), 0)
		}
		pipelinetest.File(t, root, "1/3.eng.html", htmlPage(9999))
		extend("a page that changed", 1)
		pipelinetest.File(t, root, "1/0.fra.html", htmlPage(9998))
		extend("a new translation", 1)
		if err := os.RemoveAll(filepath.Join(root, "2")); err != nil {
			t.Fatal(err)
		}
		extend("without a dump", 3)
	}
}

// lostShards counts the shards that a dataset does not have, byte for byte, and an older one has.
func lostShards(t *testing.T, older, newer string) (n int) {
	t.Helper()
	var digests [2]map[string]bool
	for i, location := range []string{older, newer} {
		digests[i] = map[string]bool{}
		for name, digest := range pipelinetest.Digests(t, location) {
			digests[i][digest] = strings.HasPrefix(name, "data/")
		}
	}
	for digest, shard := range digests[0] {
		if shard && !digests[1][digest] {
			n++
		}
	}
	return n
}

// Datasets that cannot be extended, and why.
func TestBadExtend(t *testing.T) {
	root := t.TempDir()
	writeDumps(t, root, 1)
	base, _ := run(t, 3000, 2, "--input", root)
	duplicates := filepath.Join(t.TempDir(), "bare")
	if err := os.CopyFS(duplicates, os.DirFS(base)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(duplicates, "_run")); err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	writeDumps(t, other, 2)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--input", root, "--extend", filepath.Join(root, "absent")}, "extend: no dataset in"},
		{[]string{"--input", root, "--extend", duplicates}, "has no list of its units"},
		{[]string{"--input", root, "--extend", base, "--min-language-score", "0"},
			"was made otherwise: config min_language_score is 0.5 there and 0 here"},
		{[]string{"--input", root, "--extend", base, "--layout", "{page}.{language}.html"}, "config layout is unset there"},
		{[]string{"--input", other, "--extend", base}, "no file has the name of one of " + base},
	} {
		if _, err := planOf(t, 0, test.args...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want %q", test.args, err, test.want)
		}
	}

	// A shard that was lost since the plan is one clear error.
	job, err := planOf(t, 0, "--input", root, "--extend", base)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(base, dataset.ShardName(0))); err != nil {
		t.Fatal(err)
	}
	_, err = pipelinetest.Plain(2)(t.Context(), job)
	if err == nil || !strings.Contains(err.Error(), base) {
		t.Errorf("a lost shard: error %v", err)
	}
	// One that was lost before the plan is one before --overwrite deletes anything.
	_, err = planOf(t, 0, "--input", root, "--extend", base)
	if err == nil || !strings.Contains(err.Error(), "part-00000.parquet is missing") {
		t.Errorf("a lost shard, planned: error %v", err)
	}
}
