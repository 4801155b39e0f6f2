package metrics

import (
	"math"
	"slices"

	"sentweave/transforms/measure/bootstrap"
)

// What the setting interval says: that of a mean of shares, of a mean over languages that
// follows from theirs, or of an F1 by the share of what is right of all that is extracted or to find.
const (
	IntervalShares    = "wilson 95 %"
	IntervalLanguages = "95 %, of the languages' own"
	IntervalF1        = "wilson 95 %, of the jaccard index"
)

// z95 is the 97.5 % quantile of the normal distribution.
const z95 = 1.959963984540054

// Wilson returns the 95 % score interval of a share p of n trials (Wilson 1927). The
// number of trials may be an effective number, which need not be whole.
func Wilson(p, n float64) (low, high float64) {
	if n <= 0 {
		return 0, 1
	}
	z := z95 * z95 / n
	middle, half := (p+z/2)/(1+z), z95*math.Sqrt(p*(1-p)/n+z95*z95/(4*n*n))/(1+z)
	return max(0, middle-half), min(1, middle+half)
}

// ShareInterval returns the mean of shares, one for each cluster of trials that are
// not independent (the same paragraph in several directions), with its 95 %
// interval: Wilson's, with the number of independent trials that has the same
// variance as the clusters show (Korn and Graubard, Survey Methodology 24, 1998).
// That number lies between the number of clusters and that of all trials.
func ShareInterval(shares []float64, trials int) (mean, low, high float64) {
	n := float64(len(shares))
	if n == 0 {
		return 0, 0, 1
	}
	for _, s := range shares {
		mean += s
	}
	mean = max(0, min(1, mean/n))
	variance := 0.0
	for _, s := range shares {
		variance += (s - mean) * (s - mean)
	}
	effective := n
	if variance > 0 && n > 1 {
		effective = max(n, min(mean*(1-mean)/(variance/(n-1)/n), n*float64(trials)))
	}
	low, high = Wilson(mean, effective)
	return mean, low, high
}

// F1Interval returns the 95 % interval of the F1 of a set of pairs against the true ones. F1 is
// 2J/(1+J), where J, the Jaccard index, is the share of the pairs that are in both sets among
// those that are in either, so that the interval is Wilson's of J with the number of independent
// pairs that has the variance of J as a ratio of sums over clusters (Cochran, Sampling Techniques
// 1977, section 6.3). A cluster is what is right or wrong together, such as all pairs of a source;
// correct and union count the pairs of each that are in both sets, and in either.
func F1Interval(correct, union []float64) (low, high float64) {
	right, all, squares := 0., 0., 0.
	for i := range union {
		right, all = right+correct[i], all+union[i]
	}
	j := right / max(all, 1)
	for i := range union {
		squares += (correct[i] - j*union[i]) * (correct[i] - j*union[i])
	}
	effective := all
	if squares > 0 {
		effective = min(all, j*(1-j)*all*all/squares)
	}
	low, high = Wilson(j, effective)
	return 2 * low / (1 + low), 2 * high / (1 + high)
}

// Interval is that of a mean of shares of the first model over the items that are kept, by their
// places in each term, as the tasks have it over all; ok is false of other figures,
// and where directions of the same items keep other ones.
func (c Composition) Interval(kind any, groups []Group, retained [][]int) (low, high float64, ok bool) {
	if kind != IntervalShares && kind != IntervalLanguages {
		return 0, 0, false
	}
	var sets [][]int // terms of the same items: all, or those of a language
	for t := range c.Terms {
		set := slices.IndexFunc(sets, func(set []int) bool {
			return kind == IntervalShares || groups[c.groups[set[0]][0]].Language == groups[c.groups[t][0]].Language
		})
		if set < 0 {
			set, sets = len(sets), append(sets, nil)
		}
		sets[set] = append(sets[set], t)
	}
	middle, squares := c.Constant, 0.
	for _, set := range sets {
		first := set[0]
		shares, weight := make([]float64, len(retained[first])), 0.
		for _, t := range set {
			term := c.Terms[t]
			if term.Metric != bootstrap.Mean || term.Weight != c.Terms[first].Weight || !slices.Equal(retained[t], retained[first]) {
				return 0, 0, false
			}
			for i, item := range retained[t] {
				shares[i] += term.Scores[0][0][item] / float64(len(set))
			}
			weight += term.Weight
		}
		_, l, h := ShareInterval(shares, len(set))
		middle += weight * (l + h) / 2
		squares += weight * weight * (h - l) * (h - l) / 4
	}
	half := math.Sqrt(squares)
	return middle - half, middle + half, true
}
