//go:build libtorch

package losses

import (
	"math"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
)

var bitextLoss = define(objective.BitextName, nil, newBitext)

// newBitext is bitext retrieval with additive margin, both directions summed
// (Yang et al. 2021, section 3.1). Hard negatives are candidates for the first sides.
// Excluded candidates count in neither.
func newBitext(b Network, o *objective.Bitext) func(*native.Scope, *objective.BitextBatch) *ts.Tensor {
	return func(s *native.Scope, batch *objective.BitextBatch) *ts.Tensor {
		if s.Err = checkBitext(b.Config, batch); s.Err != nil {
			return nil
		}
		pooling := model.Pooling(o.Pooling)
		x := s.Normalize(b.sentences(s, &batch.A, pooling))
		y := s.Normalize(b.sentences(s, &batch.B, pooling))
		scores := s.Scale(s.Product(x, s.Transpose(y, 0, 1)), o.Scale)
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
		logits := s.Add(scores, s.Floats(offsets, int64(n), int64(n)))
		diagonal := s.Integers(targets, int64(n))
		candidates := logits
		if k := batch.Negatives.Count; k > 0 {
			offsets := make([]float32, n*k)
			for i, excluded := range batch.ExcludedNegatives {
				if excluded {
					offsets[i] = float32(math.Inf(-1))
				}
			}
			z := s.Normalize(b.sentences(s, &batch.Negatives, pooling))
			hard := s.Scale(s.Product(x, s.Transpose(z, 0, 1)), o.Scale)
			candidates = s.Concatenate(1, logits, s.Add(hard, s.Floats(offsets, int64(n), int64(k))))
		}
		return s.Add(s.CrossEntropy(candidates, diagonal), s.CrossEntropy(s.Transpose(logits, 0, 1), diagonal))
	}
}
