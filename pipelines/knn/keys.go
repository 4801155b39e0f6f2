package knn

import (
	"cmp"
	"context"
	"slices"
)

// compareKeys compares the queries of each key with its candidates, which all have queries.
func (s *Search) compareKeys(ctx context.Context) error {
	queries, candidates := byKey(s.Queries.Keys), byKey(s.Candidates.Keys)
	for len(candidates) > 0 {
		key := s.Candidates.Keys[candidates[0]]
		for s.Queries.Keys[queries[0]] < key {
			queries = queries[1:]
		}
		asking, asked := run(queries, s.Queries.Keys, key), run(candidates, s.Candidates.Keys, key)
		if err := s.match(ctx, queries[:asking], candidates[:asked]); err != nil {
			return err
		}
		queries, candidates = queries[asking:], candidates[asked:]
	}
	return nil
}

// byKey returns the places of keys in the order of the keys, those of equal ones in theirs.
func byKey(keys []uint64) []int {
	list := make([]int, len(keys))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(i, j int) int { return cmp.Compare(keys[i], keys[j]) })
	return list
}

// run is how many of the first places have a key.
func run(places []int, keys []uint64, key uint64) (n int) {
	for n < len(places) && keys[places[n]] == key {
		n++
	}
	return n
}
