// Package cost estimates what it takes to train an encoder, and to compute vectors by one. It knows
// encoders by their shapes alone, so that a recipe is estimated before any of them is made.
package cost

import (
	"fmt"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/train"
)

// CPUSpeed is what a core keeps up in training with float32, in operations a second: an encoder of
// four layers of 256 did 67e9, with AVX-512, and smaller ones do less.
const CPUSpeed = 5e10

// optimizing is what the optimizer takes of a parameter in a step, as operations: LAMB took 2 ns.
const optimizing = 2e-9 * CPUSpeed

// textBytes are about those of a token in Parquet, which compresses texts.
const textBytes = 1.5

// Shape is what the cost of a training depends on.
type Shape struct {
	Layers, Hidden, Heads, Intermediate, Positions, Pieces int64
	// Gated says that the layers are of ModernBERT's kind, for which this program has no kernels.
	Gated bool
}

// ShapeOf returns that of an encoder with a vocabulary of so many pieces.
func ShapeOf(c model.Config, pieces int64) Shape {
	inner := int64(c.IntermediateSize)
	if c.IsGated() { // its first product makes gates, too
		inner += inner / 2
	}
	return Shape{int64(c.Layers), int64(c.HiddenSize), int64(c.Heads), inner, int64(c.MaxPositions), pieces, c.IsGated()}
}

// Upstream is what is known of the steps before one: the pieces of the vocabulary that they learn, 0 where
// there is none, and the shapes of the encoders that they make, by their folders.
type Upstream struct {
	Pieces int64
	Shapes map[string]Shape
}

// Shape returns that of the encoder in a folder, made by a step or on this machine; false if there is
// none.
func (k Upstream) Shape(location string) (Shape, bool) {
	if s, ok := k.Shapes[location]; ok {
		return s, true
	}
	folder, err := model.Open(location)
	if err != nil {
		return Shape{}, false
	}
	return ShapeOf(folder.Config, int64(folder.Config.VocabularySize)), true
}

// CheckLayer returns an error if the encoder in a folder is known, and has no such layer; below 0 it is the last.
func (k Upstream) CheckLayer(location string, layer int) error {
	if layer < 0 {
		return nil
	}
	if s, ok := k.Shape(location); ok && int64(layer) > s.Layers {
		return fmt.Errorf("the encoder in %s has %d layers, and no layer %d: --layer=-1 takes the last, 0 is that of the embeddings", location,
			s.Layers, layer)
	}
	return nil
}

// Operations is the number of operations that the vectors of texts take, of so many bytes in Parquet, by
// the encoder in a folder; false where either is not known.
func (k Upstream) Operations(location string, bytes int64) (float64, bool) {
	s, ok := k.Shape(location)
	return s.encoding(int64(float64(bytes) / textBytes)), ok && bytes > 0
}

// Bytes are those of the weights, four for each.
func (s Shape) Bytes() int64 { return 4 * s.Parameters() }

// Parameters is their number.
func (s Shape) Parameters() int64 {
	return (s.Pieces+s.Positions+4)*s.Hidden + s.Layers*s.layer()
}

// encoding is the number of operations that the vectors of so many tokens take.
func (s Shape) encoding(tokens int64) float64 {
	return 2 * float64(tokens) * float64(s.Layers*s.layer())
}

// layer is the number of parameters of a layer: four square matrices, two of the inner size,
// and two norms.
func (s Shape) layer() int64 {
	return 4*s.Hidden*(s.Hidden+1) + 2*s.Hidden*s.Intermediate + s.Intermediate + s.Hidden + 4*s.Hidden
}

// Period is what a period of a training takes at most, by the sizes of its batches: every text
// counts as long as it may be.
type Period struct {
	Period string
	// Steps and Tokens are those of the period.
	Steps, Tokens int64
	// Bytes are those of weights, gradients, two moments, and what a batch keeps for its
	// gradients.
	Bytes int64
	// Operations are those of floating point.
	Operations float64
}

