package pairs_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pairs"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
)

// documents makes documents of a corpus.
func documents(t *testing.T, input string) string {
	t.Helper()
	c := pipelinetest.Parse[corpus.Config](t, "--input", input, "--layout", pipelinetest.Layout, "--no-repetition")
	out, _ := pipelinetest.Run(t, c, pipelinetest.Settings(32<<10), pipelinetest.Plain(2))
	return out
}

func make(t *testing.T, documents string, args ...string) ([]schemas.Pair, *dataset.Manifest) {
	t.Helper()
	c := pipelinetest.Parse[pairs.Config](t, append([]string{"--documents", documents}, args...)...)
	out, m := pipelinetest.Run(t, c, pipelinetest.Settings(1), pipelinetest.Plain(2))
	return pipelinetest.Rows[schemas.Pair](t, out), m
}

// The page that a pair stems from, by its document's id.
func pagesOf(t *testing.T, documents string) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, d := range pipelinetest.Rows[schemas.Document](t, documents) {
		_, page, _ := strings.Cut(strings.TrimSuffix(d.Source, ".html"), "/")
		pages[d.ID] = page
	}
	return pages
}

func TestParallel(t *testing.T) {
	docs := documents(t, pipelinetest.Corpus{Pages: 9, Paragraphs: 4}.Write(t))
	pages := pagesOf(t, docs)
	rows, m := make(t, docs, "--kind", "parallel")
	groups := map[uint64]map[string]bool{} // group to the texts' blocks
	blocks := map[string]uint64{}
	found := map[string]int{}
	for _, p := range rows {
		page := pages[p.DocumentA]
		if page != pages[p.DocumentB] || *p.PositionA != *p.PositionB || p.Kind != schemas.KindBitext {
			t.Fatalf("pair %s joins %s and %s", p.ID, page, pages[p.DocumentB])
		}
		found[page]++
		block := page + " " + string(rune('0'+*p.PositionA))
		if groups[*p.Group] == nil {
			groups[*p.Group] = map[string]bool{}
		}
		groups[*p.Group][block] = true
		if other, ok := blocks[block]; ok && other != *p.Group {
			t.Errorf("block %s has groups %x and %x", block, other, *p.Group)
		}
		blocks[block] = *p.Group
		if page == pipelinetest.Mismatched && (p.LanguageA == "deu" || p.LanguageB == "deu") {
			t.Errorf("a pair of the page whose blocks do not match: %s", p.TextA)
		}
	}
	for group, blocks := range groups {
		if len(blocks) != 1 {
			t.Errorf("group %x has blocks %v", group, blocks)
		}
	}
	// The mismatched page gives pairs of the four other languages; the page that is
	// English everywhere and the one without translation give none.
	for page, want := range map[string]bool{"page-0000": true, pipelinetest.Code: true, pipelinetest.Mismatched: true,
		pipelinetest.English: false, pipelinetest.Alone: false} {
		if found[page] > 0 != want {
			t.Errorf("page %s gives %d pairs", page, found[page])
		}
	}
	if want := 4 * 10; found["page-0000"] != want {
		t.Errorf("page-0000 gives %d pairs of four paragraphs in ten pairs of languages, want %d", found["page-0000"], want)
	}
	// One paragraph in three pages is English in all languages.
	if want := 3 * 10; found["page-0001"] != want {
		t.Errorf("page-0001 gives %d pairs, one of its four paragraphs being untranslated, want %d", found["page-0001"], want)
	}
	// Six of the ten pairs of languages are among the four in Latin script. A
	// paragraph in English on a Japanese page falls to the filters, so that it is
	// missing in the other four.
	want := map[string]int64{
		"blocks join mismatched":     4 * 5,     // five German paragraphs, with each other language
		"blocks join untranslated":   3*6 + 4*6, // one paragraph of three pages, four of the English page
		"blocks join missing":        3 * 4,     // one paragraph of three pages
		"pages match no_translation": 1,
	}
	if diff := cmp.Diff(want, pipelinetest.Dropped(m)); diff != "" {
		t.Error(diff)
	}
}

