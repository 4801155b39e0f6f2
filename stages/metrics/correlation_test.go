package metrics

import (
	"fmt"
	"math"
	"testing"
)

func TestCorrelation(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		name              string
		x, y              []float64
		pearson, spearman float64
	}{
		{"a line", []float64{1, 2, 3}, []float64{10, 20, 30}, 1, 1},
		{"a falling line", []float64{1, 2, 3}, []float64{3, 2, 1}, -1, -1},
		{"a curve keeps its ranks", []float64{1, 2, 3, 4}, []float64{1, 8, 27, 64}, 104 / math.Sqrt(5*2390),
			1}, // deviations -1.5 -.5 .5 1.5 and -24 -17 2 39
		{"deviations -1 0 1 and -1 1 0", []float64{1, 2, 3}, []float64{1, 3, 2}, .5, .5},
		// Ranks 1.5 1.5 3 4 and 1 2 3 4: 4.5/sqrt(4.5·5).
		{"a tie", []float64{7, 7, 8, 9}, []float64{1, 2, 3, 4}, 3.5 / math.Sqrt(2.75*5), 4.5 / math.Sqrt(4.5*5)},
		{"equal values", []float64{1, 2, 3}, []float64{.1, .1, .1}, nan, nan},
		{"one value", []float64{1}, []float64{2}, nan, nan},
		{"no value", nil, nil, nan, nan},
	}
	same := func(a, b float64) bool { return math.Abs(a-b) < 1e-14 || a != a && b != b }
	for _, test := range tests {
		if p, s := LinearCorrelation(test.x, test.y), RankCorrelation(test.x, test.y); !same(p, test.pearson) || !same(s, test.spearman) {
			t.Errorf("%s: Pearson %v, want %v; Spearman %v, want %v", test.name, p, test.pearson, s, test.spearman)
		}
	}
	if got := fmt.Sprint(Ranks([]float64{3, 1, 3, 2, 3})); got != "[4 1 4 2 4]" {
		t.Errorf("ranks %s", got)
	}
}
