package maincontent

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/transforms/clean/maincontent/reference"
	"sentweave/transforms/clean/maincontent/trained"
)

const (
	page = `<html lang=en><title>Story %[1]d</title><nav><a href=/>Home of site %[1]d</a></nav><article><h1>Story %[1]d</h1>
<p>This is what story %[1]d tells at some length, with a comma, and with a full stop.</p></article><footer>All rights reserved</footer>`
	text = "Story %[1]d This is what story %[1]d tells at some length, with a comma, and with a full stop."
)

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(content))
		z.Close()
		content = b.String()
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// labelledFolder makes a folder of n labelled pages, one without a file and one without text.
func labelledFolder(t testing.TB, n int) string {
	t.Helper()
	folder := t.TempDir()
	var list strings.Builder
	for i := range n + 2 {
		line, err := json.Marshal(map[string]string{"id": fmt.Sprint(i), "url": fmt.Sprintf("https://www.site-%d.co.uk/x", i),
			"page_type": []string{"article", "service"}[i%2], "main_content": fmt.Sprintf(text, i)})
		if err != nil {
			t.Fatal(err)
		}
		list.Write(append(line, '\n'))
		switch {
		case i == n:
		case i == n+1:
			write(t, filepath.Join(folder, "html", fmt.Sprint(i, ".html")), "<p><br>")
		default:
			write(t, filepath.Join(folder, "html", fmt.Sprint(i, ".html.gz")), fmt.Sprintf(page, i))
		}
	}
	write(t, filepath.Join(folder, "ground-truth.jsonl.gz"), list.String())
	return folder
}

