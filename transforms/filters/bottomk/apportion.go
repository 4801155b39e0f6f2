package bottomk

import (
	"math"
	"slices"
	"strings"
)

// Stratum is a part of the records, such as those of a language.
type Stratum struct {
	Name string
	// Records is how many there are, at least 0.
	Records int64
}

// Apportion says how many of n records each stratum gives, in the order of the strata, whose names
// differ. A stratum of share p of the records counts as p to the power of alpha: 1 is proportional to
// the records, 0 is the same number of each, and what lies between lifts small strata (Conneau et al.
// 2020, XLM-R, take 0.3). A stratum that runs out gives all that it has, and the others fill up. The
// sum is n, or all records if they are fewer.
//
// Seats are dealt by the method of Webster and Sainte-Laguë: one after another to the stratum with the
// greatest weight divided by its seats so far plus a half, equal ones by name. So no stratum ever gives
// fewer of a larger n, which methods of remainders do not ensure, and samples lie within each other.
// The cost is some 4,000 divisions for each stratum, whatever n is. Powers are rounded to 24 bits, in
// which processors agree.
func Apportion(strata []Stratum, n int64, alpha float64) []int64 {
	seats, total := make([]int64, len(strata)), int64(0)
	for i, s := range strata {
		seats[i] = s.Records
		total += s.Records
	}
	if total <= n {
		return seats
	}
	weights := make([]float64, len(strata))
	for i, s := range strata {
		if weights[i] = float64(s.Records); alpha != 1 {
			weights[i] = float64(float32(math.Pow(weights[i], alpha)))
		}
	}
	deal := func(bound float64) (sum int64) {
		for i, s := range strata {
			seats[i] = seatsAbove(weights[i], s.Records, bound)
			sum += seats[i]
		}
		return sum
	}
	// The least bound above which there are at most n seats; positive floats are ordered as their bits are.
	low, high := uint64(0), math.Float64bits(math.MaxFloat64)
	for low < high {
		if middle := low + (high-low)/2; deal(math.Float64frombits(middle)) <= n {
			high = middle
		} else {
			low = middle + 1
		}
	}
	remaining := n - deal(math.Float64frombits(low))
	order := make([]int, len(strata))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(strata[a].Name, strata[b].Name) })
	lower := math.Float64frombits(max(low, 1) - 1) // the next seats are all worth the bound itself
	for _, i := range order {
		extra := min(remaining, seatsAbove(weights[i], strata[i].Records, lower)-seats[i])
		seats[i] += extra
		remaining -= extra
	}
	return seats
}

// seatsAbove counts the seats of a stratum that are worth more than a bound.
func seatsAbove(weight float64, maximum int64, bound float64) int64 {
	low, high := int64(0), maximum
	for low < high {
		if middle := low + (high-low)/2; weight/(float64(middle)+.5) > bound {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}
