package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
)

// The data half of the recipe bitext-encoder, which needs no libtorch: no text that is
// measured is in training, and the vocabulary is learnt from training alone.
func TestBitextEncoder(t *testing.T) {
	root := t.TempDir()
	input, out := filepath.Join(root, "opus"), filepath.Join(root, "my")
	if err := os.Mkdir(input, 0o777); err != nil {
		t.Fatal(err)
	}
	var sides [2]strings.Builder
	for i := range 3000 {
		german := pipelinetest.Sentence("deu", i)
		if i%100 > 90 { // it translates several texts
			german = pipelinetest.Sentence("deu", i%100)
		}
		fmt.Fprintln(&sides[0], german)
		fmt.Fprintf(&sides[1], "%s unique%d\n", pipelinetest.Sentence("eng", i), i)
	}
	pipelinetest.File(t, input, "c.de-en.de", sides[0].String())
	pipelinetest.File(t, input, "c.de-en.en", sides[1].String())
	args := []string{"run", "bitext-encoder", "--out", out, "--set", "input=" + input, "--set", "languages=eng,deu", "--set", "heldout=0.1",
		"--set", "pivot=eng", "--only", "pairs,heldout,unseen,wordcounts,vocabulary"}
	sentweave(t, args...).expect(t, 0, []string{"in_other_dataset", "pieces"}, []string{"dedup: "})
	at := func(step string) []schemas.Pair {
		return pipelinetest.Rows[schemas.Pair](t, filepath.Join(out, step))
	}
	training, words := map[string]bool{}, map[string]bool{}
	for _, p := range at("pairs") {
		training[p.TextA], training[p.TextB] = true, true
	}
	for _, w := range pipelinetest.Rows[schemas.WordCount](t, filepath.Join(out, "wordcounts")) {
		words[w.Word] = true
	}
	unseen, heldout := at("unseen"), at("heldout")
	if len(heldout) < 200 || len(heldout) > 400 || len(unseen) < 150 || len(unseen) >= len(heldout) {
		t.Errorf("%d pairs are held out, %d of them unseen", len(heldout), len(unseen))
	}
	for _, p := range unseen {
		word := p.TextB[strings.LastIndexByte(p.TextB, ' ')+1:]
		if training[p.TextA] || training[p.TextB] || words[word] {
			t.Errorf("%q, %q is in training", p.TextA, p.TextB)
		}
	}
	args[slices.Index(args, "heldout=0.1")] = "heldout=0"
	sentweave(t, args...).expect(t, 2, nil, []string{"--set heldout=… is 0, it must be a share"})
}
