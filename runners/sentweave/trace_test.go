package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const tracedPage = `<html lang="en"><body><nav><ul><li><a href="/">Home</a></li><li><a href="/news">All the news</a></li></ul></nav><article><p>The river rose in the night and took the old bridge with it.</p>
<p>No.</p><p>In the morning all the people came down to look at what was left of it.</p></article></body></html>`

// A page goes through the steps of its dataset once more, and each says what it
// dropped.
func TestTrace(t *testing.T) {
	input, out := t.TempDir(), filepath.Join(t.TempDir(), "documents")
	page := filepath.Join(input, "a.html")
	if err := os.WriteFile(page, []byte(tracedPage), 0o666); err != nil {
		t.Fatal(err)
	}
	sentweave(t, "corpus", "--input", input, "--out", out).expect(t, 0, []string{"1 document in 1 shard, "}, []string{"1 of 1 unit,"})
	sentweave(t, "trace", out, "a.html", "--input", input).expect(t, 0, []string{
		"source a.html, offset 0, language eng", "dropped by main_content: boilerplate (navigation): Home", "block 12, probability 0.",
		"eng: kept: The river rose", "dropped by quality: too_short (3): No.",
	}, nil)
	// With the filters of the dataset, not with those that run by default.
	other := filepath.Join(t.TempDir(), "documents")
	some := []string{"corpus", "--input", input, "--out", other, "--filters", "cc-net,stopes", "--min-characters", "3"}
	sentweave(t, append(some, "--dry-run")...).expect(t, 0, []string{"filters   stopes, cc-net\n", `"min_characters":3`}, nil)
	sentweave(t, some...).expect(t, 0, []string{"1 document in 1 shard, "}, []string{"1 of 1 unit,"})
	sentweave(t, "trace", other, "a.html", "--input", input).expect(t, 0, []string{"eng: kept: No."}, nil)
	sentweave(t, "trace", out, "a.html", "--input", input+"x").expect(
		t, 1, nil, []string{"--input: " + input + "x does not exist; give the folder of pages", "!stat"})
	sentweave(t, "trace", out, "b.html", "--input", input).expect(t, 1, nil, []string{`"b.html"`})
	sentweave(t, "trace", out, "a.html", "--input", input, "--langid", page).expect(t, 2, nil, []string{"leave --langid out"})
	if err := os.WriteFile(page, []byte(tracedPage+"more"), 0o666); err != nil {
		t.Fatal(err)
	}
	sentweave(t, "trace", out, "a.html", "--input", input).expect(t, 1, nil, []string{"a.html", "when the job was planned"})
}

// A report shows some of the pages of a dataset, the same ones each time.
func TestReportOfPages(t *testing.T) {
	input, folder := t.TempDir(), t.TempDir()
	for i := range 30 {
		page := strings.ReplaceAll(tracedPage, "bridge", fmt.Sprint("bridge of village ", i))
		if err := os.WriteFile(filepath.Join(input, fmt.Sprint(i, ".html")), []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	documents := filepath.Join(folder, "documents")
	sentweave(t, "corpus", "--input", input, "--out", documents).expect(t, 0, []string{"30 documents"}, []string{"1 of 1 unit,"})
	var pages [2][]byte
	for i := range pages {
		out := filepath.Join(folder, fmt.Sprint("page", i))
		sentweave(t, "report", "--documents", documents, "--input", input, "--pages", "7", "--out", out).expect(
			t, 0, []string{"report.html"}, nil)
		var err error
		if pages[i], err = os.ReadFile(filepath.Join(out, "report.html")); err != nil {
			t.Fatal(err)
		}
	}
	if n := bytes.Count(pages[0], []byte(".html, English: kept; ")); n != 7 || !bytes.Contains(pages[0], []byte("navigation")) ||
		!bytes.Contains(pages[0], []byte("too_short (3): No.")) {
		t.Errorf("%d pages are shown", n)
	}
	if !bytes.Equal(pages[0], pages[1]) {
		t.Error("the same dataset gives two reports")
	}
	sentweave(t, "report", "--documents", documents, "--out", filepath.Join(folder, "x")).expect(
		t, 2, nil, []string{"--documents needs --input, the folder"})
	sentweave(t, "report", "--documents", documents, "--input", input, "--pages", "0", "--out", filepath.Join(folder, "x")).expect(
		t, 2, nil, []string{"--pages is 0; it must be 1 to 200"})
	sentweave(t, "report", "--documents", folder, "--input", input, "--out", filepath.Join(folder, "x")).expect(t, 1, nil, []string{folder})
}

// Verdicts depend on the model that identifies languages: it must be the one that
// the dataset was made with.
func TestTraceNeedsTheSameModel(t *testing.T) {
	model := os.Getenv("SENTWEAVE_LID176")
	if model == "" {
		t.Skip("skipped: SENTWEAVE_LID176 is not set")
	}
	input, out := t.TempDir(), filepath.Join(t.TempDir(), "documents")
	if err := os.WriteFile(filepath.Join(input, "a.html"), []byte(tracedPage), 0o666); err != nil {
		t.Fatal(err)
	}
	sentweave(t, "corpus", "--input", input, "--langid", model, "--out", out).expect(t, 0, []string{"1 document in 1 shard, "},
		[]string{"1 of 1 unit,"})
	sentweave(t, "trace", out, "a.html", "--input", input).expect(t, 2, nil, []string{"give it by --langid"})
	sentweave(t, "trace", out, "a.html", "--input", input, "--langid", filepath.Join(input, "a.html")).expect(
		t, 2, nil, []string{"not the model"})
	sentweave(t, "trace", out, "a.html", "--input", input, "--langid", model).expect(t, 0, []string{"eng: kept: The river rose"}, nil)
}