// The German version of a page has one paragraph more than the others, and its sentences are aligned.
func TestAligned(t *testing.T) {
	docs := documents(t, pipelinetest.Corpus{Pages: 9, Paragraphs: 4}.Write(t))
	pages := pagesOf(t, docs)
	rows, m := make(t, docs, "--kind", "parallel", "--align")
	without, _ := make(t, docs, "--kind", "parallel")
	aligned := map[string]int{}
	groups := map[uint64]map[int32]bool{} // group to the English blocks
	for _, p := range rows {
		if p.Score == nil {
			continue
		}
		if pages[p.DocumentA] != pipelinetest.Mismatched || p.LanguageA != "deu" || *p.Score <= .5 || *p.Score > 1 {
			t.Errorf("pair %s of %s and %s on page %s has the score %v", p.ID, p.LanguageA, p.LanguageB, pages[p.DocumentA], *p.Score)
		}
		aligned[p.LanguageB]++
		if p.LanguageB == "eng" {
			if groups[*p.Group] == nil {
				groups[*p.Group] = map[int32]bool{}
			}
			groups[*p.Group][*p.PositionB] = true
		}
	}
	if aligned["eng"] < 4 || aligned["spa"] < 4 || len(aligned) != 4 {
		t.Errorf("pairs of German and other languages: %v, want at least one a paragraph", aligned)
	}
	for _, p := range without {
		of := groups[*p.Group]
		if pages[p.DocumentA] == pipelinetest.Mismatched && p.LanguageA == "eng" && of != nil && !of[*p.PositionA] {
			t.Errorf("block %d of the English page shares a group with blocks %v", *p.PositionA, of)
		}
	}
	if dropped := pipelinetest.Dropped(m); dropped["blocks join mismatched"] != 0 || dropped["blocks join missing"] <= 3*4 {
		t.Errorf("dropped %v, want no mismatched block, and the sentences of the paragraph that only the German page has", dropped)
	}
}

// Two folders of one language hold the same page: one of them takes part, the
// other is counted.
func TestRepeatedLanguage(t *testing.T) {
	input := pipelinetest.Corpus{Pages: 3, Paragraphs: 3, Languages: []string{"eng", "spa"}, Plain: true}.Write(t)
	page, err := os.ReadFile(filepath.Join(input, "spa", "page-0001.html"))
	if err != nil {
		t.Fatal(err)
	}
	pipelinetest.File(t, input, "es/page-0001.html", string(page))
	rows, m := make(t, documents(t, input), "--kind", "parallel")
	if want := 3 * 3; len(rows) != want {
		t.Errorf("%d pairs, want %d", len(rows), want)
	}
	if diff := cmp.Diff(map[string]int64{"pages match repeated_language": 1}, pipelinetest.Dropped(m)); diff != "" {
		t.Error(diff)
	}
}

// Pages in a folder that names no language do not stand in for those of the language
// that they are in.
func TestFolderOfNoLanguage(t *testing.T) {
	input := pipelinetest.Corpus{Pages: 6, Paragraphs: 3, Languages: []string{"eng", "spa"}, Plain: true}.Write(t)
	pages, err := filepath.Glob(filepath.Join(input, "eng", "*.html"))
	if err != nil || len(pages) != 6 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, page := range pages {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		pipelinetest.File(t, input, "images/"+filepath.Base(page), string(content))
	}
	docs := documents(t, input)
	source := map[string]string{}
	for _, d := range pipelinetest.Rows[schemas.Document](t, docs) {
		source[d.ID] = d.Source
	}
	rows, m := make(t, docs, "--kind", "parallel")
	for _, p := range rows {
		if !strings.HasPrefix(source[p.DocumentA], "eng/") {
			t.Errorf("a pair of %s", source[p.DocumentA])
		}
	}
	if diff := cmp.Diff(map[string]int64{"pages match repeated_language": 6}, pipelinetest.Dropped(m)); diff != "" || len(rows) == 0 {
		t.Error(len(rows), diff)
	}
}

