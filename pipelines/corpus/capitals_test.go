package corpus_test

import (
	"path/filepath"
	"strings"
	"testing"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/realdata"
)

// A page in capitals has the language of the same page in small letters, and all of its sentences.
func TestCapitals(t *testing.T) {
	model := realdata.Variable(t, "SENTWEAVE_LID176")
	folder := filepath.Join(realdata.Folder(t, "cases/07-langid-caps"), "cases/07-langid-caps")
	location, _ := run(t, 1<<20, 1, "--input", folder, "--format", "auto", "--langid", model)
	languages, n := map[string]string{}, map[string]int{}
	for _, d := range pipelinetest.Rows[schemas.Document](t, location) {
		languages[d.Source], n[d.Source] = d.Language, len(d.Sentences)
	}
	for name, code := range languages {
		lower := strings.Replace(name, "-upper", "-lower", 1)
		if code != name[:3] || code != languages[lower] || n[name] != 3 || n[lower] != 3 {
			t.Errorf("%s is %s with %d sentences, and %s is %s with %d", name, code, n[name], lower, languages[lower], n[lower])
		}
	}
	if len(languages) < 20 {
		t.Errorf("%d documents", len(languages))
	}
}
