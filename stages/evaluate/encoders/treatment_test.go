package encoders

import (
	"math"
	"slices"
	"strings"
	"testing"

	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/evaluatetest"
	"sentweave/stages/metrics"
)

// By hand: the codes are 110, 100, 011 and 000, which has no cosine but 0.
func TestCodes(t *testing.T) {
	model := evaluatetest.Points{"a": {1.5, 2, 1}, "b": {3, 0, .5}, "c": {0, 1.01, 9}, "d": {.2, 0, .9}}
	codes, _ := findTreatment("codes")
	v, err := codes.of(model).Encode(t.Context(), encoder.Texts("eng", "a", "b", "c", "d"))
	if err != nil {
		t.Fatal(err)
	}
	dense := v.(encoder.Dense)
	if got := slices.Concat(dense.Row(0), dense.Row(1), dense.Row(2), dense.Row(3)); !slices.Equal(
		got, []float32{1, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0}) {
		t.Error(got)
	}
	for _, pair := range []struct {
		i, j   int
		cosine float64
	}{{0, 1, math.Sqrt(.5)}, {0, 2, .5}, {1, 2, 0}, {0, 3, 0}} {
		if got := v.Cosine(pair.i, v, pair.j); math.Abs(got-pair.cosine) > 1e-6 {
			t.Errorf("cosine of %d and %d is %v, want %v", pair.i, pair.j, got, pair.cosine)
		}
	}
	for _, models := range []Models{{Baseline: []string{"random"}, Vectors: []string{metrics.VectorsRaw, metrics.VectorsCodes}},
		{Model: []string{"mine=" + evaluatetest.BERTFolder(t)}, Vectors: []string{metrics.VectorsCodes}, Layer: -1}} {
		var err error
		for _, spec := range models.Variants() {
			if _, e := models.Inputs(t.Context(), spec); e != nil {
				err = e
			}
		}
		if err == nil || !strings.Contains(err.Error(), "--vectors=codes needs an encoder with a lens; this encoder has none") {
			t.Error(err)
		}
	}
}
