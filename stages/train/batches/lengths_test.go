package batches

import (
	"fmt"
	"slices"
	"testing"

	"sentweave/schemas"
	"sentweave/stages/objective"
	"sentweave/transforms/random"
)

func TestNoTwoOfAGroup(t *testing.T) {
	for _, tt := range []struct{ rows, size, group, batch int }{{600, 600, 6, 16}, {640, 640, 20, 32}, {300, 300, 9, 10},
		{128, 128, 2, 64}} {
		l := open(t, grouped(t, tt.rows, 3, tt.group),
			LoaderConfig{Source: Source{Objective: objective.BitextName, BatchSize: tt.batch}, Name: "x"})
		groups := map[string]int{}
		for i := range tt.rows {
			groups[row(schemas.KindBitext, i).ID] = i / tt.group
		}
		for i, b := range take(t, l, 0, 3*int(l.pool)) {
			seen := map[int]bool{}
			for _, id := range b.IDs {
				if seen[groups[id]] {
					t.Fatalf("%+v: batch %d holds two of a group", tt, i)
				}
				seen[groups[id]] = true
			}
		}
	}
}

// TestBucketKeepsEveryEntry: also where groups are too large to be kept apart, no
// entry is lost, batches are full, and as few as can be share a batch.
func TestBucketKeepsEveryEntry(t *testing.T) {
	for seed := range uint64(500) {
		s := random.New(1, seed, "test", "", 0)
		size, count, groups := 1+s.IntN(8), 1+s.IntN(12), 1+s.IntN(30)
		pool := make([]entry, size*count)
		members := map[uint64]int{}
		for i := range pool {
			pool[i] = entry{&example{Example: objective.Example{ID: fmt.Sprint(i)}, key: uint64(s.IntN(groups)), length: s.IntN(20)}, 0}
			members[pool[i].key]++
		}
		feasible := true
		for _, n := range members {
			feasible = feasible && n <= count
		}
		batches := bucket(slices.Clone(pool), size, 0, &s)
		ids, conflicts := map[string]bool{}, 0
		for _, b := range batches {
			if len(b) != size {
				t.Fatalf("seed %d: a batch of %d, want %d", seed, len(b), size)
			}
			keys := map[uint64]bool{}
			for _, e := range b {
				ids[e.ID] = true
				if keys[e.key] {
					conflicts++
				}
				keys[e.key] = true
			}
		}
		if len(batches) != count || len(ids) != len(pool) {
			t.Fatalf("seed %d: %d batches of %d entries", seed, len(batches), len(ids))
		}
		if feasible && conflicts > 0 {
			t.Errorf("seed %d: %d conflicts in %d batches of %d, which can be avoided", seed, conflicts, count, size)
		}
	}
}
