package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sentweave/pipelines/pipelinetest"
	"sentweave/runners/libtorch"
	"sentweave/schemas"
)

// The recipe mining, whole, on two folders of pages of the Debian handbook: the pairs are found by MiniLM, which knows some
// German, the page has their F1 by the pages that translate each other, and no text that is measured is in training. A page is
// held out of all of it, with a sentence that is mined where the page is not held out.
func TestMining(t *testing.T) {
	handbook, langid, miniLM := os.Getenv("SENTWEAVE_HANDBOOK"), os.Getenv("SENTWEAVE_LID176"), os.Getenv("SENTWEAVE_MINILM")
	if handbook == "" || langid == "" || miniLM == "" || os.Getenv(libtorch.Variable) == "" {
		t.Skipf("skipped: SENTWEAVE_HANDBOOK, SENTWEAVE_LID176, SENTWEAVE_MINILM or %s is not set", libtorch.Variable)
	}
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	canaries := map[string]string{"deu": "Der Kanarienvogel Xavier Quillfeather singt 4711 Lieder in Montevideo.",
		"eng": "The canary bird Xavier Quillfeather sings 4711 songs in Montevideo."}
	mined := func(folder, dataset string) bool {
		return slices.ContainsFunc(pipelinetest.Rows[schemas.Pair](t, at(folder+"/"+dataset)), func(p schemas.Pair) bool {
			return p.TextA == canaries["deu"] || p.TextB == canaries["eng"]
		})
	}
	for language, folder := range map[string]string{"deu": "de-DE", "eng": "en-US"} {
		for _, name := range []string{"apt-cache", "aptosid", "automatic-upgrades", "administration-interfaces", "apt-get", "backup"} {
			data, err := os.ReadFile(filepath.Join(handbook, folder, "sect."+name+".html"))
			if err != nil {
				t.Fatal(err)
			}
			if name == "backup" { // the last of the six names
				data = bytes.ReplaceAll(data, []byte("</p>"), []byte("</p><p>"+canaries[language]+"</p>"))
			}
			place(t, at("pages/"+language+"/"+name+".html"), data)
		}
	}
	sentweave(t, "corpus", "--input", at("pages"), "--layout", "{language}/{page}.html", "--langid", langid, "--out", at("documents")).
		expect(t, 0, anything, anything)
	sentweave(t, "pairs", "--kind", "parallel", "--sentences", "--documents", at("documents"), "--out", at("gold")).
		expect(t, 0, anything, anything)
	args := []string{"run", "mining"}
	for _, setting := range []string{"source=" + at("pages/deu"), "source-language=deu", "target=" + at("pages/eng"), "target-language=eng",
		"langid=" + langid, "encoder=" + miniLM, "gold=" + at("gold"), "heldout=0.1", "vocabulary-size=1000", "bag.steps=10", "steps=3"} {
		args = append(args, "--set", setting)
	}
	sentweave(t, append(args, "--out", at("all"), "--only=source-pages,target-pages,source-vectors,target-vectors,mined")...).
		expect(t, 0, anything, anything)
	args = append(args, "--out", at("my"))
	for _, step := range []string{"source-pages", "target-pages"} {
		args = append(args, "--set="+step+".pages-modulus=6", "--set="+step+".pages-ranks=0,1,2,3,4")
	}
	sentweave(t, args...).expect(t, 0, anything, anything)
	if !mined("gold", "") || !mined("all", "mined") || mined("my", "mined") || mined("my", "filtered") || mined("my", "pairs") {
		t.Error("the canary is in no true pair, is not found in pages that are not held out, or is found in held-out ones")
	}
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
