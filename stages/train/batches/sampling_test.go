package batches

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
)

// counted are classes of so many examples, in one row group.
func counted(totals ...int64) *classes {
	c := &classes{}
	for i, n := range totals {
		c.names = append(c.names, fmt.Sprint(i))
		c.before = append(c.before, []int64{0, n})
	}
	return c
}

func TestSharesByHand(t *testing.T) {
	for _, test := range []struct {
		totals []int64
		alpha  float64
		want   []int64
	}{
		// As they occur, whatever rounding does to n/111 × 111.
		{[]int64{1, 10, 100}, 1, []int64{1, 10, 100}},
		{[]int64{49, 3, 3, 3, 41}, 1, []int64{49, 3, 3, 3, 41}},
		// Roots of 900 and 100 are in proportion 3 to 1: 750 and 250.
		{[]int64{900, 100}, .5, []int64{750, 250}},
		// Roots 9, 3 and 1 of 81, 9 and 1: 91 × 9/13 = 63, 91 × 3/13 = 21, 7.
		{[]int64{81, 9, 1}, .5, []int64{63, 21, 7}},
		// Roots 5, 4 and 1 of 25, 16 and 1: 42 × .5 = 21, 42 × .4 = 16.8, 4.2: the rest goes to .8.
		{[]int64{25, 16, 1}, .5, []int64{21, 17, 4}},
		// 10,000^.7 = 630.957, 100^.7 = 25.1189 and 1 add up to 657.076: of 10,101 the shares
		// are 9,699.48, 386.14 and 15.37, and the one that is left goes to .48.
		{[]int64{10_000, 100, 1}, .7, []int64{9700, 386, 15}},
		{[]int64{7}, .3, []int64{7}},
	} {
		got := counted(test.totals...).shares(test.alpha)
		if fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%v to the %v: %v, want %v", test.totals, test.alpha, got, test.want)
		}
	}
}

// Whatever the rounding, shares add up to all examples, of billions, too.
func TestSharesAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		totals, n := make([]int64, 2+r.IntN(4)), int64(0)
		for i := range totals {
			totals[i] = 1 + r.Int64N(1<<(10+r.IntN(26)))
			n += totals[i]
		}
		alpha, sum := r.Float64(), int64(0)
		for _, share := range counted(totals...).shares(alpha) {
			sum += share
		}
		if sum != n {
			t.Fatalf("%v to the %v: %d, want %d", totals, alpha, sum, n)
		}
	}
}

func sampledLoader(t testing.TB, path string, edit func(*LoaderConfig)) *Loader {
	t.Helper()
	e, err := OpenExamples(t.Context(), path, fingerprint)
	if err == nil {
		e, err = e.Classify(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	c := cmlmSource(7) // 13 batches an epoch: a pool
	c.Source.Objective, c.Encoding, c.Sampling, c.Source.Dataset = "bitext", encoding(), &Sampling{By: "language", Alpha: .5}, path
	if edit != nil {
		edit(&c)
	}
	l, err := NewLoader(e, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// Every epoch has each language as often as its share says, and the examples of a language
// alike, but for one.
func TestEpochsHaveTheShares(t *testing.T) {
	for _, shards := range []int{1, 4} {
		for _, window := range []int{10, 1000} {
			l := sampledLoader(t, tongues(t, shards), nil)
			l.order.window = window
			seen, all := map[string]int64{}, map[string]int64{}
			for i, b := range take(t, l, 0, 13*6) {
				for name, n := range b.Drawn {
					all[name] += n
				}
				for _, id := range b.IDs {
					seen[id]++
				}
				if done := int64(i+1) / 13; (i+1)%13 == 0 {
					if diff := cmp.Diff(map[string]int64{"deu-eng": 63 * done, "eng-fra": 21 * done, "eng-isl": 7 * done},
						all); diff != "" {
						t.Errorf("%d shards, window %d, after %d epochs: %s", shards, window, done, diff)
					}
				}
			}
			// 63 of 81 in an epoch, so 6 epochs have each 4.7 times.
			var of81 int64
			for i := range 91 {
				n := seen[row(schemas.KindBitext, i).ID]
				switch {
				case i == 40:
					if n != 42 {
						t.Errorf("the only one of its language is seen %d times", n)
					}
				case i%10 == 3:
					if n < 12 || n > 18 {
						t.Errorf("example %d is seen %d times, want about 14", i, n)
					}
				default:
					of81 += n
					if n < 1 || n > 6 {
						t.Errorf("example %d is seen %d times, want about 4.7", i, n)
					}
				}
			}
			if of81 != 63*6 {
				t.Errorf("%d of German", of81)
			}
		}
	}
}

// A row group gives what its place among the examples of a language says, to one.
func TestDrawnOfRowGroups(t *testing.T) {
	o := &order{seed: 1, name: "x", sample: &sampled{&classes{names: []string{"a"}, before: [][]int64{{0, 10, 10, 110, 1000}}},
		[]int64{5000}}}
	for epoch := range int64(50) {
		sum := int64(0)
		for group, rows := range []int64{10, 0, 100, 890} {
			n := o.drawn(epoch, group, 0)
			if sum += n; math.Abs(float64(n-5*rows)) > 1 || rows == 0 && n != 0 {
				t.Errorf("epoch %d: row group %d of %d examples gives %d", epoch, group, rows, n)
			}
		}
		if sum != 5000 {
			t.Errorf("epoch %d has %d", epoch, sum)
		}
	}
	// Without rounding by floats.
	o.sample = &sampled{&classes{names: []string{"a"}, before: [][]int64{{0, 1 << 40, 3 << 40}}}, []int64{1 << 50}}
	if a, b := o.drawn(0, 0, 0), o.drawn(0, 1, 0); a+b != 1<<50 || a != (1<<50)/3 && a != (1<<50)/3+1 {
		t.Errorf("%d and %d", a, b)
	}
}

func TestSampledBatchesWhereverTheyStart(t *testing.T) {
	path := tongues(t, 3)
	small := func(l *Loader) *Loader { l.order.window = 40; return l }
	want := take(t, small(sampledLoader(t, path, nil)), 0, 60)
	for _, from := range []int{1, 12, 13, 14, 40} {
		got := take(t, small(sampledLoader(t, path, func(c *LoaderConfig) { c.ReadAhead = 1 })), int64(from), 60-from)
		if diff := cmp.Diff(want[from:], got); diff != "" {
			t.Fatalf("from %d: %s", from, diff)
		}
	}
	other := take(t, small(sampledLoader(t, path, func(c *LoaderConfig) { c.Seed++ })), 0, 60)
	if cmp.Equal(want, other) {
		t.Error("another seed gives the same batches")
	}
}

// A single text has its language, a pair has those of both sides in one order.
func TestClasses(t *testing.T) {
	got := map[string]bool{}
	for _, l := range [][2]string{{"eng", ""}, {"eng", "eng"}, {"eng", "deu"}, {"deu", "eng"}} {
		got[classOf(l[0], l[1])] = true
	}
	if want := []string{"deu-eng", "eng"}; !slices.Equal(slices.Sorted(maps.Keys(got)), want) {
		t.Errorf("%v, want %v", got, want)
	}
}
