//go:build libtorch

package torch

import (
	"fmt"
	"math"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

var contrastiveLoss = define(objective.ContrastiveName, nil, newContrastive)

// newContrastive is the mean over 2n views of the negative log likelihood of the other
// view of the same text, among all but the view itself (Chen et al. 2020, equation 1).
// Excluded views do not count.
func newContrastive(b network, o *objective.Contrastive) func(*scope, *objective.ContrastiveBatch) *ts.Tensor {
	pooling := model.Pooling(o.Pooling)
	return func(s *scope, batch *objective.ContrastiveBatch) *ts.Tensor {
		n := batch.A.Count
		views := 2 * n
		if s.err = checkSides(b.config, &batch.A, &batch.B, n); s.err == nil && len(batch.Excluded) != views*views {
			s.err = fmt.Errorf("%d exclusions for %d views", len(batch.Excluded), views)
		}
		if s.err != nil {
			return nil
		}
		x := s.normalize(s.concatenate(0, b.sentences(s, &batch.A, pooling), b.sentences(s, &batch.B, pooling)))
		offsets, targets := make([]float32, views*views), make([]int64, views)
		for i := range views {
			targets[i] = int64((i + n) % views)
			for j := range views {
				if i == j || batch.Excluded[i*views+j] {
					offsets[i*views+j] = float32(math.Inf(-1))
				}
			}
		}
		scores := s.scale(s.product(x, s.transpose(x, 0, 1)), 1/o.Temperature)
		return s.crossEntropy(s.add(scores, s.floats(offsets, int64(views), int64(views))), s.integers(targets, int64(views)))
	}
}
