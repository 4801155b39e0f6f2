package objective

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/fault"
)

// NLIName is the name of natural language inference.
const NLIName = "nli"

var nli = Objective{
	Name: NLIName, Alone: true, Kinds: []string{schemas.KindNLI}, Gold: true, Weight: 1,
	Config: func() Config { c := DefaultNLI(); return &c }, Fit: fitNLI, Fill: fillNLI,
}

// Features that a classifier of pairs may see, made of the vectors u and v of both
// sentences.
const (
	FeatureU          = "u"
	FeatureV          = "v"
	FeatureDifference = "difference" // |u − v|
	FeatureProduct    = "product"    // u ∘ v
)

// NLI configures the classification of pairs by entailment, with an encoder that is
// trained (Conneau et al. 2017, section 3.1; Yang et al. 2021, section 4.2): softmax
// over features of both sentences' vectors, as the encoder pools them.
type NLI struct {
	// Features that the classifier sees, in this order. By default they are u, v,
	// |u − v| and u ∘ v, as in the papers. Reimers and Gurevych 2019 leave the last out.
	Features   []string `json:"features" yaml:"features" name:"nli-features" help:"Inference: what the classifier sees of the vectors u and v (${default}); difference is |u-v|, product is u*v." default:"u,v,difference,product" placeholder:"NAME" group:"Objectives"`
	Matryoshka `yaml:",inline"`
	Pooled     `yaml:"-" kong:"-"`
}

// DefaultNLI returns the configuration of the papers.
func DefaultNLI() NLI {
	return NLI{Features: []string{FeatureU, FeatureV, FeatureDifference, FeatureProduct}, Pooled: Pooled{"mean"}}
}

// Check implements Config.
func (c *NLI) Check() error {
	var errs fault.List
	features := DefaultNLI().Features
	errs.Check(len(c.Features) > 0, "nli: features is empty: give some of %s", strings.Join(features, ", "))
	for i, name := range c.Features {
		errs.Check(slices.Contains(features, name), "nli: feature %q is not one of %s", name, strings.Join(features, ", "))
		errs.Check(!slices.Contains(c.Features[:i], name), "nli: feature %q is named twice", name)
	}
	errs.Add(c.Matryoshka.check(NLIName))
	errs.Add(c.Pooled.check(NLIName))
	return errs.Err()
}

// NLIBatch is premises and hypotheses with their classes.
type NLIBatch struct {
	A, B Sequences
	// Labels are indices of schemas.Labels.
	Labels []int32
}

// Objective is "nli".
func (*NLIBatch) Objective() string { return NLIName }

// Tokens counts both sides.
func (b *NLIBatch) Tokens() int { return b.A.tokens() + b.B.tokens() }

// Items counts pairs.
func (b *NLIBatch) Items() []int { return []int{b.A.Count} }

func fitNLI(_ Config, e *Example, _ []bool) error {
	return fitLabel(e, len(schemas.Labels()))
}

// fitLabel returns an error for an example without a label of so many classes.
func fitLabel(e *Example, classes int) error {
	if e.Label == nil {
		return errors.New("it has no label")
	}
	if l := *e.Label; l < 0 || int(l) >= classes {
		return fmt.Errorf("its label is %d, there are the classes 0 to %d", l, classes-1)
	}
	return nil
}

func fillNLI(f *Filler, list []Entry) (Batch, error) {
	b := &NLIBatch{}
	b.A, b.B = f.padSides(list)
	for _, e := range list {
		b.Labels = append(b.Labels, *e.Label)
	}
	return b, nil
}
