package vectors

import (
	"math"
	"testing"
)

func TestUnusable(t *testing.T) {
	nan, infinite := float32(math.NaN()), float32(math.Inf(-1))
	for _, tt := range []struct {
		vector []float32
		want   string
	}{
		{[]float32{0, -1}, ""},
		{[]float32{0, 0}, ReasonZero},
		{[]float32{1}, ReasonDimension},
		{nil, ReasonDimension},
		{[]float32{1, 2, nan}, ReasonDimension},
		{[]float32{1, nan}, ReasonNotFinite},
		{[]float32{infinite, 0}, ReasonNotFinite},
	} {
		if got := Unusable(tt.vector, 2); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.vector, got, tt.want)
		}
	}
}
