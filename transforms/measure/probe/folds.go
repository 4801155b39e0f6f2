package probe

import (
	"fmt"
	"slices"

	"sentweave/transforms/random"
)

// folds cuts rows into k parts with the shares of the classes that all rows have, as
// scikit-learn's StratifiedKFold does since 0.22, in an order that the seed shuffles. Each
// part is sorted. It is an error if every class has fewer than k rows.
func folds(seed uint64, name string, classes []int, indices []int, k int) ([][]int, error) {
	byClass := map[int][]int{}
	var order []int // the classes as they come
	for _, i := range indices {
		c := classes[i]
		if _, ok := byClass[c]; !ok {
			order = append(order, c)
		}
		byClass[c] = append(byClass[c], i)
	}
	largest := 0
	for _, list := range byClass {
		largest = max(largest, len(list))
	}
	if largest < k {
		return nil, fmt.Errorf("no class has %d rows, which %d folds need: the largest one has %d", k, k, largest)
	}
	parts := make([][]int, k)
	place := 0
	for _, c := range order {
		list := byClass[c]
		shuffle := random.New(version, seed, "probe folds "+name, fmt.Sprint(c), 0)
		random.Shuffle(&shuffle, list)
		for _, i := range list { // the next class goes on where this one ends: parts differ by one row
			parts[place%k] = append(parts[place%k], i)
			place++
		}
	}
	for _, part := range parts {
		slices.Sort(part)
	}
	return parts, nil
}

// rowsWithout returns the rows of all parts but one, sorted.
func rowsWithout(parts [][]int, leave int) []int {
	var rest []int
	for i, part := range parts {
		if i != leave {
			rest = append(rest, part...)
		}
	}
	slices.Sort(rest)
	return rest
}

// shareOfDev is the share of the rows that are held out where nothing else is.
const shareOfDev = 0.05

// holdOut draws the rows on which the last fit is looked at.
func holdOut(seed uint64, name string, indices []int) (train, dev []int, err error) {
	n := int(shareOfDev * float64(len(indices)))
	if n == 0 {
		return nil, nil, fmt.Errorf("%d rows are too few: %v of them are held out, which is less than one row", len(indices), shareOfDev)
	}
	order := slices.Clone(indices)
	shuffle := random.New(version, seed, "probe held out", name, 0)
	random.Shuffle(&shuffle, order)
	return order[n:], order[:n], nil
}
