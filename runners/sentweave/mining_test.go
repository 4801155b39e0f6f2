package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"sentweave/pipelines/pipelinetest"
	"sentweave/runners/libtorch"
	"sentweave/schemas"
)

// The recipe mining, whole, on two folders of pages of the Debian handbook: the pairs are found by MiniLM, which knows some
// German, the page has their F1 by the pages that translate each other, and no text that is measured is in training.
func TestMining(t *testing.T) {
	handbook, langid, miniLM := os.Getenv("SENTWEAVE_HANDBOOK"), os.Getenv("SENTWEAVE_LID176"), os.Getenv("SENTWEAVE_MINILM")
	if handbook == "" || langid == "" || miniLM == "" || os.Getenv(libtorch.Variable) == "" {
		t.Skipf("skipped: SENTWEAVE_HANDBOOK, SENTWEAVE_LID176, SENTWEAVE_MINILM or %s is not set", libtorch.Variable)
	}
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	for language, folder := range map[string]string{"deu": "de-DE", "eng": "en-US"} {
		for _, name := range []string{"apt-cache", "aptosid", "automatic-upgrades", "administration-interfaces", "apt-get"} {
			data, err := os.ReadFile(filepath.Join(handbook, folder, "sect."+name+".html"))
			if err != nil {
				t.Fatal(err)
			}
			place(t, at("pages/"+language+"/"+name+".html"), data)
		}
	}
	sentweave(t, "corpus", "--input", at("pages"), "--layout", "{language}/{page}.html", "--langid", langid, "--out", at("documents")).
		expect(t, 0, anything, anything)
	sentweave(t, "pairs", "--kind", "parallel", "--sentences", "--documents", at("documents"), "--out", at("gold")).
		expect(t, 0, anything, anything)
	args := []string{"run", "mining", "--out", at("my")}
	for _, setting := range []string{"source=" + at("pages/deu"), "source-language=deu", "target=" + at("pages/eng"), "target-language=eng",
		"langid=" + langid, "encoder=" + miniLM, "gold=" + at("gold"), "heldout=0.1", "vocabulary-size=1000", "bag.steps=10", "steps=3"} {
		args = append(args, "--set", setting)
	}
	sentweave(t, args...).expect(t, 0, anything, anything)
	page, err := os.ReadFile(at("my/report.html"))
	if err != nil {
		t.Fatal(err)
	}
	f1 := regexp.MustCompile(`In mined, \d+ of \d+ pairs are among the \d+ true ones: .* F1 ([\d.]+) %`).FindSubmatch(page)
	if f1 == nil {
		t.Fatal("the page has no F1")
	}
	if value, err := strconv.ParseFloat(string(f1[1]), 64); err != nil || value < 50 {
		t.Errorf("%s", f1[0])
	}
	t.Logf("%s", f1[0])
	training, documents := map[string]bool{}, map[string]bool{}
	for _, name := range []string{"my/source-pages", "my/target-pages"} {
		for _, d := range pipelinetest.Rows[schemas.Document](t, at(name)) {
			documents[d.ID] = true
		}
	}
	for _, p := range pipelinetest.Rows[schemas.Pair](t, at("my/pairs")) {
		training[p.TextA], training[p.TextB] = true, true
		if !documents[p.DocumentA] || !documents[p.DocumentB] || p.LanguageA != "deu" || p.LanguageB != "eng" {
			t.Errorf("%+v", p)
		}
	}
	unseen := pipelinetest.Rows[schemas.Pair](t, at("my/unseen"))
	for _, p := range unseen {
		if training[p.TextA] || training[p.TextB] {
			t.Errorf("%q, %q is in training", p.TextA, p.TextB)
		}
	}
	if len(unseen) < 10 || len(training) < 100 {
		t.Errorf("%d pairs are measured, %d texts are in training", len(unseen), len(training))
	}
	if again := sentweave(t, args...); again.code != 0 || !strings.Contains(again.stderr, "source-vectors is complete, nothing to do") {
		t.Errorf("%+v", again)
	}
}
