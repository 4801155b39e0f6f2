// Package objective holds what training objectives are made of: their
// configuration and their batches. It knows nothing of libtorch: stages/train
// fills batches, stages/torch computes losses of them.
package objective

import (
	"errors"
	"fmt"

	"sentweave/schemas"
)

// Sequences are the ids of sentences, padded to one length: row i of IDs has
// Lengths[i] tokens and then padding.
type Sequences struct {
	Count, Length int
	// IDs has Count × Length numbers, row after row.
	IDs []int32
	// Lengths are at least 1.
	Lengths []int32
}

// Append sets up one more row. All rows have the same length; what of tokens goes
// over it is cut off, but for the last token, [SEP].
func (s *Sequences) Append(tokens []int32, padding int32) {
	n := min(len(tokens), s.Length)
	s.IDs = append(s.IDs, tokens[:n]...)
	if n > 0 && n < len(tokens) {
		s.IDs[len(s.IDs)-1] = tokens[len(tokens)-1]
	}
	for range s.Length - n {
		s.IDs = append(s.IDs, padding)
	}
	s.Lengths = append(s.Lengths, int32(n))
	s.Count++
}

// Batch is a batch of one objective.
type Batch interface {
	// Objective names the objective, as the losses are named.
	Objective() string
	// Tokens is the number of real tokens.
	Tokens() int
}

// CMLMBatch are pairs of neighbouring sentences: the second is masked and
// predicted from itself and from the vector of the first.
type CMLMBatch struct {
	// A are the first sentences, B the second ones with their masks.
	A, B Sequences
	// Positions are indices into B.IDs, ascending; Targets the ids that stood there.
	Positions, Targets []int32
}

// Objective is "cmlm".
func (*CMLMBatch) Objective() string { return CMLMName }

// Tokens counts both sides.
func (b *CMLMBatch) Tokens() int { return b.A.tokens() + b.B.tokens() }

// BitextBatch are pairs of sentences that mean the same: every other sentence of
// the batch is a negative, but for those that are excluded.
type BitextBatch struct {
	A, B Sequences
	// Excluded has Count × Count entries: true at [i, j], i ≠ j, where B's j must not
	// count as a negative of A's i, since both have one group or one text.
	Excluded []bool
}

// Objective is "bitext".
func (*BitextBatch) Objective() string { return BitextName }

// Tokens counts both sides.
func (b *BitextBatch) Tokens() int { return b.A.tokens() + b.B.tokens() }

func (s *Sequences) tokens() (n int) {
	for _, l := range s.Lengths {
		n += int(l)
	}
	return n
}

// Names of the objectives.
const (
	CMLMName   = "cmlm"
	BitextName = "bitext"
)

// Kinds returns the kinds of examples that an objective takes.
func Kinds(name string) []string {
	switch name {
	case CMLMName:
		return []string{schemas.KindConsecutive}
	case BitextName:
		return []string{schemas.KindBitext, schemas.KindView}
	}
	return nil
}

// CMLM configures the conditional masked language model (Yang et al. 2021,
// section 2). The paper leaves several choices open; each is a field, and the
// defaults say what is taken.
type CMLM struct {
	// Vectors is N, the number of vectors made of the first sentence's vector that
	// stand before the second sentence. The first of them is the vector itself, so 1
	// means no projection. Default 15 (section 4.1).
	Vectors int `json:"vectors"`
	// Widths are those of the projection's two hidden layers, in multiples of the
	// hidden size. Default 2 and 2; the paper's are not known.
	Widths [2]int `json:"widths"`
	// Pooling of the first sentence: "mean" (default), "max" or "cls".
	Pooling string `json:"pooling"`
	// PrefixPositions says which positions the vectors get: "none" (default); "own",
	// 0 to N−1, with the second sentence after them; "shared", the position 0 for
	// all, with the second sentence from 0.
	PrefixPositions string `json:"prefix_positions"`
	// PrefixNorm sends the vectors through the LayerNorm of the embeddings. Default
	// false.
	PrefixNorm bool `json:"prefix_norm"`
	// DetachVector stops gradients between the masked language model and the vector
	// of the first sentence, for ablations. Default false.
	DetachVector bool `json:"detach_vector"`
	// LogUnigramBias sets the bias of the vocabulary at the start to the logarithm of
	// the frequencies of the tokens in the examples. Default false.
	LogUnigramBias bool `json:"log_unigram_bias"`
}

// DefaultCMLM is the paper's.
func DefaultCMLM() CMLM {
	return CMLM{Vectors: 15, Widths: [2]int{2, 2}, Pooling: "mean", PrefixPositions: "none"}
}

