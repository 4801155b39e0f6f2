//go:build libtorch

package torchverbs

import (
	"os"
	"path/filepath"
	"testing"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
)

const mseTraining = `
periods:
- name: taught
  steps: 80
  rate: 0.01
  optimizer: {name: adamw}
  mixture:
  - {objective: mse, dataset: "${bitext}", batch_size: 8}
`

// taught trains a student by the vectors of a teacher.
func (c corpus) taught(t *testing.T, teacher string) func(out string, flags ...string) []string {
	t.Helper()
	config := file(t, "mse.yaml", mseTraining)
	return func(out string, flags ...string) []string {
		return with([]string{"train", "--out=" + out, "--config=" + config, "--bitext=" + c.bitext, "--teacher=" + teacher, "--threads=1",
			"--vocabulary=" + c.vocabulary,
			"--layers=1", "--hidden=16", "--heads=2", "--intermediate=32", "--positions=48", "--log-every=2", "--checkpoint-every=3"},
			flags...)
	}
}

// embedded embeds pairs by an untrained encoder with vectors of 24 numbers.
func (c corpus) embedded(t *testing.T, flags ...string) (vectors string) {
	t.Helper()
	base := t.TempDir()
	call(t, c.untrained(filepath.Join(base, "teacher"),
		append([]string{"--hidden=24", "--dropout=0", "--initializer-range=0.3"}, flags...)...)...).expect(t, 0, nil, nil)
	vectors = filepath.Join(base, "vectors")
	call(t, "embed", "--out="+vectors, "--model="+filepath.Join(base, "teacher"), "--texts="+c.pairs, "--threads=1").expect(t, 0, nil, nil)
	return vectors
}

// A student two prefixes of which are drawn to a teacher's vectors of another size, through
// networks with running statistics, survives kills.
func TestMSEKilled(t *testing.T) {
	c := newCorpus(t)
	line, prefixes := c.taught(t, c.embedded(t)), file(t, "prefixes.yaml", "objectives: {mse: {dimensions: [16, 6]}}"+mseTraining)
	whole, _ := survives(t, 80, func(out string) []string {
		return line(out, "--config="+prefixes, "--teacher-language=deu", "--teacher-projection=network")
	})
	if r := resultOf(t, whole); r.Losses[len(r.Losses)-1].Loss >= .9*r.Losses[0].Loss {
		t.Errorf("losses %+v", r.Losses)
	}
}

func TestMSEOfOtherTeachers(t *testing.T) {
	c := newCorpus(t)
	teacher, other := c.embedded(t), c.embedded(t, "--seed=9")
	line, out := c.taught(t, teacher), filepath.Join(t.TempDir(), "out")
	call(t, line(out)...).expect(t, 0, []string{out + ": 80 steps"}, nil)
	// The content counts, wherever it stands.
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.CopyFS(moved, os.DirFS(teacher)); err != nil {
		t.Fatal(err)
	}
	call(t, line(out, "--teacher="+moved)...).expect(t, 0, nil, []string{"nothing to do"})
	call(t, line(out, "--teacher="+other)...).expect(t, 1, nil, []string{"the dataset of taught/mse/teacher has other content"})
	absent, none := filepath.Join(t.TempDir(), "absent"), filepath.Join(t.TempDir(), "none")
	for _, test := range []struct{ flag, want string }{
		{"--teacher=" + c.bitext, "holds rows of example"},
		{"--teacher=" + none, none},
		{"--teacher-language=fra", `its languages are "eng" and "deu", teacher_language is "fra"`},
		{"--bitext=" + c.consecutive, "holds examples of the kind consecutive, mse takes bitext, view, single"},
		{"--bitext=" + examplesOf(t, c.vocabulary, "--pairs", twice(t)), "has no vector of the example"},
	} {
		call(t, line(absent, test.flag)...).expect(t, 1, nil, []string{test.want})
		if _, err := os.Stat(absent); err == nil {
			t.Fatalf("%s: the output was made", test.flag)
		}
	}
	if err := program().Check(line(out, "--teacher=")); err == nil {
		t.Error("no teacher is not a fault")
	}
}

// twice are pairs of a text and itself.
func twice(t *testing.T) string {
	t.Helper()
	var rows []schemas.Pair
	for i := range 30 {
		text := pipelinetest.Sentence("eng", 1000+i)
		rows = append(rows, schemas.Pair{ID: schemas.DerivedID("twice", text), Kind: schemas.KindView, Origin: "test", LanguageA: "eng",
			LanguageB: "eng", TextA: text, TextB: text})
	}
	return datasettest.Write(t, nil, rows)
}

// An encoder that is its own teacher has nothing to learn of texts and themselves:
// examples and embeddings of the same pairs belong together row by row.
func TestMSEToItself(t *testing.T) {
	c := newCorpus(t)
	c.pairs = twice(t)
	base := t.TempDir()
	model, vectors, out := filepath.Join(base, "model"), filepath.Join(base, "vectors"), filepath.Join(base, "out")
	call(t, c.untrained(model, "--dropout=0", "--initializer-range=0.3")...).expect(t, 0, nil, nil)
	call(t, "embed", "--out="+vectors, "--model="+model, "--texts="+c.pairs, "--threads=1").expect(t, 0, nil, nil)
	call(t, "train", "--out="+out, "--from="+model, "--config="+file(t, "mse.yaml", mseTraining), "--steps=1", "--log-every=1",
		"--teacher="+vectors, "--threads=1",
		"--bitext="+examplesOf(t, c.vocabulary, "--pairs", c.pairs)).expect(t, 0, nil, nil)
	if loss := resultOf(t, out).Losses[0].Loss; loss > 1e-12 {
		t.Errorf("loss %v", loss)
	}
}
