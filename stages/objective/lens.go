package objective

import (
	"context"
	"errors"
	"fmt"

	"sentweave/schemas"
	"sentweave/schemas/fault"
	"sentweave/stages/objective/joined"
)

// LensName is the name of contextual lensing.
const LensName = "lens"

var lens = Objective{
	Name: LensName, Kinds: []string{schemas.KindNLI, schemas.KindBitext, schemas.KindView}, Negatives: true, Frozen: true, Weight: 1,
	Config: func() Config { c := DefaultLens(); return &c }, Fit: fitLens, Fill: fillLens,
	Apart:  func(c Config) bool { return c.(*Lens).Head == LensClassifier },
	States: func(c Config) *joined.StoredStates { return c.(*Lens).stored },
}

// Heads of lensing.
const (
	LensClassifier = "classifier"
	LensRanker     = "ranker"
)

// Lens configures contextual lensing (Kiros 2020): the encoder stays as it is, and a lens
// is learned on the vectors of its tokens. A sentence is the greatest value of ReLU(W e + b)
// over its tokens, of which values above 1 make a sparse code. Of the paper's Simple encoder
// e is the token's vector; of its GatedConv encoder it is made by two networks of
// convolutions, of which one gates the other.
type Lens struct {
	// Size is that of the vectors, D. Default 1024.
	Size int `json:"size" yaml:"size" name:"lens-size" help:"Lens: size of the vectors." default:"1024" group:"Objectives"`
	// Head is what the vectors are trained by: "classifier" (default), two layers on
	// [u; v; u ∘ v; |u − v|] that tell the classes of inference; or "ranker", the margin
	// to the hardest other sentence of the batch in both directions (Faghri et al. 2018,
	// VSE++), for pairs of translations.
	Head string `json:"head" yaml:"head" name:"lens-head" help:"Lens: what it is trained by (${enum}); pairs with labels have the classifier, translations the ranker." default:"classifier" enum:"classifier,ranker" group:"Objectives" changes:"loss"`
	// Hidden is the width of the classifier. Default 512.
	Hidden int `json:"hidden" yaml:"hidden" name:"lens-hidden" help:"Lens: width of the classifier's hidden layer." default:"512" group:"Objectives"`
	// Margin of the ranker. Default .2.
	Margin float64 `json:"margin" yaml:"margin" name:"lens-margin" help:"Lens: margin of the ranker." default:"0.2" group:"Objectives" changes:"loss"`
	// Gate is the size of the GatedConv's layers; the paper searches 128, 256 and 512.
	// Default 0: the Simple encoder.
	Gate int `json:"gate,omitempty" yaml:"gate,omitempty" name:"lens-gate" help:"Lens: size of the gating layers of the GatedConv encoder; 0 is the Simple encoder." default:"0" group:"Objectives"`
	// Layers is the number of convolutions of the GatedConv, M, and Width the tokens of
	// each. The paper does not tell them. Defaults 1 and 3.
	Layers int `json:"layers,omitempty" yaml:"layers,omitempty" name:"lens-layers" help:"Lens: convolutions of the GatedConv encoder." default:"1" group:"Objectives"`
	Width  int `json:"width,omitempty" yaml:"width,omitempty" name:"lens-width" help:"Lens: tokens that a convolution of the GatedConv encoder sees, an odd number." default:"3" group:"Objectives"`
	// Skip is what the gated vectors are added to: "g0" (default), the first layer of the
	// controller, as in equation 3, or "h0", that of the encoder.
	Skip string `json:"skip,omitempty" yaml:"skip,omitempty" name:"lens-skip" help:"Lens: what the gated vectors of the GatedConv encoder are added to (${enum}), the first layer of the controller or of the encoder." default:"g0" enum:"g0,h0" group:"Objectives"`
	// Dropout of the vectors of tokens. Default .1.
	Dropout float64 `json:"dropout" yaml:"dropout" name:"lens-dropout" help:"Lens: dropout of the vectors of tokens." default:"0.1" group:"Objectives"`
	// States is a dataset that the stage states made: the frozen encoder's vectors of the tokens of
	// the examples, which are then read, and not computed in each step. The record of the training
	// holds its content hash.
	States string `json:"-" yaml:"states,omitempty" name:"lens-states" help:"Lens: dataset of the encoder's vectors of the tokens of the examples, which sentweave states makes; steps then read them in the place of computing them." placeholder:"DIR" takes:"state" group:"Objectives"`
	// Known says that there is such a dataset: last digits depend on it.
	Known bool `json:"states,omitempty" yaml:"-" kong:"-"`
	// Prefixes are of the lens's own vectors; a classifier is of each prefix.
	Matryoshka `yaml:",inline"`

	stored *joined.StoredStates
}