// Validate returns all faults at once.
func (c CMLM) Validate() error {
	var errs []error
	if c.Vectors < 1 || c.Vectors > 256 {
		errs = append(errs, fmt.Errorf("cmlm: vectors is %d, it must be from 1 to 256", c.Vectors))
	}
	for _, w := range c.Widths {
		if w < 1 || w > 64 {
			errs = append(errs, fmt.Errorf("cmlm: a width is %d, it must be from 1 to 64", w))
		}
	}
	switch c.Pooling {
	case "mean", "max", "cls":
	default:
		errs = append(errs, fmt.Errorf("cmlm: pooling %q is none of mean, max, cls", c.Pooling))
	}
	switch c.PrefixPositions {
	case "none", "own", "shared":
	default:
		errs = append(errs, fmt.Errorf("cmlm: prefix_positions %q is none of none, own, shared", c.PrefixPositions))
	}
	return errors.Join(errs...)
}

// Bitext configures bitext retrieval with additive margin, in both directions
// (Yang et al. 2021, section 3.1; Yang et al. 2019).
type Bitext struct {
	// Margin is taken off the score of the true pair. Default .3.
	Margin float64 `json:"margin"`
	// Scale multiplies scores and margin; vectors have unit length. Default 20: at 1
	// the softmax over a batch is nearly flat.
	Scale float64 `json:"scale"`
	// Pooling of the sentences: "mean" (default), "max" or "cls".
	Pooling string `json:"pooling"`
}

// DefaultBitext is the paper's, with a scale.
func DefaultBitext() Bitext { return Bitext{Margin: .3, Scale: 20, Pooling: "mean"} }

// Validate returns all faults at once.
func (c Bitext) Validate() error {
	var errs []error
	if !(c.Margin >= 0 && c.Margin < 2) {
		errs = append(errs, fmt.Errorf("bitext: margin is %v, it must be in [0, 2)", c.Margin))
	}
	if !(c.Scale > 0 && c.Scale <= 1000) {
		errs = append(errs, fmt.Errorf("bitext: scale is %v, it must be above 0 and at most 1000", c.Scale))
	}
	switch c.Pooling {
	case "mean", "max", "cls":
	default:
		errs = append(errs, fmt.Errorf("bitext: pooling %q is none of mean, max, cls", c.Pooling))
	}
	return errors.Join(errs...)
}

// Optimizer configures an optimizer's steps.
type Optimizer struct {
	// Name is "adamw" (Loshchilov and Hutter 2019) or "lamb" (You et al. 2020).
	// Default lamb.
	Name string `json:"name"`
	// Beta1 and Beta2 are the decays of the moments. Defaults .9 and .999.
	Beta1 float64 `json:"beta1"`
	Beta2 float64 `json:"beta2"`
	// Epsilon stands outside of the root. Defaults 1e-6 for LAMB, 1e-8 for AdamW.
	Epsilon float64 `json:"epsilon"`
	// Decay is the weight decay of matrices; biases and LayerNorms have none, and
	// LAMB does not adapt them. Default .01.
	Decay float64 `json:"decay"`
	// Clip is the greatest norm of all gradients together; 0 does not clip. Default 1.
	Clip float64 `json:"clip"`
}

// DefaultOptimizer is LAMB.
func DefaultOptimizer() Optimizer {
	return Optimizer{Name: "lamb", Beta1: .9, Beta2: .999, Epsilon: 1e-6, Decay: .01, Clip: 1}
}

// Validate returns all faults at once.
func (o Optimizer) Validate() error {
	var errs []error
	if o.Name != "adamw" && o.Name != "lamb" {
		errs = append(errs, fmt.Errorf("optimizer %q is none of adamw, lamb", o.Name))
	}
	for _, b := range []struct {
		name  string
		value float64
	}{{"beta1", o.Beta1}, {"beta2", o.Beta2}} {
		if !(b.value >= 0 && b.value < 1) {
			errs = append(errs, fmt.Errorf("optimizer: %s is %v, it must be in [0, 1)", b.name, b.value))
		}
	}
	if !(o.Epsilon > 0) {
		errs = append(errs, fmt.Errorf("optimizer: epsilon is %v, it must be above 0", o.Epsilon))
	}
	for _, p := range []struct {
		name  string
		value float64
	}{{"decay", o.Decay}, {"clip", o.Clip}} {
		if !(p.value >= 0) {
			errs = append(errs, fmt.Errorf("optimizer: %s is %v, it must not be negative", p.name, p.value))
		}
	}
	return errors.Join(errs...)
}
