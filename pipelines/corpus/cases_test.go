package corpus_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/realdata"
	"sentweave/transforms/read/charset"
)

// caseTexts reads a folder of the cases with all filters off and returns the texts of its documents, without white space, by
// file; those of several records of a file are joined.
func caseTexts(t *testing.T, folder string, args ...string) map[string]string {
	t.Helper()
	location, _ := run(t, 1<<20, 1, append([]string{"--input", folder, "--filters", "none"}, args...)...)
	texts := map[string]string{}
	for _, d := range pipelinetest.Rows[schemas.Document](t, location) {
		for _, s := range d.Sentences {
			texts[d.Source] += bare(s.Text)
		}
	}
	return texts
}

func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

var tags = regexp.MustCompile(`(?s)^.*?</head>|<[^>]*>`)

// bodyText is the text of a page of the cases, whose markup is plain.
func bodyText(set string, page []byte) string {
	if i := bytes.LastIndex(page, []byte("\r\n\r\n<")); i >= 0 {
		page = bytes.TrimSpace(page[i:]) // of a record
	}
	return bare(tags.ReplaceAllString(string(charset.Lookup(set).Decode(page)), ""))
}

// Pages whose character set is declared badly, wrong, or not at all.
func TestCharsetCases(t *testing.T) {
	cases := realdata.Folder(t, "cases")
	for name, setOf := range map[string]func(file string) string{
		"02-charset-header": func(file string) string {
			return map[string]string{"lt": "windows-1257", "pl": "iso-8859-2", "lv": "iso-8859-13", "tr": "iso-8859-9"}[file[:2]]
		},
		"02c-undeclared": func(file string) string {
			_, set, _ := strings.Cut(strings.TrimSuffix(file, ".html"), "-")
			return strings.Replace(set, "cp874", "windows-874", 1)
		},
		"03-declared-latin1-is-utf8": func(string) string { return "utf-8" },
	} {
		folder := filepath.Join(cases, "cases", name)
		texts := caseTexts(t, folder, "--main", "none")
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		pages := 0
		for _, f := range files {
			if !strings.HasSuffix(f.Name(), ".html") && !strings.HasSuffix(f.Name(), ".warc") {
				continue
			}
			pages++
			data, err := os.ReadFile(filepath.Join(folder, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if want := bodyText(setOf(f.Name()), data); texts[f.Name()] != want {
				t.Errorf("%s/%s: %.300q\nwant %.300q", name, f.Name(), texts[f.Name()], want)
			}
		}
		if pages == 0 || len(texts) != pages {
			t.Errorf("%s: %d documents of %d pages", name, len(texts), pages)
		}
	}
}

// Records whose lengths, chunks and encodings are not what their headers say.
func TestFramingCases(t *testing.T) {
	folder := filepath.Join(realdata.Folder(t, "cases"), "cases", "01-warc-framing")
	texts := caseTexts(t, folder, "--main", "none")
	page := func(name string) string {
		return bare(fmt.Sprintf("The garden gate %[1]s The old garden gate number %[1]s was painted green last summer by two patient neighbours. It took them three long "+
			"evenings to finish the work. Every morning the baker walks past gate %[1]s with a basket of warm bread. Nobody remembers when this habit began, but everybody "+
			"likes it. When the rain comes, gate %[1]s swells and no longer closes. Then the cats of the whole street walk in and out as they please.",
			name))
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.warc*"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, f := range files {
		name := filepath.Base(f)
		id, _, _ := strings.Cut(name, "-")
		want := page(id)
		switch id {
		case "c", "c2", "c3", "c5":
			want = bare("Welcome to our site") + want
		case "g", "g2", "g3", "h", "h2", "l", "i", "j":
			want += page("tail")
		case "j2":
			want = page("tail") // what is damaged is dropped
		}
		if got := texts[name]; got != want {
			t.Errorf("%s: %.300q\nwant %.300q", name, got, want)
		}
	}
	t.Log(slices.Sorted(maps.Keys(texts)))
}

// Pages whose main content is in odd markup. In each the sentences of the article are kept, and no navigation, footer, comment,
// cookie banner or hidden text.
func TestMainContentCases(t *testing.T) {
	folder := filepath.Join(realdata.Folder(t, "cases"), "cases", "06-main-content")
	texts := caseTexts(t, folder, "--keep-code") // one has its article in a pre element
	sentences := []string{"In winter the harbour is quiet", "The old keeper still walks", "He says that the ice came earlier",
		"The gulls sit in long rows", "When the sun comes out at noon", "Their voices echo"}
	files, err := filepath.Glob(filepath.Join(folder, "*.html"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, f := range files {
		got := texts[filepath.Base(f)]
		source, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sentences {
			if strings.Contains(string(source), s) && !strings.Contains(got, bare(s)) {
				t.Errorf("%s lacks %q: %.500q", filepath.Base(f), s, got)
			}
		}
		if len(got) < 100 {
			t.Errorf("%s: %q", filepath.Base(f), got)
		}
		for _, s := range []string{"HIDDEN", "DISPLAYNONE", "VISHIDDEN", "Copyright", "cookies", "HomeNews"} {
			if strings.Contains(got, s) {
				t.Errorf("%s has %s: %.500q", filepath.Base(f), s, got)
			}
		}
	}
}
