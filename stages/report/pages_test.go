package report

import (
	"fmt"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/stages/report/markup"
	"sentweave/stages/report/markup/markuptest"
	"sentweave/transforms/document"
)

// TestPages: a page says what was kept of it, shows why blocks and sentences were dropped, and
// is cut where it is long.
func TestPages(t *testing.T) {
	drop := func(step, reason, detail string) document.Verdict {
		return document.Verdict{Step: step, Reason: reason, Detail: detail}
	}
	o := &document.Outcome{Document: schemas.Document{Source: "a/<b>.html", Language: "eng", URL: "https://example.org/" +
		markuptest.Nasty}}
	o.Blocks = []document.Item{
		{Text: "Home", Block: 0, Main: .04, Verdict: drop("main_content", "boilerplate", "navigation")},
		{Text: markuptest.Nasty + strings.Repeat("é", 500), Block: 1, Main: .97},
		{Text: "x = 1", Block: 2, Main: .8, Verdict: drop("main_content", "preformatted", "")},
	}
	for i := range 330 {
		o.Blocks = append(o.Blocks, document.Item{Text: fmt.Sprint("block ", i), Block: int32(3 + i), Main: 1})
	}
	o.Sentences = []document.Item{{Text: "It stays.", Block: 1}}
	for i := range 25 {
		o.Sentences = append(o.Sentences,
			document.Item{Text: fmt.Sprint("No ", i, "."), Block: 1, Verdict: drop("quality", "too_short", "3")})
	}
	dropped := &document.Outcome{Document: schemas.Document{Source: "b.warc", Offset: 17, Language: "und"},
		Verdict: drop("read", "not_html", "")}
	r, err := experiment{Title: "Pages", Pages: []Page{NewPage(o), NewPage(dropped)}}.Report()
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	if err := markup.Write(&page, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"a/&lt;b&gt;.html, English: kept; 331 of 333 blocks and 1 of 26 sentences kept",
		"dropped, 4 %: navigation<", "dropped, 80 %: preformatted<", "kept, 97 %: 25 of 26 sentences dropped<",
		"<li>quality: too_short (3): No 19.</li>\n<li>and 5 more sentences</li>",
		"The rest of the page is not shown: 33 of 33 blocks kept.",
		"b.warc:17, ", "dropped by read: not_html", "The page was dropped before it had blocks.",
		"1 of them kept",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page.String(), markuptest.Nasty) || strings.Contains(page.String(), strings.Repeat("é", 401)) ||
		strings.Contains(page.String(), "block 299") {
		t.Error("a text is not escaped or not cut")
	}
}

// The parts of a plot belong together.
func TestPlotWithoutEmbeddings(t *testing.T) {
	c := Config{Results: []string{"r"}, Distilled: "split", Groups: 50}
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "--distilled is for the plot: give --embeddings, too") {
		t.Error(err)
	}
}
