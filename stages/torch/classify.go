//go:build libtorch

package torch

import (
	"fmt"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

var classifyLoss = define(objective.ClassifyName, func(f *model.Folder, o *objective.Classify) ([]parameter, error) {
	classes, size := int64(o.Classes), int64(f.Config.HiddenSize)
	return []parameter{{shape: shape{textClassifier + ".weight", []int64{classes, size}}}, {shape: shape{textClassifier + ".bias", []int64{classes}}}}, nil
}, newClassify)

// textClassifier is the name of the layer that tells the classes of single texts.
const textClassifier = "classify.classifier"

// newClassify is the mean negative log likelihood of the classes.
func newClassify(n network, o *objective.Classify) func(*scope, *objective.ClassifyBatch) *ts.Tensor {
	classifier := n.weights.linear(textClassifier)
	return func(s *scope, batch *objective.ClassifyBatch) *ts.Tensor {
		if s.err = checkClassify(n.config, o, batch); s.err != nil {
			return nil
		}
		return s.crossEntropy(s.linear(n.vectors(s, &batch.Texts, o.Pooling), classifier), s.classes(batch.Labels))
	}
}

// classes returns labels as a tensor.
func (s *scope) classes(labels []int32) *ts.Tensor {
	list := make([]int64, len(labels))
	for i, l := range labels {
		list[i] = int64(l)
	}
	return s.integers(list, int64(len(list)))
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

// checkLabels returns an error for a label that is none of so many classes.
func checkLabels(labels []int32, classes int) error {
	for _, l := range labels {
		if l < 0 || int(l) >= classes {
			return fmt.Errorf("the label %d is none of 0 to %d", l, classes-1)
		}
	}
	return nil
}
