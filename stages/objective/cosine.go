package objective

import (
	"errors"
	"fmt"

	"sentweave/schemas"
	"sentweave/schemas/fault"
)

// CosineName is the name of the objective that fits cosines to gold values.
const CosineName = "cosine"

var cosine = Objective{
	Name: CosineName, Kinds: []string{schemas.KindSTS, schemas.KindQE}, Gold: true, Weight: 1,
	Config: func() Config { c := DefaultCosine(); return &c }, Fit: fitCosine, Fill: fillCosine,
}

// Losses of cosines.
const (
	CosineRegression = "regression"
	CosineRanking    = "cosent"
)

// Cosine configures the training of cosines on pairs with gold values, such as those
// of STS or of quality estimation.
type Cosine struct {
	// Loss is "cosent" (default) or "regression".
	//
	// Regression is the mean squared difference between the cosine and the gold value,
	// which Lowest and Highest bring to [0, 1] (Reimers and Gurevych 2019, section 3).
	//
	// CoSENT (Su 2022) asks only for the order: log(1 + Σ exp(Scale × (c_j − c_i))) over
	// the pairs i and j of a batch of which i has the greater gold value.
	Loss string `json:"loss" yaml:"loss" name:"cosine-loss" help:"Scored pairs: fit the cosines' order in a batch, or their values (${enum})." default:"cosent" enum:"cosent,regression" group:"Objectives" changes:"loss"`
	// Scale of CoSENT. Default 20.
	Scale float64 `json:"scale" yaml:"scale" name:"cosine-scale" help:"Scored pairs: factor of CoSENT's differences of cosines." default:"20" group:"Objectives" changes:"loss"`
	// Lowest and Highest are the gold values that belong to the cosines 0 and 1.
	// Defaults 0 and 5, those of STS.
	Lowest     float64 `json:"lowest" yaml:"lowest" name:"cosine-lowest" help:"Scored pairs: gold value of the cosine 0, for regression." default:"0" group:"Objectives" changes:"loss"`
	Highest    float64 `json:"highest" yaml:"highest" name:"cosine-highest" help:"Scored pairs: gold value of the cosine 1, for regression." default:"5" group:"Objectives" changes:"loss"`
	Matryoshka `yaml:",inline"`
	Pooled     `yaml:"-" kong:"-"`
}

// DefaultCosine returns CoSENT, with the range of STS.
func DefaultCosine() Cosine {
	return Cosine{Loss: CosineRanking, Scale: 20, Highest: 5, Pooled: Pooled{"mean"}}
}

// Check implements Config.
func (c *Cosine) Check() error {
	var errs fault.List
	errs.Check(c.Loss == CosineRanking || c.Loss == CosineRegression, "cosine: loss %q is not one of %s, %s", c.Loss, CosineRanking,
		CosineRegression)
	errs.Check(c.Scale > 0 && c.Scale <= 1000, "cosine: scale is %v, it must be above 0 and at most 1000", c.Scale)
	errs.Check(c.Lowest < c.Highest, "cosine: lowest is %v and highest %v: the first must be less", c.Lowest, c.Highest)
	errs.Add(c.Matryoshka.check(CosineName))
	errs.Add(c.Pooled.check(CosineName))
	return errs.Err()
}

// CosineBatch is pairs of sentences with gold values.
type CosineBatch struct {
	A, B    Sequences
	Targets []float32
}

// Objective is "cosine".
func (*CosineBatch) Objective() string { return CosineName }

// Tokens counts both sides.
func (b *CosineBatch) Tokens() int { return b.A.tokens() + b.B.tokens() }

// Items counts pairs.
func (b *CosineBatch) Items() []int { return []int{b.A.Count} }

func fitCosine(c Config, e *Example, _ []bool) error {
	if e.Target == nil {
		return errors.New("it has no gold value")
	}
	o := c.(*Cosine)
	if t := float64(*e.Target); o.Loss == CosineRegression && (t < o.Lowest || t > o.Highest) {
		return fmt.Errorf("its gold value is %v, outside %v to %v: set --cosine-lowest and --cosine-highest", t, o.Lowest, o.Highest)
	}
	return nil
}

func fillCosine(f *Filler, list []Entry) (Batch, error) {
	b := &CosineBatch{}
	b.A, b.B = f.padSides(list)
	for _, e := range list {
		b.Targets = append(b.Targets, *e.Target)
	}
	return b, nil
}
