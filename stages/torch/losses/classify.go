//go:build libtorch

package losses

import (
	"fmt"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
)

var classifyLoss = define(objective.ClassifyName, func(f *model.Folder, o *objective.Classify) ([]Parameter, error) {
	return layerParameters(textClassifier, int64(o.Classes), int64(f.Config.HiddenSize)), nil
}, newClassify)

// textClassifier is the name of the layer that tells the classes of single texts.
const textClassifier = "classify.classifier"

// newClassify is the mean negative log likelihood of the classes.
func newClassify(n Network, o *objective.Classify) func(*native.Scope, *objective.ClassifyBatch) *ts.Tensor {
	classifier := n.Weights.Linear(textClassifier)
	return func(s *native.Scope, batch *objective.ClassifyBatch) *ts.Tensor {
		if s.Err = checkClassify(n.Config, o, batch); s.Err != nil {
			return nil
		}
		return s.CrossEntropy(s.Linear(n.vectors(s, &batch.Texts, o.Pooling), classifier), s.Classes(batch.Labels))
	}
}

func checkClassify(c model.Config, o *objective.Classify, b *objective.ClassifyBatch) error {
	if err := checkSequences(c, "the batch", &b.Texts, 0); err != nil {
		return err
	}
	if len(b.Labels) != b.Texts.Count {
		return fmt.Errorf("%d labels for %d texts", len(b.Labels), b.Texts.Count)
	}
	return checkLabels(b.Labels, o.Classes)
}

// checkLabels returns an error for a label that is not one of so many classes.
func checkLabels(labels []int32, classes int) error {
	for _, l := range labels {
		if l < 0 || int(l) >= classes {
			return fmt.Errorf("the label %d is not from 0 to %d", l, classes-1)
		}
	}
	return nil
}
