package corpus

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/dataset"
	"sentweave/schemas/doctable"
	"sentweave/schemas/storage"
	"sentweave/transforms/clean/maincontent"
	"sentweave/transforms/document"
	"sentweave/transforms/filters"
	"sentweave/transforms/read/layout"
)

// TestFormats: no two formats share a name or an extension, and each has all that the reader asks for.
func TestFormats(t *testing.T) {
	seen := map[string]bool{formatAuto: true}
	for _, f := range formats {
		for _, name := range append(slices.Clone(f.extensions), f.name) {
			if seen[name] || name != strings.ToLower(name) {
				t.Errorf("%s: %q is there twice, or not in small letters", f.name, name)
			}
			seen[name] = true
		}
		if len(f.extensions) == 0 || f.title == "" || f.documents == "" || f.read == nil || f.whole == nil ||
			f.isArchive() != (f.take != nil) {
			t.Errorf("%s lacks something: %+v", f.name, f)
		}
	}
}

// TestFormatsByName: each extension leads to its format, in any case of letters and compressed. Web archives are compressed by gzip alone.
func TestFormatsByName(t *testing.T) {
	for _, f := range formats {
		for _, extension := range f.extensions {
			for name, want := range map[string]string{"a/b.c" + extension: "", "a/B" + strings.ToUpper(extension): "",
				"b" + extension + ".gz": ".gz", "b" + extension + ".XZ": ".xz"} {
				found, compression := formatOf(name)
				if (found != f || compression != want) && (found != nil || !f.isArchive() || want != ".xz") {
					t.Errorf("%s: %v, compressed %q", name, found, compression)
				}
			}
		}
	}
	if found, _ := formatOf("a.docx"); found != nil {
		t.Errorf("a.docx has the format %s", found.name)
	}
}

// TestDocsOfFormats compares the table of formats in the documentation with the list.
func TestDocsOfFormats(t *testing.T) {
	var want [][]string
	for _, f := range formats {
		want = append(want, []string{f.name, strings.Join(f.extensions, " "), f.documents})
	}
	if diff := cmp.Diff(want, doctable.Rows(t, "runners/docs/corpus.md", "| format | files |")); diff != "" {
		t.Errorf("the formats in runners/docs/corpus.md differ from the list:\n%s", diff)
	}
}

