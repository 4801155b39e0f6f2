package bootstrap

import "slices"

// ranking is the order of values, from which the ranks within any draw follow in one pass.
type ranking struct {
	order []int32
	// last says that the next value in the order is another one.
	last []bool
	// distinct says that no two values are equal.
	distinct bool
}

func newRanking(values []float64) ranking {
	r := ranking{order: make([]int32, len(values)), last: make([]bool, len(values)), distinct: true}
	for i := range r.order {
		r.order[i] = int32(i)
	}
	slices.SortFunc(r.order, func(a, b int32) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return int(a - b)
	})
	for i := range r.last {
		r.last[i] = i+1 == len(r.order) || values[r.order[i]] != values[r.order[i+1]]
		r.distinct = r.distinct && r.last[i]
	}
	return r
}

// draw sets the rank of each item within a draw of n, less the mean of all ranks, times the number
// of times that it was drawn, and returns the sum of the squares of the ranks that were drawn.
// Equal items share the mean of their ranks. Ranks are multiples of one half, so the sums of
// equal ones are exactly zero.
func (r ranking) draw(ranks []float64, counts []int32, n int64) (squares float64) {
	lower, equal, start := int64(0), int64(0), 0
	for i, item := range r.order {
		equal += int64(counts[item])
		if !r.last[i] {
			continue
		}
		rank := float64(2*lower+equal-n) / 2 // lower + (equal + 1) / 2 less (n + 1) / 2
		for _, item := range r.order[start : i+1] {
			ranks[item] = float64(counts[item]) * rank
		}
		squares += float64(equal) * rank * rank
		lower, equal, start = lower+equal, 0, i+1
	}
	return squares
}

// products returns the sums of the products of the ranks with those of another ranking that draw
// has set, and of the squares of the ranks, which untied holds for values that are distinct. It
// goes along the order, so that the ranks need no place.
func (r ranking) products(ranks []float64, counts []int32, n int64, untied float64) (products, squares float64) {
	lower := int64(0)
	if r.distinct {
		for _, item := range r.order {
			count := int64(counts[item])
			products += float64(2*lower+count-n) * ranks[item]
			lower += count
		}
		return products / 2, untied
	}
	equal, sum := int64(0), 0.
	for i, item := range r.order {
		equal += int64(counts[item])
		sum += ranks[item]
		if !r.last[i] {
			continue
		}
		rank := float64(2*lower+equal-n) / 2
		products += rank * sum
		squares += float64(equal) * rank * rank
		lower, equal, sum = lower+equal, 0, 0
	}
	return products, squares
}

// untied returns the sum of the squares of the ranks, less their mean, of distinct items that are
// drawn so often: it does not depend on their order (Kendall and Gibbons 1990, chapter 3).
func untied(counts []int32, n int64) float64 {
	cube := func(x float64) float64 { return x * (x*x - 1) }
	sum := cube(float64(n))
	for _, c := range counts {
		sum -= cube(float64(c))
	}
	return sum / 12
}
