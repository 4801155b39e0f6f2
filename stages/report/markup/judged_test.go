package markup

import (
	"strings"
	"testing"

	"sentweave/stages/report/markup/markuptest"
)

// TestJudged: texts are in their order, escaped, each with what was made of it.
func TestJudged(t *testing.T) {
	var page strings.Builder
	items := []JudgedText{{Text: markuptest.Nasty, Kept: true, Kind: "paragraph", Probability: .934, Parts: []string{"+0.5 words = 7"}},
		{Text: "Home", Kind: "list item", Reason: "navigation"}}
	if err := Write(&page, Report{Title: "A page", Sections: []Section{{"Blocks", []Block{Judged{items}}}}}); err != nil {
		t.Fatal(err)
	}
	kept := strings.Index(page.String(), `<li class="kept">`)
	dropped := strings.Index(page.String(), `<li class="dropped"><p dir="auto">Home</p>`)
	if kept < 0 || dropped < kept || !strings.Contains(page.String(), "kept, 93 %, paragraph<") ||
		!strings.Contains(page.String(), "dropped, 0 %, list item: navigation<") ||
		!strings.Contains(page.String(), "<li>&#43;0.5 words = 7</li>") || strings.Contains(page.String(), markuptest.Nasty) {
		t.Error(page.String()[strings.Index(page.String(), "<main>"):])
	}
	items[1].Probability = 1.5
	if err := Write(&page, Report{Title: "A page", Sections: []Section{{"Blocks", []Block{Judged{items}}}}}); err == nil ||
		!strings.Contains(err.Error(), "judged text 2") {
		t.Errorf("a probability of 1.5: %v", err)
	}
}
