//go:build libtorch

package torch

import (
	"os"
	"path/filepath"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

var quickThoughtLoss = define(objective.QuickThoughtName, func(f *model.Folder, _ *objective.QuickThought) (list []parameter, err error) {
	for _, s := range shapes(f.Config) {
		list = append(list, parameter{shape: shape{secondName + s.name, s.size}})
	}
	return list, nil
}, newQuickThought)

// secondName begins the names of the weights of the second encoder, which is saved as a
// part of the model.
const secondName = "quickthought.second."

// newQuickThought is the mean over all texts of the negative log likelihood of the
// neighbour, among all texts of the batch but the text itself (Logeswaran and Lee 2018,
// equation 3). Excluded texts do not count.
func newQuickThought(n network, o *objective.QuickThought) func(*scope, *objective.QuickThoughtBatch) *ts.Tensor {
	pooling := model.Pooling(o.Pooling)
	second := newBERT(n.config, n.weights.below(secondName))
	return func(s *scope, batch *objective.QuickThoughtBatch) *ts.Tensor {
		if s.err = checkContrastive(n.config, &batch.ContrastiveBatch); s.err != nil {
			return nil
		}
		second.dropout, second.attentionDropout = n.dropout, n.attentionDropout
		encode := func(b *bert) *ts.Tensor {
			return s.concatenate(0, b.sentences(s, &batch.A, pooling), b.sentences(s, &batch.B, pooling))
		}
		return othersLoss(s, s.product(encode(n.bert), s.transpose(encode(second), 0, 1)), batch.Excluded, batch.A.Count)
	}
}

// readSecond fills the second encoder from a folder. A folder that has none, where that is
// allowed, gives it the weights of its encoder.
func (t *Trainer) readSecond(folder string, optional bool) error {
	if t.second == nil {
		return nil
	}
	path := filepath.Join(folder, filepath.FromSlash(model.SecondWeightsName))
	if _, err := os.Stat(path); err != nil && optional {
		path = filepath.Join(folder, model.WeightsName)
	}
	return fill(path, t.second.names, t.second, false)
}
