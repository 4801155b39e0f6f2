package corpus_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
)

// Documents with listed words of their language go, the same at any parallelism; the share is a score, and the plan knows the lists.
func TestWords(t *testing.T) {
	root, lists := t.TempDir(), t.TempDir()
	for i := range 6 {
		language := []string{"en", "de", "fr"}[i%3]
		page := `<html lang=` + language + `><body><p>` + prose(i) + `</p><p>` + prose(i+1) + `</p>%s</body></html>`
		pipelinetest.File(t, root, fmt.Sprintf("a%d.html", i), fmt.Sprintf(page, ""))
		pipelinetest.File(t, root, fmt.Sprintf("b%d.html", i),
			fmt.Sprintf(page, "<p>Whoever reads this is a Twit or a dunder head, he said.</p>"))
	}
	list := func(name, text string) string {
		pipelinetest.File(t, lists, name, text)
		return filepath.Join(lists, name)
	}
	words := "en=" + list("a.txt", "twit\nnincompoop\n") + ",de=" + list("b.txt", "dunder head\n")
	args := []string{"--input", root, "--main", "none", "--no-repetition", "--words", words}
	location, m := run(t, 1<<9, 1, args...)
	if n := pipelinetest.Dropped(m)["documents quality listed_words"]; n != 4 || m.Rows != 8 {
		t.Errorf("%d documents, %d dropped: %v", m.Rows, n, pipelinetest.Dropped(m))
	}
	again, _ := run(t, 1<<9, 3, args...)
	if diff := cmp.Diff(pipelinetest.Digests(t, location), pipelinetest.Digests(t, again)); diff != "" {
		t.Error(diff)
	}
	var record map[string]any
	if err := json.Unmarshal(m.Plan.Config, &record); err != nil ||
		fmt.Sprint(record["language_files"], record["max_listed_words"]) != "[words deu words eng] 0" {
		t.Errorf("%v, %v", record, err)
	}
	if _, other := run(t, 1<<20, 1, append(args, "--words", "*="+list("b.txt", "dunder head\nninny\n"))...); other.Rows != 6 ||
		other.Plan.InputHash("words *") == "" || m.Plan.InputHash("words deu") == "" {
		t.Errorf("%d documents by lists of the hash %s", other.Rows, other.Plan.InputHash("words *"))
	}
	location, _ = run(t, 1<<20, 1, append(args, "--scores", "--max-listed-words", ".9")...)
	for _, d := range pipelinetest.Rows[schemas.Document](t, location) {
		share, ok := d.Score("words_listed")
		if ok != (d.Language != "fra") || ok && (share > 0) != strings.HasPrefix(d.Source, "b") {
			t.Errorf("%s: %v", d.Source, d.Scores)
		}
		if kept, ok := d.Score(schemas.KeptScore); !ok || kept != 1 {
			t.Errorf("%s: %v", d.Source, d.Scores)
		}
	}
	for args, want := range map[string]string{
		"--words xx=a":                            `words: language "xx" is unknown`,
		"--words en=a --words eng=b":              "words: en and eng are one language, which has one file",
		"--words en= --words *=b":                 "words: en has no file",
		"--words en=none.txt":                     "none.txt",
		"--words en=" + list("c.txt", "a\nb\xff"): "line 2: it is not text in UTF-8",
		"--words en=" + list("d.txt", ""):         "it has no words",
		"--filters words":                         "words is empty: give the filter words a list",
		"--filters stopes --words en=" + lists:    "words has no effect without the filter words",
		"--max-listed-words .1":                   "max-listed-words has no effect without the filter words",
		"--max-listed-words 2 --words " + words:   "max-listed-words 2: want a share",
	} {
		config, err := pipelinetest.Configure[corpus.Config](append([]string{"--input", root}, strings.Fields(args)...)...)
		if err == nil {
			err = pipelinetest.Fails(t, config, pipelinetest.Settings(1<<20))
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}
