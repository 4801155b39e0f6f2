package bootstrap

import "slices"

// ranking is the order of values, from which the ranks within any draw follow in one pass.
type ranking struct {
	order []int32
	// last says that the next value in the order is another one.
	last []bool
}

func newRanking(values []float64) ranking {
	r := ranking{order: make([]int32, len(values)), last: make([]bool, len(values))}
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
	}
	return r
}

// fill sets the rank of each item within a draw of n, less the mean of all ranks. Equal items
// share the mean of their ranks; those that were not drawn get some number.
func (r ranking) fill(ranks []float64, counts []int32, n int64) {
	before, equal, from := int64(0), int64(0), 0
	for i, at := range r.order {
		equal += int64(counts[at])
		if !r.last[i] {
			continue
		}
		rank := float64(2*before+equal-n) / 2 // before + (equal + 1) / 2 less (n + 1) / 2
		for _, at := range r.order[from : i+1] {
			ranks[at] = rank
		}
		before, equal, from = before+equal, 0, i+1
	}
}
