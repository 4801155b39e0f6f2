package bottomk

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// What is kept are the lowest ranks that fit, in whatever order records come, and no rank twice.
func TestBounded(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 1))
	var ranks []uint64
	for range 500 {
		ranks = append(ranks, draw.Uint64()>>draw.IntN(60))
	}
	size := func(rank uint64) int { return int(rank%7) + 1 }
	sorted := slices.Compact(slices.Sorted(slices.Values(ranks)))
	for _, limit := range []int{0, 1, 50, 1000, 1 << 20} {
		want, sum := 0, 0
		for want < len(sorted) && sum+size(sorted[want]) <= limit {
			sum += size(sorted[want])
			want++
		}
		for range 5 {
			draw.Shuffle(len(ranks), func(i, j int) { ranks[i], ranks[j] = ranks[j], ranks[i] })
			b := NewBounded[uint64](limit)
			for _, rank := range ranks {
				takes := b.Takes(rank)
				if takes == slices.ContainsFunc(b.Records, func(r Ranked[uint64]) bool { return r.Rank == rank }) && takes {
					t.Errorf("rank %d would be taken twice", rank)
				}
				b.Add(Ranked[uint64]{rank, size(rank), rank})
			}
			var got []uint64
			for _, r := range b.Records {
				got = append(got, r.Value)
			}
			slices.Sort(got)
			if b.Size != sum || !slices.Equal(got, sorted[:want]) {
				t.Errorf("limit %d: size %d, %d records; want %d, %d", limit, b.Size, len(got), sum, want)
			}
		}
	}
}
