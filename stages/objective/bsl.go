package objective

import (
	"sentweave/schemas"
	"sentweave/schemas/fault"
)

// BSLName is the name of bootstrapped sentence representation learning.
const BSLName = "bsl"

var bsl = Objective{
	Name: BSLName, Kinds: []string{schemas.KindView, schemas.KindBitext, schemas.KindSingle}, Least: 8, Weight: 1,
	Config: func() Config { c := DefaultBSL(); return &c }, Fill: fillBSL,
}

// Predictors of BSL.
const (
	PredictorPaper   = "paper"
	PredictorRelease = "release"
	PredictorNone    = "none"
)

// BSL configures bootstrapped sentence representation learning (Zhang et al. 2021,
// section 3): a predictor on the trained encoder foretells what a second encoder, the
// target, says of the other view of a text. Gradients do not reach the target, whose
// weights follow those of the trained encoder after each step. There are no negatives.
type BSL struct {
	// Predictor is "paper" (default), d → kd → kd → d with batch norm and ReLU after
	// both hidden layers; "release", the three networks of the authors' program, one
	// after another, each d → kd → kd → d with batch norm after the first layer alone;
	// or "none", with which the vectors collapse.
	Predictor string `json:"predictor" yaml:"predictor" help:"BSL: predictor of the other view (${enum})." default:"paper" enum:"paper,release,none" group:"Objectives"`
	// Width is k, the width of the predictor in sizes of a vector. Default 8; the
	// authors' program has 10.
	Width int `json:"width" yaml:"width" name:"predictor-width" help:"BSL: width of the predictor's hidden layers, in sizes of a vector." default:"8" group:"Objectives"`
	// Momentum is δ: after each step the target becomes δ × itself + (1 − δ) × the
	// encoder. Default .999.
	Momentum float64 `json:"momentum" yaml:"momentum" help:"BSL: momentum of the target's weights; 1 leaves them." default:"0.999" group:"Objectives"`
	// TargetDropout keeps dropout on in the target, as the authors' program does.
	// Default true.
	TargetDropout bool `json:"target_dropout" yaml:"target_dropout" help:"BSL: dropout in the target, too." default:"true" negatable:"" group:"Objectives"`
	// StopGradient keeps gradients from the target's side. Without it the trained
	// encoder makes both sides, and the vectors collapse, for ablations. Default true.
	StopGradient bool `json:"stop_gradient" yaml:"stop_gradient" help:"BSL: a target without gradients; --no-stop-gradient takes the encoder itself, for ablations." default:"true" negatable:"" group:"Objectives"`

	// Prefixes have a predictor each; the target is one, whose vectors are cut likewise.
	Matryoshka `yaml:",inline"`
	Pooled     `yaml:"-" kong:"-"`
}

// DefaultBSL returns the configuration of the paper.
func DefaultBSL() BSL {
	return BSL{Predictor: PredictorPaper, Width: 8, Momentum: .999, TargetDropout: true, StopGradient: true, Pooled: Pooled{"mean"}}
}

// Check implements Config.
func (c *BSL) Check() error {
	var errs fault.List
	switch c.Predictor {
	case PredictorPaper, PredictorRelease, PredictorNone:
	default:
		errs.Addf("bsl: predictor %q is not one of paper, release, none", c.Predictor)
	}
	errs.Check(c.Width >= 1 && c.Width <= 64, "bsl: width is %d, it must be from 1 to 64", c.Width)
	errs.Check(c.Momentum >= 0 && c.Momentum <= 1, "bsl: momentum is %v, it must be from 0 to 1", c.Momentum)
	errs.Add(c.Pooled.check(BSLName), c.Matryoshka.check(BSLName))
	return errs.Err()
}

// BSLBatch is two views of each text.
type BSLBatch struct {
	// A and B are the first and the second views, in one order.
	A, B Sequences
}

// Objective is "bsl".
func (*BSLBatch) Objective() string { return BSLName }

// Tokens counts all views.
func (b *BSLBatch) Tokens() int { return b.A.tokens() + b.B.tokens() }

// Items counts pairs.
func (b *BSLBatch) Items() []int { return []int{b.A.Count} }

func fillBSL(f *Filler, list []Entry) (Batch, error) {
	b := &BSLBatch{}
	b.A, b.B = f.padSides(list)
	return b, nil
}
