package corpus_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
)

// wordModel returns an ARPA file of a model to which all words of a text are equally probable.
func wordModel(text string) string {
	words := map[string]bool{"<s>": true, "</s>": true, "<unk>": true}
	for _, word := range strings.Fields(text) {
		words[word] = true
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\\data\\\nngram 1=%d\nngram 2=1\n\n\\1-grams:\n", len(words))
	for _, word := range slices.Sorted(maps.Keys(words)) {
		fmt.Fprintf(&b, "%d\t%s\n", map[bool]int{true: -9, false: -2}[word == "<unk>"], word)
	}
	return b.String() + "\n\\2-grams:\n-0.1\t<s> </s>\n\n\\end\\\n"
}

// A model without <unk> is taken as KenLM takes it, with a note.
func TestModelWithoutUnknown(t *testing.T) {
	root, files := t.TempDir(), t.TempDir()
	pipelinetest.File(t, root, "a.txt", "Some text.")
	model := wordModel("Some text.")
	pipelinetest.File(t, files, "with.arpa", model)
	pipelinetest.File(t, files, "without.arpa", strings.NewReplacer("ngram 1=5", "ngram 1=4", "-9\t<unk>\n", "").Replace(model))
	for name, want := range map[string]bool{"with.arpa": false, "without.arpa": true} {
		job, err := pipelinetest.Parse[corpus.Config](t, "--input", root, "--perplexity-model", "eng="+filepath.Join(files, name)).Plan(
			t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1))
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(job.Notes, "\n"); strings.Contains(notes, name+" has no <unk>") != want {
			t.Errorf("%s: notes %q", name, notes)
		}
	}
}

// Documents whose words the model of their language does not know go, the same at any parallelism, and those in other languages stay.
// Perplexity is a score, and the plan knows the models.
func TestPerplexity(t *testing.T) {
	root, known := t.TempDir(), ""
	for i := range 6 {
		pipelinetest.File(t, root, fmt.Sprintf("eng/a%d.txt", i), prose(50+i))
		pipelinetest.File(t, root, fmt.Sprintf("eng/b%d.txt", i), shop(50+i))
		pipelinetest.File(t, root, fmt.Sprintf("fra/b%d.txt", i), shop(50+i))
		known += prose(50+i) + " "
	}
	files := t.TempDir()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	fmt.Fprint(w, wordModel(known))
	w.Close()
	pipelinetest.File(t, files, "eng.arpa.gz", packed.String())
	pipelinetest.File(t, files, "other.arpa", wordModel(known+"more"))
	args := []string{"--input", root, "--layout", "{language}/{page}.txt", "--filters", "perplexity", "--perplexity-model",
		"en=" + filepath.Join(files, "eng.arpa.gz"), "--max-perplexity", "1e6,eng=200"}
	location, m := run(t, 1<<9, 1, args...)
	if n := pipelinetest.Dropped(m)["documents quality high_perplexity"]; n != 6 || m.Rows != 12 {
		t.Errorf("%d documents, %v", m.Rows, pipelinetest.Dropped(m))
	}
	again, _ := run(t, 1<<9, 3, args...)
	if diff := cmp.Diff(pipelinetest.Digests(t, location), pipelinetest.Digests(t, again)); diff != "" {
		t.Error(diff)
	}
	var record map[string]any
	if err := json.Unmarshal(m.Plan.Config, &record); err != nil || record["max_perplexity"] != "1e+06,eng=200" ||
		fmt.Sprint(record["language_files"]) != "[perplexity-model eng]" {
		t.Errorf("%v, %v", record, err)
	}
	if notes := (corpus.Config{}).Shortfalls(m); len(notes) > 0 {
		t.Errorf("notes %q", notes)
	}
	args[7] = "eng=" + filepath.Join(files, "other.arpa") + ",nb=" + filepath.Join(files, "other.arpa")
	location, other := run(t, 1<<20, 1, append(args, "--scores")...)
	if a, b := m.Plan.InputHash("perplexity-model eng"), other.Plan.InputHash("perplexity-model eng"); a == "" || a == b {
		t.Errorf("the plans have the models %q and %q", a, b)
	}
	if notes := (corpus.Config{}).Shortfalls(other); !slices.Equal(notes,
		[]string{"--perplexity-model: no document is in nob; `inspect` tells their languages"}) {
		t.Errorf("notes %q", notes)
	}
	verdicts := map[string]int{}
	for _, d := range pipelinetest.Rows[schemas.Document](t, location) {
		for _, s := range d.Scores {
			verdicts[d.Language+" "+s.Name]++
		}
	}
	if diff := cmp.Diff(map[string]int{"eng blocks": 12, "eng perplexity": 12, "eng kept": 6, "eng dropped_high_perplexity": 6,
		"fra blocks": 6, "fra kept": 6}, verdicts); diff != "" {
		t.Error(diff)
	}
	pipelinetest.File(t, files, "text.bin", "no model")
	t.Chdir(files)
	for args, want := range map[string]string{
		"eng=none.bin":                               "perplexity-model: none.bin: ",
		"eng=text.bin":                               `perplexity-model: text.bin: line 1: "no model", want \data\`,
		"eng=other.arpa --pieces eng=text.bin":       "pieces: text.bin: it is not a model of SentencePiece",
		"eng=other.arpa --pieces fra=text.bin":       "pieces: fra has no --perplexity-model",
		"eng=other.arpa,en=other.arpa":               "perplexity-model: en and eng are one language",
		"xx-y=other.arpa":                            `language "xx-y" is unknown`,
		"eng=other.arpa --filters stopes":            "perplexity-model has no effect without the filter perplexity",
		"eng=other.arpa --max-perplexity 0":          "max-perplexity 0: want positive numbers",
		"eng=other.arpa --max-perplexity 10,20":      "max-perplexity 10,20: two numbers are for all languages: want",
		"eng=other.arpa --max-perplexity en=1,eng=2": "max-perplexity en=1,eng=2: eng has two numbers: want",
		"eng=other.arpa --max-perplexity xx-y=1":     `language "xx-y" is unknown`,
	} {
		args := append([]string{"--input", root, "--perplexity-model"}, strings.Fields(args)...)
		config, err := pipelinetest.Configure[corpus.Config](args...)
		if err == nil {
			err = pipelinetest.Fails(t, config, pipelinetest.Settings(1<<20))
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}