// Pages of which none is in the pivot's language are dropped for that.
func TestNoPivot(t *testing.T) {
	input := pipelinetest.Corpus{Pages: 3, Paragraphs: 3, Languages: []string{"eng", "spa"}, Plain: true}.Write(t)
	page, err := os.ReadFile(filepath.Join(input, "spa", "page-0001.html"))
	if err != nil {
		t.Fatal(err)
	}
	pipelinetest.File(t, input, "fi/page-0001.html", string(page))
	rows, m := make(t, documents(t, input), "--kind", "parallel", "--pivot", "fin")
	want := map[string]int64{"pages match no_pivot": 4, "blocks join untranslated": 3}
	if diff := cmp.Diff(want, pipelinetest.Dropped(m)); diff != "" || len(rows) != 3 {
		t.Errorf("%d pairs: %s", len(rows), diff)
	}
	rows, m = make(t, documents(t, input), "--kind", "parallel", "--pivot", "deu")
	most, _ := m.Funnel.Suspicious()
	if len(rows) != 0 || len(most) != 1 || most[0].Reason != pairs.ReasonNoPivot {
		t.Errorf("%d pairs, of which the funnel tells %+v", len(rows), most)
	}
}

// A filter takes the first sentence of a paragraph, and the last of another: they
// are not pairs, unless gaps are kept.
func TestIncomplete(t *testing.T) {
	input := pipelinetest.Corpus{Pages: 3, Paragraphs: 3, Languages: []string{"eng", "spa"}, Plain: true}.Write(t)
	name := filepath.Join(input, "spa", "page-0001.html")
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(page), "<p>", "<p>Nota 1. ", 1)
	last := strings.LastIndex(edited, "</p>\n</article>")
	edited = edited[:last] + " Fin." + edited[last:]
	pipelinetest.File(t, input, "spa/page-0001.html", edited)
	docs := documents(t, input)
	for _, tt := range []struct {
		args  []string
		pairs int
		drops map[string]int64
	}{
		{nil, 7, map[string]int64{"blocks join incomplete": 2}},
		{[]string{"--keep-gaps"}, 9, map[string]int64{}},
	} {
		rows, m := make(t, docs, append([]string{"--kind", "parallel"}, tt.args...)...)
		if len(rows) != tt.pairs {
			t.Errorf("%v: %d pairs, want %d", tt.args, len(rows), tt.pairs)
		}
		if diff := cmp.Diff(tt.drops, pipelinetest.Dropped(m)); diff != "" {
			t.Errorf("%v: %s", tt.args, diff)
		}
	}
}

// A paragraph is left in English but for a reference: it is not a pair, unless only
// equal ones are to go.
func TestNearlyUntranslated(t *testing.T) {
	input := pipelinetest.Corpus{Pages: 3, Paragraphs: 3, Languages: []string{"eng", "deu"}, Plain: true}.Write(t)
	const left = "<p>The keeper of the lighthouse wrote down every ship that passed the island in winter. The book is kept in the library, and anyone may read it there (%s).</p></article>"
	for language, reference := range map[string]string{"eng": "see section 4", "deu": "siehe Abschnitt 4"} {
		name := filepath.Join(input, language, "page-0001.html")
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pipelinetest.File(t, input, language+"/page-0001.html",
			strings.Replace(string(page), "</article>", strings.Replace(left, "%s", reference, 1), 1))
	}
	docs := documents(t, input)
	for _, tt := range []struct {
		args  []string
		pairs int
		drops map[string]int64
	}{
		{nil, 9, map[string]int64{"blocks join untranslated": 1}},
		{[]string{"--max-overlap", "1"}, 10, map[string]int64{}},
	} {
		rows, m := make(t, docs, append([]string{"--kind", "parallel"}, tt.args...)...)
		if len(rows) != tt.pairs {
			t.Errorf("%v: %d pairs, want %d", tt.args, len(rows), tt.pairs)
		}
		if diff := cmp.Diff(tt.drops, pipelinetest.Dropped(m)); diff != "" {
			t.Errorf("%v: %s", tt.args, diff)
		}
	}
}

