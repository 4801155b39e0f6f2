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
		rows := make([]int64, len(batch.Positions))
		for i, at := range batch.Positions {
			rows[i] = int64(at)
		}
		masks := s.integers(rows, int64(len(rows)))
		p := pad(s, &batch.Texts, 0, 0)
		x := p.embed(s, n.bert)
		last := len(n.layers) - 1
		if last < 0 {
			return head.loss(s, s.rows(x, masks), batch.Targets)
		}
		for _, l := range n.layers[:last] {
			x = n.forward(s, l, x, p.layout(p.length))
		}
		return head.loss(s, n.forwardAt(s, n.layers[last], x, p.layout(p.length), masks), batch.Targets)
	}
}
