package corpus

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestHistogram(t *testing.T) {
	for name, test := range map[string]struct {
		values          []float32
		median, octaves string
	}{
		"nothing":   {nil, "[]", "[]"},
		"one":       {[]float32{7}, "[7]", "[{4 1}]"},
		"whole":     {[]float32{0, 1, 2, 3, 127, 128}, "[2]", "[{0 1} {1 1} {2 2} {4 0} {8 0} {16 0} {32 0} {64 1} {128 1}]"},
		"negative":  {[]float32{-3, -2, -1}, "[-2.031249761581421]", "[{0 3}]"}, // the bin to -2,
		"lower end": {[]float32{.9, .99, .999}, "[0.984375]", "[{0 3}]"},        // the bin from 126/128
	} {
		h := &histogram{}
		for _, v := range test.values {
			h.add(v)
		}
		if got := fmt.Sprint(h.quantiles(.5)); got != test.median {
			t.Errorf("%s: the median is %s, want %s", name, got, test.median)
		}
		if got := fmt.Sprint(h.octaves()); got != test.octaves {
			t.Errorf("%s: octaves are %s, want %s", name, got, test.octaves)
		}
	}
}

// Quantiles are those of the sorted numbers, or up to a 64th below.
func TestQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	h, values := &histogram{}, make([]float32, 10_001)
	for i := range values {
		values[i] = float32(r.ExpFloat64() * 1000)
		h.add(values[i])
	}
	slices.Sort(values)
	for i, got := range h.quantiles(.05, .25, .5, .75, .95) {
		exact := float64(values[[]int{500, 2500, 5000, 7500, 9500}[i]])
		if got > exact || got < exact*(1-1./64) {
			t.Errorf("quantile %d is %v, of the sorted numbers %v", i, got, exact)
		}
	}
}