// masked is the share of the tokens of a second text that is predicted, as in CMLM's paper.
const masked = .3125

// forward is the share of the way forward in the operations of a step, and scores how many numbers a loss over vectors keeps
// at a time of each pair of texts.
const (
	forward = 1. / 3
	scores  = 13
)

// Periods returns those of a training of an encoder of a shape. Backwards takes
// twice the operations of forwards (Kaplan et al. 2020, section 2.1); what a layer keeps of a
// token is 34 hidden sizes and 5 values for each token and head, in two bytes each (Korthikanti
// et al. 2022, section 4.1), twice as much in four. Kernels keep 7 hidden and 2 inner sizes in two bytes: what is given to a
// product, to attention or to a norm; weights and their gradients are there in two bytes, too. With gradient caching these are
// of a chunk of one side, beside vectors and scores; layers that are computed again keep their input.
func Periods(c train.Config, s Shape, hasKernels bool) (list []Period) {
	ofParameter, ofScore := int64(16), int64(8)
	ofToken := func(length int64) int64 { return 2 * (34*s.Hidden + 5*s.Heads*length) }
	if hasKernels {
		ofParameter, ofScore = 20, 4
		ofToken = func(int64) int64 { return 2 * (7*s.Hidden + 2*s.Intermediate) }
	}
	for _, period := range c.Periods {
		cost := Period{Period: period.Name, Steps: period.Steps}
		activations, operations := int64(0), 0.
		for _, m := range period.Mixture {
			length := s.Positions
			if m.MaxTokens > 0 {
				length = min(length, int64(m.MaxTokens))
			}
			tokens := 2 * int64(m.BatchSize) * length
			if m.BatchTokens > 0 {
				tokens = int64(m.BatchTokens)
			}
			cost.Tokens += tokens * int64(period.Accumulate) * period.Steps
			o, ok := objective.Find(m.Objective)
			kept, ways := tokens, 1. // tokens whose activations are there at a time, and ways forward and back
			if batch := int64(m.BatchSize); ok && !o.Predicts && period.CacheChunk > 0 {
				kept, ways = min(batch, int64(period.CacheChunk))*length, ways+forward
				activations += 16*batch*s.Hidden + 4*scores*batch*batch
			}
			if layer := kept * ofToken(length); c.Recompute {
				activations, ways = activations+layer+4*kept*s.Layers*s.Hidden, ways+forward
			} else {
				activations += s.Layers * layer
			}
			operations += ways * float64(tokens) * float64(s.Layers) * float64(6*s.layer()+12*length*s.Hidden)
			if ok && o.Predicts {
				words := masked * float64(tokens) / 2
				activations += int64(words) * s.Pieces * ofScore // the words' scores, and their gradients
				operations += 6 * words * float64(s.Hidden) * float64(s.Pieces+s.Hidden)
			}
		}
		cost.Bytes = ofParameter*s.Parameters() + activations
		cost.Operations = operations * float64(period.Accumulate) * float64(period.Steps)
		list = append(list, cost)
	}
	return list
}

// Operations are those of all periods of a training of an encoder of a shape, with the optimizer's.
func Operations(periods []Period, s Shape) (sum float64) {
	for _, p := range periods {
		sum += p.Operations + optimizing*float64(s.Parameters()*p.Steps)
	}
	return sum
}

// Room returns the bytes that a training writes at most at a time, whose encoder takes so many: the encoder
// after each period, and checkpoints, which hold the weights and two moments of each.
func Room(c train.Config, weights int64) int64 {
	checkpoints := c.Keep + 1
	if c.Validation != nil {
		checkpoints++ // the best one
	}
	if c.MaxSpike > 0 {
		checkpoints += 2 // the one that a spike goes back to, and the best one then
	}
	return weights * int64(len(c.Periods)+3*checkpoints)
}
