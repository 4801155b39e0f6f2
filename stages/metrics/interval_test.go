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
