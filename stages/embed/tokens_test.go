//go:build libtorch

package embed

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
	"sentweave/stages/encoder"
	"sentweave/transforms/measure/bertscore"
)

// Scores are those of the package bert-score by the same weights and layer, with and without IDF.
func TestBesideBertScore(t *testing.T) {
	base := realdata.Variable(t, "SENTWEAVE_MINILM")
	candidates := []string{"The cat sat on the mat.", "Nothing of it is alike at all", " spaced  out ", "Die Größe der Stadt – 東京です。",
		"a a a b", strings.Repeat("many words and ", 60), "x"}
	references := []string{"A cat was sitting on a mat.", "Completely other words", "words of another kind",
		"The size of the city of Tokyo.", "b a", "few words", "x"}
	type setting struct {
		Layer int  `json:"layer"`
		IDF   bool `json:"idf"`
	}
	settings := []setting{{6, false}, {6, true}, {3, false}, {4, true}}
	var answers [][][3]float64
	input := map[string]any{"settings": settings, "candidates": candidates, "references": references}
	peertest.Answer(t, input, &answers, peertest.PyTorch(t), filepath.Join("testdata", "bertscore.py"), base)
	if len(answers) != len(settings) || len(answers[0]) != len(candidates) {
		t.Fatal(len(answers))
	}
	for n, test := range settings {
		c := ModelConfig{Model: base, Layer: test.Layer}
		c.Device, c.Precision = "cpu", "float32"
		m, err := OpenTokens(c)
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Tokens(t.Context(), encoder.Texts("", candidates...))
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.Tokens(t.Context(), encoder.Texts("", references...))
		if err := errors.Join(err, m.Close()); err != nil {
			t.Fatal(err)
		}
		var s bertscore.Scorer
		if test.IDF {
			s.IDF = bertscore.NewIDF()
			for _, x := range b {
				s.IDF.Add(x.IDs)
			}
		}
		most := 0.
		for i, w := range answers[n] {
			got, err := s.Score(a[i], b[i])
			if err != nil {
				t.Fatal(err)
			}
			for k, x := range []float64{got.Precision, got.Recall, got.F1} {
				if most = max(most, math.Abs(x-w[k])); math.Abs(x-w[k]) > 1e-4 {
					t.Errorf("layer %d, idf %t, %q and %q: %+v, bert-score %v", test.Layer, test.IDF, candidates[i], references[i], got, w)
				}
			}
		}
		t.Logf("layer %d, idf %t: at most %.1g apart", test.Layer, test.IDF, most)
	}
}
