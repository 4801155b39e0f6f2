package metrics

import (
	"math"
	"sort"
)

// LinearCorrelation returns the linear correlation of two lists of equal length, in
// [-1, 1]; NaN where one of them is constant or has fewer than two values.
func LinearCorrelation(x, y []float64) float64 {
	n := float64(len(x))
	meanX, meanY := 0.0, 0.0
	for i := range x {
		meanX, meanY = meanX+x[i]/n, meanY+y[i]/n
	}
	var xx, yy, xy float64
	constant := [2]bool{true, true}
	for i := range x {
		a, b := x[i]-meanX, y[i]-meanY
		xx, yy, xy = xx+a*a, yy+b*b, xy+a*b
		constant[0] = constant[0] && x[i] == x[0] // the mean of equal values may be off by a bit
		constant[1] = constant[1] && y[i] == y[0]
	}
	if constant[0] || constant[1] {
		return math.NaN()
	}
	return max(-1, min(1, xy/math.Sqrt(xx)/math.Sqrt(yy)))
}

// RankCorrelation returns the linear correlation of average ranks, NaN as for LinearCorrelation.
func RankCorrelation(x, y []float64) float64 { return LinearCorrelation(Ranks(x), Ranks(y)) }

// Ranks returns the rank of each value, from 1; equal values share the mean of
// their ranks.
func Ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return x[order[a]] < x[order[b]] })
	ranks := make([]float64, len(x))
	for i := 0; i < len(order); {
		k := i + 1
		for k < len(order) && x[order[k]] == x[order[i]] {
			k++
		}
		for _, place := range order[i:k] {
			ranks[place] = float64(i+1+k) / 2
		}
		i = k
	}
	return ranks
}
