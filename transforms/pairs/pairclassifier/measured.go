package pairclassifier

import "slices"

// Measured are the figures of a classifier on good and bad pairs. A pair is taken for a bad one if its probability is below .5.
type Measured struct {
	// Precision is the share of bad pairs among those taken for bad ones, if there were as many bad as good ones.
	Precision float64 `json:"precision"`
	// Recall is the share of the bad pairs that are taken for bad ones.
	Recall float64 `json:"recall"`
	// AUC is the probability that a good pair is more probable than a bad one; equal ones count half.
	AUC float64 `json:"auc"`
}

// Measure returns the figures, by the probabilities of good and bad pairs, which it sorts; zeros where one of them has none.
func Measure(good, bad []float64) (m Measured) {
	if len(good) == 0 || len(bad) == 0 {
		return m
	}
	slices.Sort(good)
	slices.Sort(bad)
	below := func(list []float64, x float64) float64 {
		i, _ := slices.BinarySearch(list, x)
		return float64(i)
	}
	m.Recall = below(bad, .5) / float64(len(bad))
	if wrong := below(good, .5) / float64(len(good)); m.Recall > 0 {
		m.Precision = m.Recall / (m.Recall + wrong)
	}
	for _, x := range good {
		first := below(bad, x)
		last := first
		for int(last) < len(bad) && bad[int(last)] == x {
			last++
		}
		m.AUC += (first + last) / 2
	}
	m.AUC /= float64(len(good)) * float64(len(bad))
	return m
}
