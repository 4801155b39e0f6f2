package ngram_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
	"sentweave/transforms/tokens/ngram"
)

// readModel reads a file of either format.
func readModel(tb testing.TB, path string) *ngram.Model {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := read(data)
	if err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	return m
}

func read(data []byte) (*ngram.Model, error) {
	if ngram.IsBinary(data) {
		return ngram.ReadBinary(data)
	}
	return ngram.ReadARPA(bytes.NewReader(data), int64(len(data)))
}

// scored is what kenlm says of the sentences by a model.
type scored struct {
	Model     string
	Seconds   float64
	Words     int
	Sentences [][3]any
}

// peer runs kenlm on the handbook in some languages.
func peer(tb testing.TB, languages ...string) []scored {
	tb.Helper()
	python, handbook := realdata.Variable(tb, "SENTWEAVE_KENLM"), realdata.Variable(tb, "SENTWEAVE_HANDBOOK")
	args := append([]string{filepath.Join("testdata", "peer.py"), handbook, tb.TempDir()}, languages...)
	return peertest.Values[scored](tb, peertest.Output(tb, nil, python, args...))
}

// Scores and perplexities of sentences of the handbook are those of kenlm, by models of all kinds.
func TestBesideKenLM(t *testing.T) {
	for _, s := range peer(t, "en-US", "de-DE", "ru-RU", "el-GR", "ja-JP") {
		m := readModel(t, s.Model)
		worst := 0.
		for _, sentence := range s.Sentences {
			text, want, perplexity := sentence[0].(string), sentence[1].(float64), sentence[2].(float64)
			got, words := m.Sentence(text)
			relative := ngram.Perplexity(got, words+1)/perplexity - 1
			worst = max(worst, math.Abs(got-want))
			if math.Abs(got-want) > 1e-6 || math.Abs(relative) > 1e-4 {
				t.Errorf("%s: %q: %v, want %v", s.Model, text, got, want)
			}
		}
		t.Logf("%s: %d sentences, %.1e at most", filepath.Base(s.Model), len(s.Sentences), worst)
	}
}

// BenchmarkScore scores the handbook in English, a word at a time, and says what kenlm takes for the same, in CPU time.
func BenchmarkScore(b *testing.B) {
	for _, s := range peer(b, "en-US") {
		m := readModel(b, s.Model)
		b.Run(strings.TrimPrefix(filepath.Ext(s.Model), "."), func(b *testing.B) {
			b.ReportAllocs()
			begin := peertest.ProcessorSeconds(b)
			for b.Loop() {
				for _, sentence := range s.Sentences {
					m.Sentence(sentence[0].(string))
				}
			}
			b.ReportMetric((peertest.ProcessorSeconds(b)-begin)*1e9/float64(b.N*s.Words), "ns/word")
			b.ReportMetric(s.Seconds*1e9/float64(s.Words), "kenlm-ns/word")
		})
	}
}
