package pipelines_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/dedup"
	"sentweave/pipelines/examples"
	"sentweave/pipelines/pairs"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/wordcounts"
	"sentweave/schemas"
	"sentweave/transforms/tokens/wordpiece"
)

const canary = "xylophonist"

// A word that is in held-out pages only reaches nothing that is trained on.
// The training side wants fewer languages than the held-out side: the pages must
// be parted alike all the same.
func TestNoLeakage(t *testing.T) {
	c := pipelinetest.Corpus{Pages: 24, Paragraphs: 4}
	// The canary is in the pages of odd rank, among all pages in order of name.
	ranks := map[string]int{}
	for name := range c.Files() {
		_, page, _ := strings.Cut(name, "/")
		ranks[page] = 1 // after a page that is written below
	}
	for page := range ranks {
		for other := range ranks {
			if strings.TrimSuffix(other, ".html") < strings.TrimSuffix(page, ".html") {
				ranks[page]++
			}
		}
	}
	held := 0
	c.Canary = func(language, page string) string {
		if ranks[page+".html"]%2 == 0 {
			return ""
		}
		held++
		return "The " + canary + " was the only one who stood in these pages before the concert."
	}
	input := c.Write(t)
	// A page that is in one language alone must not shift the ranks of the others.
	pipelinetest.File(t, input, "fra/aaa.html", pipelinetest.HTML("fra", "aaa", []string{"<p>" + pipelinetest.Sentence("fra", 1) + "</p>"}))
	if held == 0 {
		t.Fatal("no canary")
	}
	settings := pipelinetest.Settings(32 << 10)
	part := func(rank string, more ...string) string {
		args := append([]string{"--input", input, "--layout", pipelinetest.Layout, "--pages-modulus", "2", "--pages-ranks", rank}, more...)
		out, m := pipelinetest.Run(t, pipelinetest.Parse[corpus.Config](t, args...), settings, pipelinetest.Plain(2))
		if m.Rows == 0 {
			t.Fatalf("part %s is empty", rank)
		}
		return out
	}
	heldout := part("1")
	if n := count(t, heldout); n == 0 {
		t.Fatal("no canary in the held-out part")
	}
	for name, training := range map[string]string{"all languages": part("0"), "two languages": part("0", "--languages", "en,de")} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			trainsOn(t, training)
		})
	}
	t.Run("against", func(t *testing.T) {
		all, _ := pipelinetest.Run(t, pipelinetest.Parse[corpus.Config](t, "--input", input, "--layout", pipelinetest.Layout), settings,
			pipelinetest.Plain(2))
		if count(t, all) == 0 {
			t.Fatal("no canary")
		}
		for _, what := range []string{"--level=document", "--level=sentence", "--level=paragraph", "--near=datatrove"} {
			out, m := pipelinetest.Run(t, pipelinetest.Parse[dedup.Config](t, "--documents", all, "--against", heldout, what),
				settings, pipelinetest.Plain(2))
			if n := count(t, out); n != 0 || m.Rows == 0 {
				t.Errorf("%s: %d texts of the held-out part among %d documents", what, n, m.Rows)
			}
		}
	})
}

// count returns the number of sentences of documents that hold the canary.
func count(t *testing.T, documents string) (n int) {
	t.Helper()
	for _, d := range pipelinetest.Rows[schemas.Document](t, documents) {
		for _, s := range d.Sentences {
			if strings.Contains(s.Text, canary) {
				n++
			}
		}
	}
	return n
}

// trainsOn makes everything that training reads of documents and looks for the canary.
func trainsOn(t *testing.T, documents string) {
	settings := pipelinetest.Settings(1 << 20)
	if n := count(t, documents); n > 0 {
		t.Errorf("%d sentences of documents", n)
	}
	words, _ := pipelinetest.Run(t, pipelinetest.Parse[wordcounts.Config](t, "--documents", documents), settings, pipelinetest.Plain(2))
	for _, w := range pipelinetest.Rows[schemas.WordCount](t, words) {
		if strings.Contains(w.Word, canary) {
			t.Errorf("word %q", w.Word)
		}
	}
	vocabulary := pipelinetest.Vocabulary(t)
	data, err := os.ReadFile(vocabulary)
	if err != nil {
		t.Fatal(err)
	}
	pipelinetest.File(t, filepath.Dir(vocabulary), "vocab.txt", string(data)+canary+"\n")
	v, err := wordpiece.NewVocabulary(append(strings.Fields(string(data)), canary))
	if err != nil {
		t.Fatal(err)
	}
	id, _ := v.ID(canary)
	for _, kind := range []string{"parallel", "consecutive"} {
		made, m := pipelinetest.Run(t, pipelinetest.Parse[pairs.Config](t, "--documents", documents, "--kind", kind), settings,
			pipelinetest.Plain(2))
		if m.Rows == 0 {
			t.Errorf("no %s pairs", kind)
		}
		for _, p := range pipelinetest.Rows[schemas.Pair](t, made) {
			if strings.Contains(p.TextA+p.TextB, canary) {
				t.Errorf("%s pair %s", kind, p.ID)
			}
		}
	}
	made, m := pipelinetest.Run(t, pipelinetest.Parse[examples.Config](t, "--documents", documents, "--vocabulary", vocabulary), settings,
		pipelinetest.Plain(2))
	if m.Rows == 0 {
		t.Error("no examples")
	}
	for _, e := range pipelinetest.Rows[schemas.Example](t, made) {
		for i, position := range e.MaskPositions { // what stood there before it was masked
			e.TokensB[position] = e.MaskTokens[i]
		}
		for _, token := range append(e.TokensA, e.TokensB...) {
			if token == id {
				t.Errorf("example %s", e.ID)
			}
		}
	}
}
