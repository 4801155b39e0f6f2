package masking

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// near fails where n lies more than 5 standard deviations of a binomial from its
// mean. Seeds are fixed, so the test is deterministic.
func near(t *testing.T, what string, n, trials int, p float64) {
	t.Helper()
	mean, deviation := float64(trials)*p, math.Sqrt(float64(trials)*p*(1-p))
	if math.Abs(float64(n)-mean) > 5*deviation {
		t.Errorf("%s: %d of %d, want %.0f ± %.0f", what, n, trials, mean, 5*deviation)
	}
}

func TestShares(t *testing.T) {
	tests := []struct {
		name           string
		edit           func(*Config)
		mask, random   float64
		alphabet       int // entries that can be drawn
		specialAllowed bool
	}{
		{"BERT", nil, .8, .1, 1000, true},
		{"words", func(c *Config) { c.RandomTokens = randomWords }, .8, .1, 995, false},
		{"mask only", func(c *Config) { c.MaskShare, c.RandomShare = 1, 0 }, 1, 0, 1000, false},
		{"random only", func(c *Config) { c.MaskShare, c.RandomShare = 0, 1 }, 0, 1, 1000, true},
		{"keep only", func(c *Config) { c.MaskShare, c.RandomShare = 0, 0 }, 0, 0, 1000, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := masker(t, tt.edit)
			chosen, masked, kept, changed, special := 0, 0, 0, 0, 0
			for i := range 500 {
				got, positions, originals := mask(t, m, sequence(256), fmt.Sprint(i), 0)
				chosen += len(positions)
				for j, p := range positions {
					switch got[p] {
					case m.vocabulary.Mask:
						masked++
					case originals[j]:
						kept++
					default:
						changed++
						if m.isSpecial(got[p]) {
							special++
						}
					}
				}
			}
			if chosen != 500*80 {
				t.Fatalf("%d tokens chosen, want 80 of each sequence", chosen)
			}
			draw := tt.random / float64(tt.alphabet) // a draw may be [MASK], or the original
			again := draw
			if !tt.specialAllowed {
				again = 0
			}
			near(t, "masked", masked, chosen, tt.mask+again)
			near(t, "kept", kept, chosen, 1-tt.mask-tt.random+draw)
			near(t, "random", changed, chosen, tt.random-draw-again)
			if (special > 0) != (tt.specialAllowed && tt.random > 0) {
				t.Errorf("%d special entries drawn, allowed: %t", special, tt.specialAllowed)
			}
		})
	}
}

// restatement is the reference method written down straightforwardly: sets of
// indexes, a shuffle, then the sets in turn.
func restatement(c Config, v Vocabulary, tokens []int32, r *rand.Rand) []int32 {
	var sets [][]int32
	for i, id := range tokens {
		if slices.Contains(v.Special, id) {
			continue
		}
		if c.WholeWords && len(sets) > 0 && v.Continues(id) {
			sets[len(sets)-1] = append(sets[len(sets)-1], int32(i))
		} else {
			sets = append(sets, []int32{int32(i)})
		}
	}
	r.Shuffle(len(sets), func(i, j int) { sets[i], sets[j] = sets[j], sets[i] })
	n := min(c.MaxPredictions, max(1, int(math.RoundToEven(float64(len(tokens))*c.Ratio))))
	var chosen []int32
	for _, set := range sets {
		if len(chosen) >= n {
			break
		}
		if len(chosen)+len(set) <= n {
			chosen = append(chosen, set...)
		}
	}
	return chosen
}

func TestDistributionOfTheReference(t *testing.T) {
	tokens := []int32{classify, 10, 11, 900, 901, 12, 902, 13, 14, 15, 903, 904, 905, 906, 16, 907, 17, 18, 19, separate}
	for _, whole := range []bool{false, true} {
		t.Run(fmt.Sprintf("whole words %t", whole), func(t *testing.T) {
			m := masker(t, func(c *Config) { c.WholeWords = whole })
			r := rand.New(rand.NewPCG(1, 2))
			const trials = 20_000
			ours, theirs := make([]int, len(tokens)), make([]int, len(tokens))
			oursSize, theirsSize := make([]int, len(tokens)), make([]int, len(tokens))
			for i := range trials {
				_, positions, _ := mask(t, m, tokens, fmt.Sprint(i), 0)
				reference := restatement(m.config, m.vocabulary, tokens, r)
				for _, p := range positions {
					ours[p]++
				}
				for _, p := range reference {
					theirs[p]++
				}
				oursSize[len(positions)]++
				theirsSize[len(reference)]++
			}
			compare := func(what string, a, b []int) {
				for i := range a {
					p := float64(a[i]+b[i]) / (2 * trials)
					if d := math.Abs(float64(a[i] - b[i])); d > 5*math.Sqrt(2*trials*p*(1-p)) {
						t.Errorf("%s %d: %d times, the reference %d times of %d", what, i, a[i], b[i], trials)
					}
				}
			}
			compare("position", ours, theirs)
			compare("number of masks", oursSize, theirsSize)
		})
	}
}
