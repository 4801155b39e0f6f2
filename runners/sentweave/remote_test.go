package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/gcs/gcstest"
)

// upload copies a local folder to a location.
func upload(t *testing.T, from, to string) {
	t.Helper()
	local, remote := storage.NewLocal(from), at(t, to)
	for info, err := range local.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(info.Name)))
		if err == nil {
			err = storage.WriteFile(t.Context(), remote, info.Name, data, storage.IfAbsent)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func at(t *testing.T, location string) storage.Folder {
	t.Helper()
	folder, err := storage.At(location)
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// A recipe from a bucket into a bucket gives the bytes that it gives on a disk, also
// where every tenth request fails, before or after it was done; and whoever reads
// datasets reads them there.
func TestRecipeInABucket(t *testing.T) {
	service := gcstest.Start(t)
	input := articles(t, 20, nothing)
	local := runPages(t, input, "--set", "shard-bytes=16KiB")
	pages, out := service.Folder(), service.Folder()
	upload(t, input, pages)

	service.Unlucky(t, 5, 20)
	run := []string{"run", "pages", "--out", out, "--set", "input=" + pages, "--set", "layout={language}/{page}.html", "--set", "vocabulary-size=300", "--set", "shard-bytes=16KiB"}
	if o := sentweave(t, run...); o.code != 0 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	want, got := digests(t, local), digests(t, out)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a bucket holds something else than a disk:\n%s", diff)
	}
	if len(want) < 20 {
		t.Errorf("only %d files", len(want))
	}
	if o := sentweave(t, run...); o.code != 0 || !strings.Contains(o.stdout+o.stderr, "complete") {
		t.Errorf("the second run: exit code %d: %s%s", o.code, o.stdout, o.stderr)
	}

	documents := storage.Join(out, "documents")
	sentweave(t, "verify", documents).expect(t, 0, []string{"is whole"}, nil)
	sentweave(t, "status", documents).expect(t, 0, []string{"is complete"}, nil)
	sentweave(t, "inspect", documents, "--head", "1").expect(t, 0, []string{"page-0"}, nil)
	sentweave(t, "diff", documents, filepath.Join(local, "documents")).expect(t, 0, []string{"the datasets are equal"}, nil)
	sentweave(t, "export", documents).expect(t, 0, []string{`"source":"`}, nil)
	sentweave(t, "trace", documents, "en/page-001.html", "--input", pages).expect(t, 0, []string{"source en/page-001.html"}, nil)
}
