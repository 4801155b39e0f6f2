package search

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Difference is that of paired values, such as those of two models by their seeds.
type Difference struct {
	// N is the number of pairs, Mean the mean of the differences, and Deviation their standard deviation, with n − 1; it is
	// 0 for one pair.
	N         int     `json:"n"`
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
	// Low and High are the interval of 95 % of the mean by Student's t, and P is the two-sided probability of such a mean
	// or a greater one if there is no difference. One pair tells nothing of both: the interval is the mean, and P is 1.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	P    float64 `json:"p"`
}

// Paired returns the difference a − b of values that belong together by their places. Pairs with a value that is not a finite
// number do not count.
func Paired(a, b []float64) (d Difference) {
	var list []float64
	for i := range a {
		if x := a[i] - b[i]; !math.IsNaN(x) && !math.IsInf(x, 0) {
			list = append(list, x)
		}
	}
	d.N, d.P = len(list), 1
	d.Mean, d.Deviation = Moments(list)
	d.Low, d.High = d.Mean, d.Mean
	if d.N < 2 {
		return d
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(d.N - 1)}
	e := d.Deviation / math.Sqrt(float64(d.N))
	half := t.Quantile(.975) * e
	d.Low, d.High = d.Mean-half, d.Mean+half
	if d.Mean != 0 { // without a deviation the difference is sure
		d.P = 2 * t.CDF(-math.Abs(d.Mean)/e)
	}
	return d
}

// Moments returns the mean of values and their standard deviation, with n − 1; both are 0 where there is none, and the
// deviation of one value is 0.
func Moments(values []float64) (mean, deviation float64) {
	switch len(values) {
	case 0:
		return 0, 0
	case 1:
		return values[0], 0
	}
	return stat.MeanStdDev(values, nil)
}