// TestDocsOfFilters: the documentation names no filter that is not there.
func TestDocsOfFilters(t *testing.T) {
	data, err := os.ReadFile("../../runners/docs/corpus.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`--filters ([a-z0-9,-]+)`).FindAllStringSubmatch(string(data), -1)
	if named == nil {
		t.Fatal("runners/docs/corpus.md has no example with --filters")
	}
	for _, list := range named {
		if names := strings.Split(list[1], ","); list[1] != "none" && len(filters.List.Ordered(names)) != len(names) {
			t.Errorf("runners/docs/corpus.md: --filters %s, there are %s", list[1],
				strings.Join(filters.List.Names(nil), ", "))
		}
	}
}

// readFile returns the records of a file.
func readFile(t *testing.T, name, content string) (list []document.Record) {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	r := recordReader{config: Config{Format: formatAuto, Documents: documentsFile, TextField: "text"}, folder: storage.NewLocal(root)}
	err := r.records(t.Context(), dataset.Span{Name: name, To: int64(len(content))}, func(record document.Record) error {
		record.HTML = slices.Clone(record.HTML)
		list = append(list, record)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestEmptyFiles: a file of any format that holds nothing gives at most one record, with a reason.
func TestEmptyFiles(t *testing.T) {
	for _, f := range formats {
		records := readFile(t, "a"+f.extensions[0], "")
		builder, err := document.NewBuilder(document.DefaultConfig(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(records) > 1 || f.whole(Config{Documents: documentsFile}) && len(records) != 1 {
			t.Errorf("%s: %d records", f.name, len(records))
		}
		for _, r := range records {
			if o := builder.Build(r); o.Kept() {
				t.Errorf("%s: an empty file is kept", f.name)
			}
		}
	}
}

// TestMarkdownRecords: a file of Markdown is a page, and what the front matter states is in the row.
func TestMarkdownRecords(t *testing.T) {
	const text = "# Tea\n\nBoil fresh water and let it cool for three minutes. Pour it over the leaves, and wait.\n\n" +
		"```\nmake tea with a program that is code\n```\n\n- They should float freely, because their taste needs room.\n"
	type row struct {
		URL, Language, Verdict string
		Date                   int64
		Sentences              []string
	}
	sentences := []string{"Boil fresh water and let it cool for three minutes.", "Pour it over the leaves, and wait.",
		"They should float freely, because their taste needs room."}
	for _, test := range []struct {
		why, content string
		want         row
	}{
		{"no front matter", text, row{Language: "und", Sentences: sentences}},
		{"front matter", "---\nlang: en\ndate: 2024-03-01\nurl: https://a.org/tea\n---\n" + text,
			row{URL: "https://a.org/tea", Language: "eng", Date: 1709251200000, Sentences: sentences}},
		{"a short file with its heading",
			"# Contributing to the tea project\n\nPlease open a discussion before you begin with large changes.\n\n" +
				"- Then send the patch to the list of the project.\n",
			row{Language: "und", Sentences: []string{"Contributing to the tea project",
				"Please open a discussion before you begin with large changes.", "Then send the patch to the list of the project."}}},
		{"nothing in it", "---\nlang: en\n---\n", row{Language: "und", Verdict: "parse no_text"}},
		{"spaces", " \n\n", row{Language: "und", Verdict: "read empty"}},
		{"two encodings", strings.Repeat("é\xe9", 50), row{Language: "und", Verdict: "read invalid_encoding"}},
		{"a program", "MZ\x00\x00", row{Language: "und", Verdict: "read binary"}},
		{"nesting", strings.Repeat("> ", 500) + "x", row{Language: "und", Verdict: "read too_deep"}},
	} {
		builder, err := document.NewBuilder(document.DefaultConfig(), nil)
		if err != nil {
			t.Fatal(err)
		}
		records := readFile(t, "a.md", test.content)
		if len(records) != 1 {
			t.Fatalf("%s: %d records", test.why, len(records))
		}
		o := builder.Build(records[0])
		got := row{URL: o.Document.URL, Language: o.Document.Language, Date: o.Document.Date,
			Verdict: strings.TrimSpace(o.Step + " " + o.Reason)}
		for _, s := range o.Document.Sentences {
			got.Sentences = append(got.Sentences, s.Text)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s:\n%s", test.why, diff)
		}
	}
}

// TestMDXRecords: the names of files tell MDX, in which braces are code.
func TestMDXRecords(t *testing.T) {
	for name, want := range map[string]bool{"mdx.md": true, "a.MDX": false, "a.mdx.markdown": false} {
		records := readFile(t, name, "Tea {props.kind} is hot.\n")
		if got := bytes.Contains(records[0].HTML, []byte("props")); got != want {
			t.Errorf("%s: braces are text: %v", name, got)
		}
	}
}

// TestMarkdownEqualsHTML: a page and the same page in Markdown give equal sentences in blocks of equal ordinals, so that their
// translations can be joined.
func TestMarkdownEqualsHTML(t *testing.T) {
	config := document.DefaultConfig()
	config.Classifier = maincontent.KeepAll{} // as of a file of Markdown
	builder, err := document.NewBuilder(config, nil)
	if err != nil {
		t.Fatal(err)
	}
	list := []string{
		"Boil fresh water and let it cool for three minutes.", "Pour it over the leaves, and wait until they float.",
		"A second cup of the same leaves takes less time than the first.", "The old name of the drink came from the harbour.",
		"Nobody in the village had seen such leaves before.",
	}
	page := builder.Build(readFile(
		t, "a.html", fmt.Sprintf("<!DOCTYPE html><html><body><h1>Green tea</h1><p>%s <em>%s</em></p><pre>x = 1</pre><ul><li>%s</li></ul>"+
			"<table><thead><tr><th>%s</th></tr></thead><tbody><tr><td>%s</td></tr></tbody></table></body></html>", list[0], list[1],
			list[2],
			list[3], list[4]))[0])
	text := builder.Build(readFile(
		t, "a.md", fmt.Sprintf("# Green tea\n\n%s *%s*\n\n    x = 1\n\n- %s\n\n| %s |\n|---|\n| %s |\n", list[0], list[1], list[2], list[3],
			list[4]))[0])
	if !page.Kept() || len(page.Document.Sentences) != 5 {
		t.Fatalf("%+v, %d sentences", page.Verdict, len(page.Document.Sentences))
	}
	if diff := cmp.Diff(page.Document.Sentences, text.Document.Sentences); diff != "" {
		t.Error(diff)
	}
}

func TestFormatOfALayout(t *testing.T) {
	tests := []struct{ pattern, name, language, page, format string }{
		{"{language}/{page}.html", "pt-BR/a/b.html", "por", "a/b", "html"},
		{"{language}/{page}.html", "de/a.html.gz", "deu", "a", "html"},
		{"{language}/{page}.html", "de/a.html.zst", "deu", "a", "html"},
		{"{language}/{page}.html", "a.html", "", "a.html", "html"},
		{"{page}.{language}.html", "ch1/features.zh-cn.html", "zho_Hans", "ch1/features", "html"},
		// As web servers negotiate languages and encodings: no extension of ours.
		{"{page}.html.{language}", "mod/core.html.de", "deu", "mod/core", "html"},
		{"{page}.html.{language}", "index.html.ru.utf8", "rus", "index", "html"},
		{"{page}.html.{language}", "index.html.ko.euc-kr", "kor", "index", "html"},
		{"{page}.html.{language}", "index.html.zh-cn.utf8", "zho_Hans", "index", "html"},
		{"{page}.txt.{language}", "readme.txt.fr", "fra", "readme", "text"},
		{"{page}.html.{language}", "logo.png", "", "logo.png", ""},
		{"{language}/{page}", "de/readme", "deu", "readme", ""},
		{"{language}/{page}.md", "de/readme.md", "deu", "readme", "markdown"},
		{"{page}.md.{language}", "README.md.zh-cn", "zho_Hans", "README", "markdown"},
		{"text/{language}/{page}", "text/de/readme.html", "deu", "readme.html", "html"},
	}
	for _, tt := range tests {
		l, err := layout.Parse(tt.pattern)
		if err != nil {
			t.Fatal(err)
		}
		stated, page, _ := l.Read(tt.name)
		format := ""
		if found, _ := (Config{Format: formatAuto, Layout: tt.pattern}).formatOf(l, tt.name); found != nil {
			format = found.name
		}
		if code := parseStated(stated); code != tt.language || page != tt.page || format != tt.format {
			t.Errorf("%s of %s: language %q, page %q, format %q; want %q, %q, %q", tt.pattern, tt.name, code, page, format, tt.language,
				tt.page, tt.format)
		}
	}
}
