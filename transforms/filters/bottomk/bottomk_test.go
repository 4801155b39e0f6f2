package bottomk_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"sentweave/transforms/filters/bottomk"
)

// Seats as worked out by hand.
func TestApportion(t *testing.T) {
	for _, test := range []struct {
		name    string
		records []int64
		n       int64
		alpha   float64
		want    []int64
	}{
		{"nothing", nil, 5, 1, []int64{}},
		{"none of it", []int64{3, 4}, 0, 1, []int64{0, 0}},
		{"all of it", []int64{3, 4}, 7, .5, []int64{3, 4}},
		{"fewer than asked for", []int64{3, 4}, 100, 0, []int64{3, 4}},
		// The halves of seats give 106, 35.3 and 21.2; 48 and 16; 46 and 15.3 thousand, and next 15.1 for the first.
		{"seven seats", []int64{53000, 24000, 23000}, 7, 1, []int64{3, 2, 2}},
		{"four lists", []int64{340000, 280000, 160000, 60000}, 7, 1, []int64{3, 2, 1, 1}},
		{"balanced", []int64{1000, 1000, 1000}, 9, 0, []int64{3, 3, 3}},
		{"balanced, the rest by name", []int64{1000, 1000, 1000}, 11, 0, []int64{4, 4, 3}},
		{"balanced, one runs out", []int64{1000, 2, 1000}, 12, 0, []int64{5, 2, 5}},
		{"balanced, two run out", []int64{1, 2, 1000}, 100, 0, []int64{1, 2, 97}},
		{"an empty stratum", []int64{0, 10}, 4, 0, []int64{0, 4}},
		// The roots of 900 and 100 are as 3 to 1.
		{"by the root", []int64{900, 100}, 40, .5, []int64{30, 10}},
		{"by the root, one runs out", []int64{900, 4}, 100, .5, []int64{96, 4}},
		{"many", []int64{3_000_000_000, 1_000_000_000}, 1_000_000_000, 1, []int64{750_000_000, 250_000_000}},
	} {
		if got := bottomk.Apportion(strata(test.records), test.n, test.alpha); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func strata(records []int64) (list []bottomk.Stratum) {
	for i, n := range records {
		list = append(list, bottomk.Stratum{Name: fmt.Sprintf("s%03d", i), Records: n})
	}
	return list
}

// A larger sample never takes fewer of a stratum, the sum is exact, and no stratum gives more than it
// has. The method of largest remainders fails this (the Alabama paradox) on the first of these.
func TestApportionIsMonotone(t *testing.T) {
	for _, records := range [][]int64{{6, 6, 2}, {1, 2, 3, 500, 7, 1}, {40, 40, 40, 41}, {9, 0, 1}} {
		for _, alpha := range []float64{0, .3, .5, 1} {
			before, all := make([]int64, len(records)), int64(0)
			for _, n := range records {
				all += n
			}
			for n := int64(0); n <= all+1; n++ {
				got, sum := bottomk.Apportion(strata(records), n, alpha), int64(0)
				for i := range got {
					sum += got[i]
					if got[i] < before[i] || got[i] > records[i] {
						t.Fatalf("%v by %v: %d rows take %v, after %v", records, alpha, n, got, before)
					}
				}
				if sum != min(n, all) {
					t.Fatalf("%v by %v: %d rows take %v", records, alpha, n, got)
				}
				before = got
			}
		}
	}
}

// The order of the strata does not count.
func TestApportionOrder(t *testing.T) {
	list := strata([]int64{10, 10, 3, 10})
	want := bottomk.Apportion(list, 18, 0)
	slices.Reverse(list)
	slices.Reverse(want)
	if got := bottomk.Apportion(list, 18, 0); !slices.Equal(got, want) {
		t.Errorf("%v in the other order, want %v", got, want)
	}
}

// Ranks are uniform, and those of two seeds have nothing to do with each other.
func TestRank(t *testing.T) {
	const n, buckets = 100_000, 16
	var counts [buckets]int
	both := 0
	for i := range n {
		id := fmt.Sprintf("%032x", i)
		rank := bottomk.Rank(1, id)
		counts[bottomk.Bucket(rank, buckets)]++
		if bottomk.Bucket(rank, buckets) == bottomk.Bucket(bottomk.Rank(2, id), buckets) {
			both++
		}
	}
	chi := 0.
	for _, c := range counts {
		chi += math.Pow(float64(c)-n/buckets, 2) / (n / buckets)
	}
	if chi > 37.7 { // 15 degrees of freedom: 0.1 %
		t.Errorf("the ranks of %d ids lie in %v", n, counts)
	}
	if share := float64(both) / n; math.Abs(share-1./buckets) > .004 {
		t.Errorf("%.4f of the ranks of two seeds share a bucket, want %.4f", share, 1./buckets)
	}
	if first, last := bottomk.Bucket(0, 7), bottomk.Bucket(math.MaxUint64, 7); first != 0 || last != 6 {
		t.Errorf("the ends lie in %d and %d", first, last)
	}
}

func BenchmarkRank(b *testing.B) {
	id := fmt.Sprintf("%032x", 7)
	b.ReportAllocs()
	for b.Loop() {
		bottomk.Rank(1, id)
	}
}