// DefaultLens returns values from the middle of the paper's search.
func DefaultLens() Lens {
	return Lens{Size: 1024, Head: LensClassifier, Hidden: 512, Margin: .2, Layers: 1, Width: 3, Skip: "g0", Dropout: .1}
}

// Check implements Config.
func (c *Lens) Check() error {
	var errs fault.List
	errs.Check(c.Size >= 1 && c.Size <= 1<<16, "lens: size is %d, it must be from 1 to %d", c.Size, 1<<16)
	errs.Check(c.Head == LensClassifier || c.Head == LensRanker, "lens: head %q is not one of %s, %s", c.Head, LensClassifier, LensRanker)
	errs.Check(c.Hidden >= 1 && c.Hidden <= 1<<16, "lens: hidden is %d, it must be from 1 to %d", c.Hidden, 1<<16)
	errs.Check(c.Margin >= 0 && c.Margin < 2, "lens: margin is %v, it must be in [0, 2)", c.Margin)
	errs.Check(c.Gate >= 0 && c.Gate <= 1<<16, "lens: gate is %d, it must be from 0 to %d", c.Gate, 1<<16)
	if c.Gate > 0 {
		errs.Check(c.Layers >= 1 && c.Layers <= 16, "lens: layers is %d, it must be from 1 to 16", c.Layers)
		errs.Check(c.Width >= 1 && c.Width <= 31 && c.Width%2 == 1, "lens: width is %d, it must be an odd number from 1 to 31", c.Width)
		errs.Check(c.Skip == "g0" || c.Skip == "h0", "lens: skip %q is not one of g0, h0", c.Skip)
	} else { // zero values are those of a prepared configuration
		d := DefaultLens()
		unset := (c.Layers == 0 || c.Layers == d.Layers) && (c.Width == 0 || c.Width == d.Width) && (c.Skip == "" || c.Skip == d.Skip)
		errs.Check(c.Gate < 0 || unset,
			"lens: gate is 0, which is the Simple encoder, and layers, width and skip are of the GatedConv encoder: set gate above 0, or leave them out")
	}
	errs.Check(c.Dropout >= 0 && c.Dropout < 1, "lens: dropout is %v, it must be in [0, 1)", c.Dropout)
	errs.Check(c.States != "true" && c.States != "false", "lens: states is the folder that `sentweave states` makes, not %s", c.States)
	errs.Add(c.check(LensName), c.Fits(LensName, c.Size))
	return errs.Err()
}

// Fits is that of the Prefixes for the lens's own vectors.
func (c *Lens) Fits(objective string, _ int) error { return c.Matryoshka.Fits(objective, c.Size) }

// Prepare implements Config. What says nothing of the Simple encoder is left out of the
// record. Then it opens the States.
func (c *Lens) Prepare(ctx context.Context, g Facts) (err error) {
	if c.Gate == 0 {
		c.Layers, c.Width, c.Skip = 0, 0, ""
	}
	if c.Known = c.States != ""; c.Known {
		want := joined.Request{Examples: g.Examples, Encoder: g.Encoder, Precision: g.Precision, Tokens: g.Tokens}
		if c.stored, err = joined.OpenStates(ctx, c.States, want); err != nil {
			return fmt.Errorf("lens: %w", err)
		}
	}
	return nil
}

// LensBatch is pairs of sentences, with labels for the classifier, and with what must not
// count as a negative for the ranker.
type LensBatch struct {
	BitextBatch
	Labels []int32
	// StatesA and StatesB are the vectors of tokens, Count × Length × the encoder's size, as
	// far as they were computed before; nil elsewhere.
	StatesA, StatesB []float32
}

// Objective is "lens".
func (*LensBatch) Objective() string { return LensName }

func fitLens(c Config, e *Example, _ []bool) error {
	switch head := c.(*Lens).Head; {
	case head == LensClassifier && e.Label == nil:
		return errors.New("it has no label, which the classifier of the lens learns: --lens-head ranker takes pairs of translations")
	case head == LensRanker && e.Label != nil:
		return errors.New("it has a label: train pairs of inference by the classifier of the lens")
	case head == LensClassifier:
		return fitLabel(e, len(schemas.Labels()))
	}
	return nil
}

func fillLens(f *Filler, list []Entry) (Batch, error) {
	pairs, err := fillBitext(f, list)
	if err != nil {
		return nil, err
	}
	b := &LensBatch{BitextBatch: *pairs.(*BitextBatch)}
	for _, e := range list {
		if e.Label != nil {
			b.Labels = append(b.Labels, *e.Label)
		}
	}
	if b.StatesA, err = f.states(b.A); err == nil {
		b.StatesB, err = f.states(b.B)
	}
	return b, err
}
