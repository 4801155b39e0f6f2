//go:build libtorch

package embed

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
)

// Folders that sentence-transformers saves give its vectors, with the prompts that they
// name, in the pooling and out of it.
func TestSavedBySentenceTransformers(t *testing.T) {
	base := realdata.Variable(t, "SENTWEAVE_MINILM")
	texts := savedTexts
	folder := t.TempDir()
	answers := savedAnswers(t, texts, base, folder)
	if len(answers) != 16 {
		t.Fatal(len(answers))
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			vectors := vectorsOf(t, ModelConfig{Model: filepath.Join(folder, name), Layer: -1, Prompt: answer.Prompt}, texts)
			for i, want := range answer.Vectors {
				if d := distance(vectors[i*len(want):(i+1)*len(want)], want); d > 1e-5 {
					t.Errorf("%.40q: the vector differs by %v", texts[i], d)
				}
			}
		})
	}
	plain := vectorsOf(t, ModelConfig{Model: filepath.Join(folder, "prompt"), Layer: -1, NoPrompt: true}, texts)
	if want := answers["plain"].Vectors[0]; distance(plain[:len(want)], want) > 1e-5 {
		t.Error("a prompt was put before a text, though none was wanted")
	}
	if want := answers["prompt"].Vectors[0]; distance(plain[:len(want)], want) < 1e-3 {
		t.Error("the prompt changes nothing")
	}
}

var savedTexts = []string{"What is the capital of France?", "", "Die Größe der Stadt – 東京です。", "Привет, мир! नमस्ते",
	strings.Repeat("many words ", 300), "query", " leading space"}

// savedAnswer is what sentence-transformers gives for texts.
type savedAnswer struct {
	Vectors [][]float32
	Prompt  string
}

// savedAnswers are those of saved.py, by the names of its forms, or skips.
func savedAnswers(t *testing.T, texts []string, args ...string) (answers map[string]savedAnswer) {
	t.Helper()
	peertest.Answer(t, texts, &answers, peertest.PyTorch(t), append([]string{filepath.Join("testdata", "saved.py")}, args...)...)
	return answers
}

// That the ends of texts are cut off is noted once.
func TestLongTexts(t *testing.T) {
	base := realdata.Variable(t, "SENTWEAVE_MINILM")
	texts := pairsOf(t, 3)
	for most, want := range map[int]string{0: "", 3: "the ends of texts are cut off that have more than the 3 tokens that the model takes"} {
		c := Config{ModelConfig: ModelConfig{Model: base, Layer: -1, MaxTokens: most}, Texts: texts, ShardBytes: 1}
		c.Device, c.Precision = "cpu", "float32"
		var notes []string
		if _, _, err := Run(t.Context(), filepath.Join(t.TempDir(), "out"), c, Options{Open: Open, Note: func(text string) {
			notes = append(notes, text)
		}}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(notes, "; "); got != want {
			t.Errorf("%d tokens: notes %q, want %q", most, got, want)
		}
	}
}

// The published model of another architecture, whose special tokens have other names than BERT's, gives the vectors of
// sentence-transformers.
func TestMPNet(t *testing.T) {
	base := realdata.Variable(t, "SENTWEAVE_MPNET")
	vectors := vectorsOf(t, ModelConfig{Model: base, Layer: -1}, savedTexts)
	for i, want := range savedAnswers(t, savedTexts, base)[""].Vectors {
		if d := distance(vectors[i*len(want):(i+1)*len(want)], want); d > 1e-5 {
			t.Errorf("%.40q: the vector differs by %v", savedTexts[i], d)
		}
	}
}

func vectorsOf(t *testing.T, c ModelConfig, texts []string) []float32 {
	t.Helper()
	c.Device, c.Precision = "cpu", "float32"
	m, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	vectors, err := m.Vectors(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

// distance is the greatest difference of two numbers.
func distance(a, b []float32) (d float64) {
	for i := range b {
		d = max(d, math.Abs(float64(a[i])-float64(b[i])))
	}
	return d
}
