package objective

import (
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/fault"
)

// ContrastiveName is the name of contrastive learning over views.
const ContrastiveName = "contrastive"

var contrastive = Objective{
	Name: ContrastiveName, Kinds: []string{schemas.KindView, schemas.KindBitext, schemas.KindSingle}, Negatives: true, Weight: 1,
	Config: func() Config { c := DefaultContrastive(); return &c }, Fill: fillContrastive,
}

// Contrastive configures contrastive learning over the 2n views of n texts: each view
// is drawn to the other one of its text, and away from the 2(n−1) views of other
// texts (Chen et al. 2020, equation 1, NT-Xent), which Zhang et al. 2021 compare BSL
// with.
type Contrastive struct {
	// Temperature divides the cosines. Default .05.
	Temperature float64 `json:"temperature" yaml:"temperature" name:"temperature" help:"Contrastive learning: temperature, by which cosines are divided." default:"0.05" group:"Objectives" changes:"loss"`
	Matryoshka  `yaml:",inline"`
	Pooled      `yaml:"-" kong:"-"`
}

// DefaultContrastive returns a temperature of .05 (Gao et al. 2021).
func DefaultContrastive() Contrastive { return Contrastive{Temperature: .05, Pooled: Pooled{"mean"}} }

// Check implements Config.
func (c *Contrastive) Check() error {
	var errs fault.List
	errs.Check(c.Temperature >= .001 && c.Temperature <= 100, "contrastive: temperature is %v, it must be from .001 to 100", c.Temperature)
	errs.Add(c.Matryoshka.check(ContrastiveName))
	errs.Add(c.Pooled.check(ContrastiveName))
	return errs.Err()
}

// ContrastiveBatch is two views of each text.
type ContrastiveBatch struct {
	// A and B are the first and the second views, in one order.
	A, B Sequences
	// Excluded has 2n × 2n entries, for the views of A and then those of B. The entry
	// [i, j] is true if the view j must not count as a negative of i: it is of the same
	// group, or the same text.
	Excluded []bool
}

// Objective is "contrastive".
func (*ContrastiveBatch) Objective() string { return ContrastiveName }

// Tokens counts all views.
func (b *ContrastiveBatch) Tokens() int { return b.A.tokens() + b.B.tokens() }

// Items counts pairs.
func (b *ContrastiveBatch) Items() []int { return []int{b.A.Count} }

func fillContrastive(f *Filler, list []Entry) (Batch, error) {
	b := &ContrastiveBatch{}
	b.A, b.B = f.padSides(list)
	n := len(list)
	views := make([][]int32, 2*n)
	hashes := make([]uint64, 2*n)
	for i, e := range list {
		views[i], views[n+i] = e.A, second(e)
		hashes[i], hashes[n+i] = hashIDs(views[i]), hashIDs(views[n+i])
	}
	b.Excluded = make([]bool, 4*n*n)
	for i := range views {
		for j := range views {
			x, y := list[i%n], list[j%n]
			b.Excluded[i*2*n+j] = i != j && i%n != j%n &&
				(x.Group != nil && y.Group != nil && *x.Group == *y.Group || hashes[i] == hashes[j] && slices.Equal(views[i], views[j]))
		}
	}
	return b, nil
}
