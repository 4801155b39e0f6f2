package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/gcs/gcstest"
	"sentweave/schemas/storage/storagetest"
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
	folder, err := storage.Locate(location)
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// A recipe from a bucket into a bucket gives the bytes that it gives on a disk, also
// where every tenth request fails, before or after it was done; and whoever reads
// datasets reads them there.
func TestRecipeInABucket(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: requests that fail are sent again after a while")
	}
	service := gcstest.Start(t)
	input := articles(t, 20, nothing)
	local := runPages(t, input, "--set", "shard-bytes=16KiB")
	pages, out := service.Folder(), service.Folder()
	upload(t, input, pages)

	service.Unlucky(t, 5, 20)
	run := []string{"run", "pages", "--out", out, "--set", "input=" + pages, "--set", "layout={language}/{page}.html", "--set",
		"vocabulary-size=300", "--set", "shard-bytes=16KiB"}
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

// Bitext in a bucket gives the bytes that it gives on a disk: aligned files that are cut into
// units, compressed ones, an archive, and a table; a folder, a list of its files, or one file.
func TestImportFromABucket(t *testing.T) {
	service := gcstest.Start(t)
	local := t.TempDir()
	var sides [2]strings.Builder
	for i := range 9000 { // more than two marks, at which files are cut
		fmt.Fprintf(&sides[0], "Der Satz %d.\n", i%8000)
		fmt.Fprintf(&sides[1], "The sentence %d.\n", i%8000)
	}
	var archive, compressed bytes.Buffer
	z, g := zip.NewWriter(&archive), gzip.NewWriter(&compressed)
	member, err := z.Create("b.de-en.en")
	if err == nil {
		_, err = io.WriteString(member, "One more.\n")
	}
	if err == nil {
		member, err = z.Create("b.de-en.de")
	}
	if err == nil {
		_, err = io.WriteString(member, "Noch einer.\n")
	}
	if err == nil {
		_, err = io.WriteString(g, "Gepackt.\n")
	}
	if err := errors.Join(err, z.Close(), g.Close()); err != nil {
		t.Fatal(err)
	}
	storagetest.WriteFiles(t, local, map[string]string{
		"a.de-en.de": sides[0].String(), "a.de-en.en": sides[1].String(), "z.zip": archive.String(), "g.de-en.de.gz": compressed.String(),
		"g.de-en.en":      "Compressed.\n",
		"sub/t.de-en.tsv": "Eins.\tOne.\t0.5\nZwei.\tTwo.\tNaN\n", "list": "a.de-en.de\na.de-en.en\n",
	})
	remote := service.Folder()
	upload(t, local, remote)
	service.Unlucky(t, 5, 20)
	for name, args := range map[string][]string{
		"a folder": {"--input=ROOT"}, "a list": {"--input=ROOT", "--paths=ROOT/list"}, "a file": {"--input=ROOT/sub/t.de-en.tsv"},
		"an archive": {"--input=ROOT/z.zip"},
	} {
		outs := map[string]string{local: filepath.Join(t.TempDir(), "out"), remote: service.Folder()}
		for root, out := range outs {
			run := []string{"pairs", "--kind=bitext", "--shard-bytes=64KiB", "--out=" + out}
			for _, arg := range args {
				run = append(run, strings.ReplaceAll(arg, "ROOT", root))
			}
			if o := sentweave(t, run...); o.code != 0 {
				t.Fatalf("%s, %s: exit code %d: %s", name, root, o.code, o.stderr)
			}
		}
		want, got := digests(t, outs[local]), digests(t, outs[remote])
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: a bucket gives something else than a disk:\n%s", name, diff)
		}
		if name == "a folder" {
			sentweave(t, "verify", outs[remote]).expect(t, 0, []string{"is whole: 8,003 rows of pair"}, nil)
		}
	}
	sentweave(t, "pairs", "--kind=bitext", "--input="+remote+"/nowhere", "--out=x").expect(
		t, 1, nil, []string{"it does not exist, or holds no file"})
}