func load(t testing.TB, folders ...string) *Data {
	t.Helper()
	d, err := Load(context.Background(), folders, true, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func config() trained.Config {
	c := trained.DefaultConfig()
	c.Trees.Trees, c.Trees.MinRows, c.Trees.Rate = 20, 5, .3
	c.Kinds.Trees, c.Kinds.MinRows = 3, 2
	return c
}

// Domains are found of addresses without a scheme, and with what url.Parse refuses.
func TestDomainOf(t *testing.T) {
	for address, want := range map[string]string{
		"https://www.Example.co.uk/50%off": "example.co.uk", "a.example.org/x": "example.org", "//a.example.org./": "example.org",
		"https://a.bücher.de:80": "xn--bcher-kva.de", "http://192.0.2.7/": "192.0.2.7", "http://[2001:db8::1]/": "2001:db8::1",
		"/a.org": "",
	} {
		if got := DomainOf(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}

func TestEvaluate(t *testing.T) {
	d := load(t, labelledFolder(t, 40))
	if len(d.Pages) != 41 || !slices.Equal(d.Missing, []string{"40"}) || d.Pages[40].Reason != "no_text" ||
		d.Pages[0].Domain != "site-0.co.uk" {
		t.Fatalf("%d pages, missing %v, the last %q, the first of %s", len(d.Pages), d.Missing, d.Pages[40].Reason, d.Pages[0].Domain)
	}
	folds := 0
	s, err := Evaluate(context.Background(), d, config(), func(int) { folds++ })
	if err != nil || folds != Folds {
		t.Fatal(folds, err)
	}
	table := d.Table([]System{s, Everything(d)})
	if all := table[0].All; all.Pages != 41 || math.Abs(all.F1-40./41) > 1e-9 {
		t.Errorf("by folds: %+v, want a perfect score of all pages but the one without text", all)
	}
	if kinds := table[0].Kinds; len(kinds) != 2 || kinds[0].Kind != "article" || kinds[0].Pages != 20 || kinds[0].F1 != 1 {
		t.Errorf("kinds: %+v", kinds)
	}
	if languages := table[0].Languages; len(languages) != 1 || languages[0].Kind != "eng" || languages[0].Pages != 40 ||
		languages[0].F1 != 1 {
		t.Errorf("languages: %+v", languages)
	}
	if math.Abs(table[1].Difference-(table[0].All.F1-table[1].All.F1)) > 1e-9 {
		t.Errorf("difference %v of %v and %v", table[1].Difference, table[0].All.F1, table[1].All.F1)
	}
}

// TestDifference: differences .5, 0 and .1 have the mean .2 and the deviation √(.14/3).
func TestDifference(t *testing.T) {
	system := func(list ...float64) (s System) {
		for _, v := range list {
			s.Scores = append(s.Scores, reference.Score{F1: v})
		}
		return s
	}
	mean, e := difference(system(1, .5, .4), system(.5, .5, .3))
	if math.Abs(mean-.2) > 1e-9 || math.Abs(e-math.Sqrt(.14)/3) > 1e-9 {
		t.Errorf("%v ± %v", mean, e)
	}
}

func TestModelFile(t *testing.T) {
	ctx := context.Background()
	d := load(t, labelledFolder(t, 20))
	m, err := Train(ctx, d, trained.Provenance{Data: "made up"}, config())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "model")
	if err := WriteModel(ctx, file, m); err != nil {
		t.Fatal(err)
	}
	got, err := ReadModel(ctx, file)
	if err != nil || got.Hash() != m.Hash() {
		t.Fatal(got, err)
	}
	if s, err := Score(ctx, d, got); err != nil || d.Rows(s)[0].F1 < .9 {
		t.Error(s, err)
	}
	write(t, file, "something else")
	if _, err := ReadModel(ctx, file); err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "not a model") {
		t.Error(err)
	}
}

func TestExtractFolder(t *testing.T) {
	ctx := context.Background()
	m, err := Train(ctx, load(t, labelledFolder(t, 20)), trained.Provenance{}, config())
	if err != nil {
		t.Fatal(err)
	}
	input := t.TempDir()
	body := fmt.Sprintf(page, 77)
	response := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	record := fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://x.example/77\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2024-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		len(response), response)
	for name, content := range map[string]string{
		"b/1.html": fmt.Sprintf(page, 1), "a.htm.gz": fmt.Sprintf(page, 2), "c.warc": record, "d.html": "",
		"e.html": "<footer>All rights reserved</footer>", "f.txt": "no page",
	} {
		write(t, filepath.Join(input, name), content)
	}
	write(t, filepath.Join(input, "g.html"), "")
	if err := os.WriteFile(filepath.Join(input, "h.html.gz"), []byte("no gzip"), 0o666); err != nil {
		t.Fatal(err)
	}
	link := func(to, name string) {
		if err := os.Symlink(filepath.Join(input, to), filepath.Join(input, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("b", "same")       // documentation has links to its own folders,
	link("none", "none.js") // and to files of packages that are not there
	out := filepath.Join(t.TempDir(), "out.jsonl")
	var first []byte
	for range 2 {
		counts, err := ExtractFolder(ctx, input, out, m, func(*Extracted) {})
		if err != nil {
			t.Fatal(err)
		}
		if counts.Pages != 4 || counts.Empty != 1 || counts.Rejected["empty"] != 2 || counts.Rejected["damaged_gzip"] != 1 {
			t.Errorf("%+v", counts)
		}
		data, err := os.ReadFile(out)
		if err != nil || first != nil && !bytes.Equal(data, first) {
			t.Fatal("the second run writes something else", err)
		}
		first = data
	}
	var got []string
	for line := range strings.Lines(string(first)) {
		var x Extract
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %s %s %s: %s", x.Source, x.URL, x.Title, x.Language, x.Text))
	}
	want := []string{
		"a.htm.gz  Story 2 eng: " + extracted(2), "b/1.html  Story 1 eng: " + extracted(1),
		"c.warc:0 http://x.example/77 Story 77 eng: " + extracted(77), "e.html   : ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if _, err := ExtractFolder(ctx, t.TempDir(), out, m, nil); err == nil || !strings.Contains(err.Error(), "holds no pages") {
		t.Error(err)
	}
	link("none", "none.html")
	if _, err := ExtractFolder(ctx, input, out, m, nil); err == nil ||
		!strings.Contains(err.Error(), "none.html is a link that leads nowhere") {
		t.Error(err)
	}
}

func extracted(i int) string {
	return strings.Replace(fmt.Sprintf(text, i), " This", "\n\nThis", 1)
}

// TestFaultsOfLists: what is wrong with a folder is one error that names it.
func TestFaultsOfLists(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"has no list of pages":                    {"html/1.html": "x"},
		"line 2":                                  {"ground-truth.jsonl": "{\"id\":\"1\",\"main_content\":null}\n{\"id\""},
		`line 1: page "1" has no main_content`:    {"ground-truth.jsonl": `{"id":"1","maincontent":"x"}`},
		`page "1" has no articleBody`:             {"ground-truth.json": `{"1":{"body":"x"}}`},
		"line 1: id is a number, it must be text": {"ground-truth.jsonl": `{"id":1,"main_content":"x"}`},
		"does not name a file":                    {"ground-truth.jsonl": `{"id":"../1"}`},
		"occurs there twice":                      {"ground-truth.jsonl": "\ufeff{\"id\":\"1\",\"main_content\":\"\"}\n{\"id\":\"1\"}"},
		"there is no page of those":               {"ground-truth.json": `{"1":{"articleBody":"x"}}`},
		"read ground-truth.json":                  {"ground-truth.json": `[]`},
	} {
		folder := t.TempDir()
		for name, content := range files {
			write(t, filepath.Join(folder, name), content)
		}
		if _, err := Load(context.Background(), []string{folder}, false, func(int, int) {}); err == nil ||
			!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), folder) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	folder := t.TempDir()
	write(t, filepath.Join(folder, "ground-truth.json"), `{"b":{"articleBody":"x","url":"http://b.example"},"a":{"articleBody":"y"}}`)
	write(t, filepath.Join(folder, "html/a.html"), "y")
	write(t, filepath.Join(folder, "html/b.html"), "x")
	if d := load(t, folder); len(d.Pages) != 2 || d.Pages[0].ID != "a" || d.Pages[0].Domain != "a" || d.Pages[1].Reference != "x" {
		t.Errorf("articles: %+v", d.Pages)
	}
	if _, err := ReadPage(context.Background(), filepath.Join(folder, "none.html")); err == nil ||
		!strings.Contains(err.Error(), fs.ErrNotExist.Error()) && !strings.Contains(err.Error(), "no such file") {
		t.Error(err)
	}
}
