//go:build libtorch

package losses

import (
	"errors"
	"fmt"

	"github.com/sugarme/gotch/ts"

	"sentweave/schemas"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
)

var nliLoss = define(objective.NLIName, nliParameters, newNLI)

// nliClassifier is the name of the layer that tells the classes.
const nliClassifier = "nli.classifier"

func nliParameters(f *model.Folder, o *objective.NLI) ([]Parameter, error) {
	classes, size := int64(len(schemas.Labels())), int64(len(o.Features)*f.Config.HiddenSize)
	return layerParameters(nliClassifier, classes, size), nil
}

// newNLI is the mean negative log likelihood of the classes (Conneau et al. 2017,
// section 3.1).
func newNLI(n Network, o *objective.NLI) func(*native.Scope, *objective.NLIBatch) *ts.Tensor {
	classifier := n.Weights.Linear(nliClassifier)
	return func(s *native.Scope, batch *objective.NLIBatch) *ts.Tensor {
		if s.Err = checkNLI(n.Config, batch); s.Err != nil {
			return nil
		}
		u, v := n.vectors(s, &batch.A, o.Pooling), n.vectors(s, &batch.B, o.Pooling)
		features := make([]*ts.Tensor, len(o.Features))
		for i, name := range o.Features {
			switch name {
			case objective.FeatureU:
				features[i] = u
			case objective.FeatureV:
				features[i] = v
			case objective.FeatureDifference:
				features[i] = s.Absolute(s.Subtract(u, v))
			case objective.FeatureProduct:
				features[i] = s.Multiply(u, v)
			}
		}
		return s.CrossEntropy(s.Linear(s.Concatenate(1, features...), classifier), s.Classes(batch.Labels))
	}
}

// vectors returns the vectors of whole sequences as the saved encoder gives them.
func (n Network) vectors(s *native.Scope, q *objective.Sequences, pooling string) *ts.Tensor {
	x := n.sentences(s, q, model.Pooling(pooling))
	if n.Folder.Normalize {
		x = s.Normalize(x)
	}
	return x
}

func checkNLI(c model.Config, b *objective.NLIBatch) error {
	if err := checkSides(c, &b.A, &b.B, len(b.Labels)); err != nil {
		return err
	}
	return checkLabels(b.Labels, len(schemas.Labels()))
}

// checkSides returns an error for two sides that are not of n pairs.
func checkSides(c model.Config, a, b *objective.Sequences, n int) error {
	if err := errors.Join(checkSequences(c, "side A", a, 0), checkSequences(c, "side B", b, 0)); err != nil {
		return err
	}
	if a.Count != n || b.Count != n {
		return fmt.Errorf("%d and %d sentences are not the sides of %d pairs", a.Count, b.Count, n)
	}
	return nil
}
