package objective

import (
	"fmt"
	"slices"

	"sentweave/schemas/fault"
)

// Matryoshka has an objective's loss computed over the first dimensions of the vectors, too,
// so that vectors which are cut later are as good as they can be: the sum of the losses
// over several prefixes (Kusupati et al. 2022, equation 1, "matryoshka"). What the
// objective has beside the encoder it has once for each size.
type Matryoshka struct {
	// Dimensions are the sizes of the prefixes; the whole size is one of them only if it
	// is named. None is the whole vector alone.
	Dimensions []int `json:"dimensions,omitempty" yaml:"dimensions,omitempty" kong:"-" changes:"loss"`
	// Shares are the weights of their losses in the sum. Default 1 for each.
	Shares []float64 `json:"dimension_weights,omitempty" yaml:"dimension_weights,omitempty" kong:"-" changes:"loss"`
}

// OverPrefixes is what configurations implement that have Prefixes.
type OverPrefixes interface {
	Cut() *Matryoshka
	Fits(objective string, size int) error
}

// Cut returns the prefixes.
func (p *Matryoshka) Cut() *Matryoshka { return p }

// Share is the weight of the loss over the prefix at an index.
func (p *Matryoshka) Share(i int) float64 {
	if len(p.Shares) == 0 {
		return 1
	}
	return p.Shares[i]
}

// Fits returns an error for prefixes that are longer than the vectors, which have the size
// of the encoder's.
func (p *Matryoshka) Fits(objective string, size int) error {
	for _, d := range p.Dimensions {
		if d > size {
			return fmt.Errorf("%s: dimensions holds %d, the vectors have %d", objective, d, size)
		}
	}
	return nil
}

func (p *Matryoshka) check(objective string) error {
	var errs fault.List
	for i, d := range p.Dimensions {
		errs.Check(d >= 1, "%s: dimensions holds %d, it must be at least 1", objective, d)
		errs.Check(!slices.Contains(p.Dimensions[:i], d), "%s: dimensions holds %d twice", objective, d)
	}
	errs.Check(len(p.Shares) == 0 || len(p.Shares) == len(p.Dimensions), "%s: dimension_weights has %d numbers for %d dimensions",
		objective, len(p.Shares), len(p.Dimensions))
	for _, w := range p.Shares {
		errs.Check(w > 0 && w <= 1e6, "%s: dimension_weights holds %v, it must be above 0 and at most 1e6", objective, w)
	}
	return errs.Err()
}
