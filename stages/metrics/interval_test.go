package metrics

import (
	"math"
	"testing"
)

// The intervals are those of Newcombe, Statistics in Medicine 17 (1998), table I,
// method 3.
func TestWilson(t *testing.T) {
	for _, test := range []struct{ hits, n, low, high float64 }{
		{81, 263, .2553, .3662}, {15, 148, .0624, .1605}, {0, 20, 0, .1611}, {1, 29, .0061, .1718},
	} {
		low, high := Wilson(test.hits/test.n, test.n)
		if math.Abs(low-test.low) > 5e-5 || math.Abs(high-test.high) > 5e-5 {
			t.Errorf("%v of %v: %.4f to %.4f, want %.4f to %.4f", test.hits, test.n, low, high, test.low, test.high)
		}
	}
	if low, high := Wilson(1, 0); low != 0 || high != 1 {
		t.Errorf("nothing tried: %v to %v", low, high)
	}
	// Directions that always agree count once, independent ones up to each by itself.
	agree, each := []float64{0, 1, 1, 0, 1, 0, 1, 1}, []float64{.5, .5, .5, .5, 1, .5, 1, .5}
	_, low, high := ShareInterval(agree, 2)
	if l, h := Wilson(.625, 8); math.Abs(low-l) > 1e-12 || math.Abs(high-h) > 1e-12 {
		t.Errorf("agreeing directions: %v to %v, want %v to %v", low, high, l, h)
	}
	_, low, high = ShareInterval(each, 2)
	if l, h := Wilson(.625, 16); math.Abs(low-l) > 1e-12 || math.Abs(high-h) > 1e-12 {
		t.Errorf("independent directions: %v to %v, want %v to %v", low, high, l, h)
	}
}

// Of four pairs to find three are extracted and two of these are right: F1 is 4/7, and J 2/5. By hand.
func TestF1Interval(t *testing.T) {
	for name, test := range map[string]struct {
		correct, union []float64
		j, n           float64
	}{
		"pairs by themselves":     {[]float64{1, 1, 0, 0, 0}, []float64{1, 1, 1, 1, 1}, .4, 5},
		"a wrong and a lost pair": {[]float64{1, 1, 0, 0}, []float64{1, 1, 2, 1}, .4, .4 * .6 * 25 / (2*.36 + .64 + .16)},
		"all right":               {[]float64{1, 1, 0}, []float64{1, 1, 0}, 1, 2},
		"none right":              {[]float64{0, 0}, []float64{1, 2}, 0, 3},
		"nothing":                 {nil, nil, 0, 0},
	} {
		low, high := F1Interval(test.correct, test.union)
		l, h := Wilson(test.j, test.n)
		if math.Abs(low-2*l/(1+l)) > 1e-12 || math.Abs(high-2*h/(1+h)) > 1e-12 || low > 2*test.j/(1+test.j) || high < 2*test.j/(1+test.j) {
			t.Errorf("%s: %v to %v, want %v to %v", name, low, high, 2*l/(1+l), 2*h/(1+h))
		}
	}
}
