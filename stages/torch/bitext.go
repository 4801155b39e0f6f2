//go:build libtorch

package torch

import (
	"math"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

var bitextLoss = define(objective.BitextName, nil, newBitext)

// newBitext is bitext retrieval with additive margin, both directions summed
// (Yang et al. 2021, section 3.1). Hard negatives are candidates for the first sides.
// Excluded candidates count in neither.
func newBitext(b network, o *objective.Bitext) func(*scope, *objective.BitextBatch) *ts.Tensor {
	return func(s *scope, batch *objective.BitextBatch) *ts.Tensor {
		if s.err = checkBitext(b.config, batch); s.err != nil {
			return nil
		}
		pooling := model.Pooling(o.Pooling)
		x := s.normalize(b.sentences(s, &batch.A, pooling))
		y := s.normalize(b.sentences(s, &batch.B, pooling))
		scores := s.scale(s.product(x, s.transpose(y, 0, 1)), o.Scale)
		n := batch.A.Count
		offsets := make([]float32, n*n)
		targets := make([]int64, n)
		for i := range n {
			targets[i] = int64(i)
			for j := range n {
				switch {
				case i == j:
					offsets[i*n+j] = float32(-o.Scale * o.Margin)
				case batch.Excluded[i*n+j]:
					offsets[i*n+j] = float32(math.Inf(-1))
				}
			}
		}
		logits := s.add(scores, s.floats(offsets, int64(n), int64(n)))
		diagonal := s.integers(targets, int64(n))
		candidates := logits
		if k := batch.Negatives.Count; k > 0 {
			offsets := make([]float32, n*k)
			for i, excluded := range batch.ExcludedNegatives {
				if excluded {
					offsets[i] = float32(math.Inf(-1))
				}
			}
			z := s.normalize(b.sentences(s, &batch.Negatives, pooling))
			hard := s.scale(s.product(x, s.transpose(z, 0, 1)), o.Scale)
			candidates = s.concatenate(1, logits, s.add(hard, s.floats(offsets, int64(n), int64(k))))
		}
		return s.add(s.crossEntropy(candidates, diagonal), s.crossEntropy(s.transpose(logits, 0, 1), diagonal))
	}
}
