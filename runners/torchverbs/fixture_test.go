package torchverbs

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"sentweave/pipelines/examples"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/stages/train/batches"
)

// corpus is what small encoders are trained on.
type corpus struct{ vocabulary, documents, pairs, consecutive, bitext string }

// newCorpus writes documents and pairs of texts that translate each other, and
// makes examples of both by the pipeline.
func newCorpus(t *testing.T) corpus {
	t.Helper()
	c := corpus{vocabulary: pipelinetest.Vocabulary(t)}
	c.documents, _ = pipelinetest.Documents{Shards: 2, PerShard: 12, Sentences: 8}.Write(t)
	shards := make([][]schemas.Pair, 3)
	for i := range 120 {
		group := uint64(i)
		shards[i%3] = append(shards[i%3], schemas.Pair{
			ID: schemas.DerivedID("test", fmt.Sprint(i)), Kind: schemas.KindBitext, Origin: "test", Group: &group, LanguageA: "eng",
			LanguageB: "deu",
			TextA:     pipelinetest.Sentence("eng", i), TextB: pipelinetest.Sentence("deu", i),
		})
	}
	c.pairs = datasettest.Write(t, nil, shards...)
	c.consecutive = examplesOf(t, c.vocabulary, "--documents", c.documents, "--mode=sentence", "--min-tokens=4", "--max-tokens=24")
	c.bitext = examplesOf(t, c.vocabulary, "--pairs", c.pairs, "--mask=trainer", "--max-tokens=24")
	return c
}

func examplesOf(t *testing.T, vocabulary string, args ...string) string {
	t.Helper()
	config := pipelinetest.Parse[examples.Config](t, append(args, "--vocabulary", vocabulary)...)
	location, m := pipelinetest.Run(t, config, pipelinetest.Settings(1<<12), pipelinetest.Plain(2))
	if m.Rows < 20 {
		t.Fatalf("%d examples of %v", m.Rows, args)
	}
	return location
}

// copied copies a file to another name in a new folder.
func copied(t *testing.T, path, name string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file(t, name, string(content))
}

// What the pipeline records of its vocabulary is what the trainer asks for: the
// pieces, whatever the file is called and however its lines end.
func TestFingerprint(t *testing.T) {
	c := newCorpus(t)
	other := copied(t, c.vocabulary, "english.txt")
	content, err := os.ReadFile(c.vocabulary)
	if err != nil {
		t.Fatal(err)
	}
	foreign := file(t, "vocab.txt", strings.TrimSuffix(strings.ReplaceAll(string(content), "\n", "\r\n"), "\r\n"))
	named := examplesOf(t, other, "--pairs", c.pairs)
	tests := []struct {
		name, vocabulary, dataset, want string
	}{
		{"consecutive", c.vocabulary, c.consecutive, ""},
		{"bitext", c.vocabulary, c.bitext, ""},
		{"the same file elsewhere", copied(t, c.vocabulary, "vocab.txt"), c.bitext, ""},
		{"another name for both", other, named, ""},
		{"another name", other, c.bitext, ""},
		{"the dataset's has another name", c.vocabulary, named, ""},
		{"other ends of lines", foreign, c.bitext, ""},
		{"the dataset's has other ends of lines", c.vocabulary, examplesOf(t, foreign, "--pairs", c.pairs), ""},
		{"one piece more", vocabularyWith(t, c.vocabulary, "another"), c.bitext, "was made with the vocabulary"},
		{"another content", file(t, "vocab.txt", pieces), c.bitext, "make all examples with the model's vocabulary"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e, err := architecture{Vocabulary: test.vocabulary}.open(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			_, err = batches.OpenExamples(t.Context(), test.dataset, e.fingerprint)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
