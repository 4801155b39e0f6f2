package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/storage/storagetest"
)

// TestMainContent: the verb trains, measures, extracts and explains, and says what is wrong.
func TestMainContent(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	write := func(name, content string) { storagetest.WriteFiles(t, root, map[string]string{name: content}) }
	var list strings.Builder
	for i := range 30 {
		text := fmt.Sprintf("This is what story %[1]d tells at some length, with a comma, and with a full stop.", i)
		fmt.Fprintf(&list, `{"id":"%d","page_type":"article","main_content":%q}`+"\n", i, text)
		write(fmt.Sprintf("data/html/%d.html", i),
			fmt.Sprintf("<title>Story %d</title><nav><a href=/>Home</a><a href=/2>Other</a></nav><article><p>%s</p></article><footer>All rights reserved</footer>",
				i, text))
	}
	write("data/ground-truth.jsonl", list.String()+`{"id":"none","main_content":""}`)
	write("notes.txt", "no page")

	train := []string{"maincontent", "train", "--data", at("data"), "--trees", "10", "--out"}
	sentweave(t, append(train, at("a.model"))...).expect(t, 0, []string{"trained on 90 blocks of 30 pages"},
		[]string{"1 page of the list without a file, such as html/none.html"})
	sentweave(t, append(train, at("b.model"), "--threads", "1")...).expect(t, 0, []string{"30 pages"}, []string{"1 page of"})
	read := func(name string) string {
		data, err := os.ReadFile(at(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	a, b := read("a.model"), read("b.model")
	if a != b {
		t.Error("the same training gives two models")
	}
	sentweave(t, "maincontent", "evaluate", "--data", at("data"), "--trees", "10").expect(t, 0,
		[]string{"article (30)", "model, by folds", "all text", "over 30 pages"}, []string{"fold 5 of 5"})
	sentweave(t, "maincontent", "evaluate", "--data", at("data"), "--model", at("a.model"), "--no-compare", "--json").expect(
		t, 0, []string{`"Pages": 30`}, []string{"1 page of"})
	sentweave(t, "maincontent", "train", "--bare", "--data", at("data"), "--trees", "10", "--out", at("l.model")).expect(
		t, 0, []string{"lines of 30 pages"}, []string{"1 page of"})
	sentweave(t, "maincontent", "evaluate", "--bare", "--data", at("data"), "--model", at("l.model")).expect(
		t, 0, []string{"model of lines", "all lines", "jusText's rules"}, []string{"1 page of"})
	sentweave(t, "maincontent", "evaluate", "--bare", "--data", at("data"), "--model", at("a.model")).expect(
		t, 1, nil, []string{"a.model", "not a model of lines"})
	sentweave(t, "maincontent", "extract", "--input", at("data/html"), "--out", at("out.jsonl")).expect(
		t, 0, []string{"30 pages of 30 files"}, nil)
	if lines := strings.Split(strings.TrimSpace(read("out.jsonl")), "\n"); len(lines) != 30 ||
		!strings.Contains(lines[0], `"source":"0.html"`) || !strings.Contains(lines[0], `"title":"Story 0"`) {
		t.Errorf("%d lines, the first %s", len(lines), lines[0])
	}
	sentweave(t, "maincontent", "explain", at("data/html/3.html"), "--parts", "1").expect(
		t, 0, []string{"expected F1", "(navigation): Home", "paragraph: This is what story 3"}, nil)
	sentweave(t, "maincontent", "explain", at("data/html/3.html"), "--json").expect(t, 0, []string{`"Probability"`}, nil)
	sentweave(t, "maincontent", "explain", at("data/html/3.html"), "--html", at("3.html")).expect(t, 0, []string{at("3.html")}, nil)
	if shown := read("3.html"); !strings.Contains(shown, "<h1 dir=\"auto\">Story 3</h1>") ||
		!strings.Contains(shown, ": navigation</summary>") || !strings.Contains(shown, "This is what story 3") {
		t.Error(shown)
	}
	sentweave(t, "maincontent", "explain", at("data/html/3.html"), "--html", at("data")).expect(
		t, 1, nil, []string{"--html: ", "is a folder"})
	sentweave(t, "maincontent", "explain", at("data/html/3.html"), "--html", at("3.html"), "--json").expect(
		t, 2, nil, []string{"two forms of output"})

	sentweave(t, "maincontent", "train", "--data", at("data"), "--out", at("notes.txt/x")).expect(
		t, 1, nil, []string{"--out: ", "notes.txt"})
	sentweave(t, "maincontent", "train", "--data", at("data"), "--out", at("data/html")).expect(
		t, 1, nil, []string{"--out: ", "is a folder"})
	sentweave(t, "maincontent", "train", "--data", root, "--out", at("c.model")).expect(t, 1, nil, []string{"has no list of pages"})
	sentweave(t, "maincontent", "train", "--data", at("data"), "--trees", "10001", "--threads", "0", "--out", at("c.model")).expect(
		t, 2, nil, []string{"--trees is 10001", "--threads is 0"})
	sentweave(t, "maincontent", "explain", at("none.html")).expect(t, 1, nil, []string{"PAGE: ", "none.html does not exist"})
	sentweave(t, "maincontent", "explain", at("data")).expect(t, 1, nil, []string{"PAGE: ", " is a folder; give the file of a page"})
	sentweave(t, "maincontent", "extract", "--input", at("data"), "--model", at("notes.txt"), "--out", at("x")).expect(
		t, 1, nil, []string{"notes.txt", "not a model of main content"})
	write("empty.html", "<p>")
	write("some/bad.html", "\x00\x01\x02\x03\x04PNG\x00\x00")
	write("some/worse.html", "\x00\x01\x02\x03\x04PNG\x00\x00")
	sentweave(t, "maincontent", "extract", "--input", at("some"), "--out", at("none.jsonl")).expect(
		t, 0, []string{"left out: 2 pages, binary, such as bad.html"}, nil)
	sentweave(t, "maincontent", "explain", at("empty.html")).expect(t, 1, nil, []string{"no_text"})
}
