package batches

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestDrawsByHand(t *testing.T) {
	for _, test := range []struct {
		shares []float64
		want   string
	}{
		// Deadlines 4/3 and 4, 8/3 and 4, 4 and 4 of which the first counts; then A has its share.
		{[]float64{.75, .25}, "AAABAAABAAAB"},
		// 2 and 4 and 4; B before C; 4 and 4 for A and C; C.
		{[]float64{.5, .25, .25}, "ABACABAC"},
		{[]float64{1}, "AAAA"},
	} {
		d := &Draws{groups: [][]int{make([]int, len(test.shares))}, Shares: test.shares, Taken: make([]int64, len(test.shares))}
		for i := range test.shares {
			d.groups[0][i] = i
		}
		got := ""
		for range test.want {
			got += string(rune('A' + d.Next()[0]))
		}
		if got != test.want {
			t.Errorf("%v: %s, want %s", test.shares, got, test.want)
		}
	}
}

// After any number of batches, each source has given its share of them but for less than one.
func TestDrawsKeepTheShares(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 2; n < 12; n++ {
		d := &Draws{groups: [][]int{nil}, Taken: make([]int64, n)}
		sum := 0.
		for i := range n {
			d.groups[0] = append(d.groups[0], i)
			d.Shares = append(d.Shares, math.Pow(r.Float64(), 4)+1e-4)
			sum += d.Shares[i]
		}
		for i := range n {
			d.Shares[i] /= sum
		}
		for b := range 5000 {
			d.Next()
			for i, taken := range d.Taken {
				if share := d.Shares[i] * float64(b+1); math.Abs(float64(taken)-share) >= 1 {
					t.Fatalf("%v: after %d batches source %d gave %d, its share is %v", d.Shares, b+1, i, taken, share)
				}
			}
		}
	}
}