func TestConsecutive(t *testing.T) {
	docs := documents(t, pipelinetest.Corpus{Pages: 120, Paragraphs: 6, Languages: []string{"eng", "jpn"}}.Write(t))
	type place struct {
		document string
		position int32
	}
	texts, blocks := map[place]string{}, map[place]int32{}
	first := map[string]int32{} // block of a document
	for _, d := range pipelinetest.Rows[schemas.Document](t, docs) {
		first[d.ID] = d.Sentences[0].Block
		for _, s := range d.Sentences {
			texts[place{d.ID, s.Position}], blocks[place{d.ID, s.Position}] = s.Text, s.Block
		}
	}
	rows, _ := make(t, docs)
	swapped := 0
	languages := map[string]int{}
	for _, p := range rows {
		first, second := *p.PositionA, *p.PositionB
		if p.Swapped {
			swapped++
			first, second = second, first
		}
		if second != first+1 || p.DocumentA != p.DocumentB {
			t.Fatalf("pair of positions %d and %d, swapped %v", *p.PositionA, *p.PositionB, p.Swapped)
		}
		if texts[place{p.DocumentA, *p.PositionA}] != p.TextA || texts[place{p.DocumentB, *p.PositionB}] != p.TextB {
			t.Fatalf("pair %s is not what is in the document", p.ID)
		}
		languages[p.LanguageA]++
	}
	// Half of the pairs, within four standard deviations.
	n := float64(len(rows))
	if d := math.Abs(float64(swapped) - n/2); d > 4*math.Sqrt(n/4) {
		t.Errorf("%d of %d pairs are swapped", swapped, len(rows))
	}
	if languages["jpn"] == 0 || languages["eng"] == 0 {
		t.Errorf("pairs by language: %v; a language without spaces must not fall under the least number of words", languages)
	}
	// Pairs join neighbouring paragraphs, but not the two around the preformatted block.
	pages := pagesOf(t, docs)
	joined := 0
	for _, p := range rows {
		a, b := blocks[place{p.DocumentA, *p.PositionA}], blocks[place{p.DocumentB, *p.PositionB}]
		if pages[p.DocumentA] != pipelinetest.Code || a == b {
			continue
		}
		joined++
		if min(a, b) == first[p.DocumentA] {
			t.Errorf("pair across the preformatted block: %q, %q", p.TextA, p.TextB)
		}
	}
	if joined == 0 {
		t.Error("no pair joins two paragraphs: the page with the preformatted block tells nothing")
	}
	for probability, want := range map[string]int{"0": 0, "1": len(rows)} {
		rows, _ := make(t, docs, "--swap", probability)
		got := 0
		for _, p := range rows {
			if p.Swapped {
				got++
			}
		}
		if got != want {
			t.Errorf("swap %s: %d of %d", probability, got, len(rows))
		}
	}
}

func TestDocumentsWithoutLayout(t *testing.T) {
	input := pipelinetest.Corpus{Pages: 2, Paragraphs: 3, Plain: true}.Write(t)
	docs, _ := pipelinetest.Run(t, pipelinetest.Parse[corpus.Config](t, "--input", input), pipelinetest.Settings(32<<10),
		pipelinetest.Plain(2))
	err := pipelinetest.Fails(t, pipelinetest.Parse[pairs.Config](t, "--documents", docs, "--kind", "parallel"), pipelinetest.Settings(1))
	if !strings.Contains(err.Error(), "--layout") {
		t.Error(err)
	}
}

// A setting of the other kind of pairs is a misunderstanding, not a thing to ignore.
func TestSettingsOfTheOtherKind(t *testing.T) {
	for args, want := range map[string]string{
		"--kind parallel":                            "",
		"--kind parallel --sliding":                  "sliding is for pairs of the kind consecutive",
		"--kind parallel --mode chunk":               "mode chunk is for",
		"--kind parallel --swap 0.1":                 "swap is for",
		"--kind parallel --min-words 3000":           "",
		"--kind consecutive --pivot deu":             "pivot is for pairs of the kind parallel",
		"--kind consecutive --sentences --keep-gaps": "keep-gaps is for",
		"--kind consecutive --sliding --swap 0.1":    "",
	} {
		_, err := pipelinetest.Configure[pairs.Config](append([]string{"--documents", "x"}, strings.Fields(args)...)...)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

func TestConfigFaultsComeTogether(t *testing.T) {
	err := pairs.Config{Settings: pairs.Settings{Kind: "both", Mode: "chunks", Pivot: "klingonese", MaxWords: -1}}.Validate()
	for _, part := range []string{`kind "both"`, "chunks", "klingonese", "documents is empty"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not name %q", err, part)
		}
	}
}
