//go:build libtorch

package losses

import (
	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"
)

var quickThoughtLoss = define(objective.QuickThoughtName, func(f *model.Folder, _ *objective.QuickThought) (list []Parameter, err error) {
	for _, s := range transformer.Shapes(f.Config) {
		list = append(list, single(transformer.SecondName+s.Name, s.Size...))
	}
	return list, nil
}, newQuickThought)

// newQuickThought is the mean over all texts of the negative log likelihood of the
// neighbour, among all texts of the batch but the text itself (Logeswaran and Lee 2018,
// equation 3). Excluded texts do not count.
func newQuickThought(n Network, o *objective.QuickThought) func(*native.Scope, *objective.QuickThoughtBatch) *ts.Tensor {
	pooling := model.Pooling(o.Pooling)
	second := transformer.NewBERT(n.Config, n.Weights.Below(transformer.SecondName))
	second.Recompute = n.Recompute
	return func(s *native.Scope, batch *objective.QuickThoughtBatch) *ts.Tensor {
		if s.Err = checkContrastive(n.Config, &batch.ContrastiveBatch); s.Err != nil {
			return nil
		}
		second.Dropouts = n.Dropouts
		encode := func(b *transformer.BERT) *ts.Tensor {
			return s.Concatenate(0, n.encode(s, b, &batch.A, pooling), n.encode(s, b, &batch.B, pooling))
		}
		return othersLoss(s, s.Product(encode(n.BERT), s.Transpose(encode(second), 0, 1)), batch.Excluded, batch.A.Count)
	}
}
