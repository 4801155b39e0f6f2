package transformer

import "testing"

// Where buckets begin is where those of transformers' MPNet do: relative_position_bucket of the distances from -512 to 512.
func TestBucket(t *testing.T) {
	starts := []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91}
	for distance := int64(0); distance <= 512; distance++ {
		want := int64(-1)
		for _, start := range starts {
			if start <= distance {
				want++
			}
		}
		if got := bucket(-distance, 32); got != want {
			t.Errorf("%d before: bucket %d, want %d", distance, got, want)
		}
		if got := bucket(distance, 32); distance > 0 && got != 16+want {
			t.Errorf("%d behind: bucket %d, want %d", distance, got, 16+want)
		}
	}
}
