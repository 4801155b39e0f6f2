//go:build libtorch

package torch

import (
	"errors"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

var mlmLoss = define(objective.MLMName, func(f *model.Folder, o *objective.MLM) ([]parameter, error) {
	return headParameters(f.Config, o.Unigrams)
}, newMLM)

// newMLM is the mean negative log likelihood of the masked tokens (Devlin et al. 2019,
// section 3.1). The last layer is finished at masks only: after attention, tokens do
// not see each other.
func newMLM(n network, _ *objective.MLM) func(*scope, *objective.MLMBatch) *ts.Tensor {
	head := newHead(n)
	return func(s *scope, batch *objective.MLMBatch) *ts.Tensor {
		s.err = errors.Join(checkSequences(n.config, "the batch", &batch.Texts, 0), checkMasks(n.config, &batch.Texts, batch.Positions, batch.Targets))
		if s.err != nil {
			return nil
		}
		p := packAll(&batch.Texts, 0)
		masks := s.arrangement(p.rows(&batch.Texts, batch.Positions), len(p.ids))
		return head.loss(s, n.through(s, p.embed(s, n.bert), p, &masks), batch.Targets)
	}
}
