package torchverbs

import (
	"os"
	"path/filepath"

	"sentweave/runners/torchverbs/cost"
	"sentweave/stages/model"
	"sentweave/stages/train"
)

// Shape returns that of the encoder that the verb makes, given what is known of the steps before it; false
// for one that begins with an encoder which is not on this machine.
func (i *Init) Shape(known cost.Upstream) (cost.Shape, bool) {
	s, ok := i.shape(i.From, known)
	if i.From != "" {
		s.Layers = int64(i.layersOn(int(s.Layers)))
	}
	return s, ok
}

// Room returns the bytes that the verb writes.
func (i *Init) Room(known cost.Upstream) int64 {
	s, _ := i.Shape(known)
	return s.Bytes()
}

// Shape returns that of the encoder that the verb trains, like that of Init.
func (t *Train) Shape(known cost.Upstream) (cost.Shape, bool) { return t.shape(t.From, known) }

func (a architecture) shape(from string, known cost.Upstream) (cost.Shape, bool) {
	if from != "" {
		return known.Shape(from)
	}
	return cost.ShapeOf(a.config(), known.Pieces), true
}

// Periods returns what the periods of the training take, of an encoder of this shape.
func (t *Train) Periods(s cost.Shape) []cost.Period {
	return cost.Periods(t.planned(), s, t.MayHaveKernels() && !s.Gated)
}

// planned is what is trained, nothing where Validate says why.
func (t *Train) planned() train.Config {
	c, err := t.config()
	if err != nil {
		return train.Config{}
	}
	return c
}

// Room returns the bytes that the verb writes at most at a time. The weights of an encoder to begin with, which
// may be of another precision, count as they are.
func (t *Train) Room(known cost.Upstream) int64 {
	s, _ := t.Shape(known)
	weights := s.Bytes()
	if t.From != "" {
		weights = max(weights, 1)
		if info, err := os.Stat(filepath.Join(t.From, model.WeightsName)); err == nil {
			weights = max(weights, info.Size())
		}
	}
	return cost.Room(t.planned(), weights)
}

// Operations are those that the training takes, of an encoder whose shape is known by its folder.
func (t *Train) Operations(known cost.Upstream, _ int64) (float64, bool) {
	s, ok := known.Shapes[t.Out]
	return cost.Operations(t.Periods(s), s), ok
}

// Operations are those that the vectors of texts of so many bytes take.
func (e *Embed) Operations(known cost.Upstream, bytes int64) (float64, bool) {
	return known.Operations(e.Model, bytes)
}

// CheckLayer answers a recipe.
func (e *Embed) CheckLayer(upstream cost.Upstream) error {
	return upstream.CheckLayer(e.Model, e.Layer)
}

// Operations are those that the vectors of texts of so many bytes take.
func (s *States) Operations(known cost.Upstream, bytes int64) (float64, bool) {
	return known.Operations(s.Model, bytes)
}
