package objective

import (
	"context"
	"errors"

	"sentweave/schemas"
	"sentweave/schemas/fault"
)

// CMLMName is the name of the conditional masked language model.
const CMLMName = "cmlm"

var cmlm = Objective{
	Name: CMLMName, Alone: true, Kinds: []string{schemas.KindConsecutive}, Masked: true, Predicts: true, Weight: 1,
	Config: func() Config { c := DefaultCMLM(); return &c }, Fit: fitCMLM, Fill: fillCMLM,
}

// CMLM configures the conditional masked language model (Yang et al. 2021, section 2).
// The paper leaves several choices open. Each is a field with a default.
type CMLM struct {
	// Vectors is N, the number of vectors that are made from the first sentence's
	// vector and put before the second sentence. The first of them is the vector
	// itself, so 1 means no projection. Default 15 (section 4.1).
	Vectors int `json:"vectors" yaml:"vectors" help:"CMLM: number of vectors (N) that stand for the first sentence; they are projected from its one vector." default:"15" group:"Objectives"`
	// Widths are the widths of the projection's hidden layers, in multiples of the hidden
	// size: none to three, for a projection of one to four layers. Default 2 and 2; the
	// paper has three layers, whose widths are not known.
	Widths []int `json:"widths" yaml:"projection_width" name:"projection-width" help:"CMLM: widths of the projection's hidden layers, in hidden sizes (${default}); none to three numbers, for one to four layers." default:"2,2" placeholder:"N" group:"Objectives"`
	Pooled `yaml:"-" kong:"-"`
	// PrefixPositions says which positions the vectors get: "none" (default); "own",
	// 0 to N−1, with the second sentence after them; "shared", the position 0 for
	// all, with the second sentence from 0.
	PrefixPositions string `json:"prefix_positions" yaml:"prefix_positions" help:"CMLM: positions of these vectors (${enum})." default:"none" enum:"none,own,shared" group:"Objectives"`
	// PrefixNorm sends the vectors through the LayerNorm of the embeddings. Default
	// false.
	PrefixNorm bool `json:"prefix_norm" yaml:"prefix_norm" help:"CMLM: send these vectors through the LayerNorm of the embeddings." group:"Objectives"`
	// Skip puts the vectors beside the output of each masked token, too, from which the
	// token is then predicted (section 5.1, "skip"). Default false.
	Skip bool `json:"skip,omitempty" yaml:"skip" help:"CMLM: put these vectors beside the outputs of masked tokens, too." group:"Objectives"`
	// MeanProjection saves an encoder whose vector is the mean of the N vectors (section
	// 5.1, "proj"), by Dense layers that sentence-transformers knows. What is trained is the
	// same, and other objectives train the vector itself. Default false.
	MeanProjection bool `json:"mean_projection,omitempty" yaml:"mean_projection" help:"CMLM: save an encoder that gives the mean of these vectors." group:"Objectives"`
	// DetachVector stops gradients between the masked language model and the vector
	// of the first sentence, for ablations. Default false.
	DetachVector bool `json:"detach_vector" yaml:"detach_vector" help:"CMLM: no gradient from the masked words to the first sentence's vector." group:"Objectives"`
	UnigramBias  `yaml:",inline" set:"objective=CMLM, whose small encoders collapse without it"`
}

// DefaultCMLM returns the configuration of the paper.
func DefaultCMLM() CMLM {
	return CMLM{Vectors: 15, Widths: []int{2, 2}, Pooled: Pooled{"mean"}, PrefixPositions: "none"}
}

// Check implements Config.
func (c *CMLM) Check() error {
	var errs fault.List
	errs.Check(c.Vectors >= 1 && c.Vectors <= 256, "cmlm: vectors is %d, it must be from 1 to 256", c.Vectors)
	errs.Check(len(c.Widths) <= 3, "cmlm: projection_width has %d numbers, it must have 0 to 3", len(c.Widths))
	for _, w := range c.Widths {
		errs.Check(w >= 1 && w <= 64, "cmlm: a projection_width is %d, it must be from 1 to 64", w)
	}
	errs.Check(!c.MeanProjection || c.Vectors > 1,
		"cmlm: mean_projection needs at least 2 vectors: without a projection it is the vector itself")
	switch c.PrefixPositions {
	case "none", "own", "shared":
	default:
		errs.Addf("cmlm: prefix_positions %q is not one of none, own, shared", c.PrefixPositions)
	}
	errs.Add(c.Pooled.check(CMLMName))
	return errs.Err()
}

// Prepare implements Config.
func (c *CMLM) Prepare(ctx context.Context, g Facts) error {
	c.Pooling = g.Pooling
	return c.prepare(ctx, g, CMLMName)
}

// CMLMBatch is pairs of neighbouring sentences. The second one is masked, and
// predicted from itself and from the vector of the first.
type CMLMBatch struct {
	// A are the first sentences, B the second ones with their masks.
	A, B Sequences
	// Positions are indices into B.IDs, ascending. Targets are the ids that stood
	// there.
	Positions, Targets []int32
	// Others has for each pair another one, whose second sentence is in the same language if there is one.
	Others []int32
}

// Objective is "cmlm".
func (*CMLMBatch) Objective() string { return CMLMName }

// Tokens counts both sides.
func (b *CMLMBatch) Tokens() int { return b.A.tokens() + b.B.tokens() }

// Items counts masked tokens.
func (b *CMLMBatch) Items() []int { return []int{len(b.Targets)} }

func fitCMLM(_ Config, e *Example, special []bool) error {
	if len(e.Positions) == 0 && !maskable(e.B, special) {
		return errors.New("its second side has no token that can be masked")
	}
	return nil
}

func fillCMLM(f *Filler, list []Entry) (Batch, error) {
	var first [][]int32
	var second masked
	for _, e := range list {
		first = append(first, e.A)
		if err := second.add(f, e); err != nil {
			return nil, err
		}
	}
	b, positions, err := second.pad(f)
	if err != nil {
		return nil, err
	}
	return &CMLMBatch{A: f.pad(first), B: b, Positions: positions, Targets: second.targets, Others: nextOfLanguage(list)}, nil
}

// nextOfLanguage returns for each entry the next one in the same language, from the first one again after the last; the next
// one at all where the language occurs once.
func nextOfLanguage(list []Entry) []int32 {
	next := make([]int32, len(list))
	first, previous := map[string]int{}, map[string]int{}
	for i, e := range list {
		if k, ok := previous[e.LanguageB]; ok {
			next[k] = int32(i)
		} else {
			first[e.LanguageB] = i
		}
		previous[e.LanguageB] = i
	}
	for l, i := range previous {
		if next[i] = int32(first[l]); first[l] == i {
			next[i] = int32((i + 1) % len(list))
		}
	}
	return next
}
