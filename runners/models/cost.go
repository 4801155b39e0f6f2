package models

import (
	"sentweave/stages/model"
	"sentweave/stages/objective"
)

// Cost is what a period of a training takes at most, by the sizes of its batches: every text
// counts as long as it may be.
type Cost struct {
	Period string
	// Steps and Tokens are those of the period.
	Steps, Tokens int64
	// Bytes are those of weights, gradients, two moments, and what a batch keeps for its
	// gradients, in float32.
	Bytes int64
	// Operations are those of floating point.
	Operations float64
}

// Shape is what the cost of a training depends on.
type Shape struct {
	Layers, Hidden, Heads, Intermediate, Positions, Pieces int64
}

// Shape returns that of the encoder that the verb makes, with a vocabulary of so many pieces, given
// the shapes of encoders that are to be made by their folders; false for one that begins with an
// encoder which is not on this machine.
func (i *Init) Shape(pieces int64, shapes map[string]Shape) (Shape, bool) {
	s, ok := shapes[i.From]
	if !ok {
		s, ok = i.shape(i.From, pieces)
	}
	if i.From != "" {
		s.Layers = int64(i.layersOn(int(s.Layers)))
	}
	return s, ok
}

// Shape returns that of the encoder that the verb trains, like that of Init.
func (t *Train) Shape(pieces int64) (Shape, bool) { return t.shape(t.From, pieces) }

// ShapeOf returns that of the encoder in a folder on this machine; false if none is there.
func ShapeOf(location string) (Shape, bool) {
	folder, err := model.Open(location)
	if err != nil {
		return Shape{}, false
	}
	return shapeOf(folder.Config, int64(folder.Config.VocabularySize)), true
}

func (a architecture) shape(location string, pieces int64) (Shape, bool) {
	if location != "" {
		return ShapeOf(location)
	}
	return shapeOf(a.config(), pieces), true
}

func shapeOf(c model.Config, pieces int64) Shape {
	return Shape{int64(c.Layers), int64(c.HiddenSize), int64(c.Heads), int64(c.IntermediateSize), int64(c.MaxPositions), pieces}
}

// Bytes are those of the weights, four for each.
func (s Shape) Bytes() int64 { return 4 * s.Parameters() }

// Parameters is their number.
func (s Shape) Parameters() int64 {
	return (s.Pieces+s.Positions+4)*s.Hidden + s.Layers*s.layer()
}

// Encoding is the number of operations that the vectors of so many tokens take.
func (s Shape) Encoding(tokens int64) float64 {
	return 2 * float64(tokens) * float64(s.Layers*s.layer())
}

// layer is the number of parameters of a layer: four square matrices, two of the inner size,
// and two norms.
func (s Shape) layer() int64 {
	return 4*s.Hidden*(s.Hidden+1) + 2*s.Hidden*s.Intermediate + s.Intermediate + s.Hidden + 4*s.Hidden
}

// masked is the share of the tokens of a second text that is predicted, as in CMLM's paper.
const masked = .3125

// Costs returns those of the periods of a training of an encoder of this shape. Backwards takes
// twice the operations of forwards (Kaplan et al. 2020, section 2.1); what a layer keeps of a
// token is 34 hidden sizes and 5 values for each token and head, in two bytes each (Korthikanti
// et al. 2022, section 4.1), twice as much in four.
func (t *Train) Costs(s Shape) (list []Cost) {
	c, err := t.config()
	if err != nil { // which Validate says
		return nil
	}
	for _, period := range c.Periods {
		cost := Cost{Period: period.Name, Steps: period.Steps}
		activations, operations := int64(0), 0.
		for _, m := range period.Mixture {
			length := s.Positions
			if m.MaxTokens > 0 {
				length = min(length, int64(m.MaxTokens))
			}
			tokens := 2 * int64(m.BatchSize) * length
			cost.Tokens += tokens * int64(period.Accumulate) * period.Steps
			activations += 2 * tokens * s.Layers * (34*s.Hidden + 5*s.Heads*length)
			operations += float64(tokens) * float64(s.Layers) * float64(6*s.layer()+12*length*s.Hidden)
			if o, ok := objective.Find(m.Objective); ok && o.Predicts {
				words := masked * float64(tokens) / 2
				activations += int64(words) * s.Pieces * 8 // the words' scores, and their gradients
				operations += 6 * words * float64(s.Hidden) * float64(s.Pieces+s.Hidden)
			}
		}
		cost.Bytes = 16*s.Parameters() + activations
		cost.Operations = operations * float64(period.Accumulate) * float64(period.Steps)
		list = append(list, cost)
	}
	return list
}
