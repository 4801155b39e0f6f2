//go:build libtorch

package losses

import (
	"errors"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"
)

var mlmLoss = define(objective.MLMName, func(f *model.Folder, o *objective.MLM) ([]Parameter, error) {
	return headParameters(f.Config, o.Unigrams)
}, newMLM)

// newMLM is the mean negative log likelihood of the masked tokens (Devlin et al. 2019,
// section 3.1). The last layer is finished at masks only: after attention, tokens do
// not see each other.
func newMLM(n Network, _ *objective.MLM) func(*native.Scope, *objective.MLMBatch) *ts.Tensor {
	head := transformer.NewHead(n.BERT, n.Weights)
	return func(s *native.Scope, batch *objective.MLMBatch) *ts.Tensor {
		s.Err = errors.Join(
			checkSequences(n.Config, "the batch", &batch.Texts, 0),
			checkMasks(n.Config, &batch.Texts, batch.Positions, batch.Targets),
		)
		if s.Err != nil {
			return nil
		}
		p := transformer.PackAll(&batch.Texts, 0)
		masks := s.Arrangement(p.Rows(&batch.Texts, batch.Positions), len(p.IDs))
		return head.Loss(s, n.Through(s, n.Embed(s, p), p, &masks), batch.Targets)
	}
}
