package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/realdata"
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
	sentweave(t, "report", "--documents", documents, "--langid", "x", "--out", filepath.Join(folder, "x")).expect(
		t, 2, nil, []string{"--langid, --words and models are for the pages of a dataset: give --documents and --input, too"})
	sentweave(t, "report", "--documents", documents, "--input", input, "--pages", "0", "--out", filepath.Join(folder, "x")).expect(
		t, 2, nil, []string{"--pages is 0; it must be 1 to 200"})
	sentweave(t, "report", "--documents", folder, "--input", input, "--out", filepath.Join(folder, "x")).expect(t, 1, nil, []string{folder})
}

// Without the pages a report shows what each step dropped, back to the dataset that corpus has made.
func TestReportOfDocuments(t *testing.T) {
	input, folder := t.TempDir(), t.TempDir()
	for i := range 3 {
		place(t, filepath.Join(input, fmt.Sprint(i, ".html")), []byte(tracedPage))
	}
	place(t, filepath.Join(input, "short.html"), []byte("<p>Too short."))
	at := func(name string) string { return filepath.Join(folder, name) }
	sentweave(t, "corpus", "--input", input, "--out", at("documents")).expect(t, 0, []string{"3 documents"}, []string{"1 of 1 unit,"})
	sentweave(t, "dedup", "--documents", at("documents"), "--near", "datatrove", "--out", at("survivors")).expect(
		t, 0, []string{"1 document in"}, []string{"5 of 5 units,"})
	for out, lineage := range map[string]string{"one": at("survivors"), "all": folder} {
		sentweave(t, "report", "--documents", at("survivors"), "--lineage", lineage, "--out", at("page/"+out)).expect(
			t, 0, []string{"report.html\n"}, nil)
		table, err := os.ReadFile(at("page/" + out + "/documents.csv"))
		if err != nil {
			t.Fatal(err)
		}
		for want, all := range map[string]bool{"funnel,survivors,documents,duplicates,eng,near_duplicate,2\n": false,
			"score,,cluster_size,,,1,3\n": false, "funnel,documents,documents,read,eng,in,3\n": true} {
			if bytes.Contains(table, []byte(want)) != (out == "all" || !all) {
				t.Errorf("%s: %q is in the table, or is not:\n%s", out, want, table)
			}
		}
	}
	sentweave(t, "report", "--documents", at("survivors"), "--lineage", at("absent"), "--out", at("x")).expect(
		t, 1, nil, []string{at("absent") + " does not exist"})
}

// Verdicts depend on the model that identifies languages: it must be the one that
// the dataset was made with.
func TestTraceNeedsTheSameModel(t *testing.T) {
	model := realdata.Variable(t, "SENTWEAVE_LID176")
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
