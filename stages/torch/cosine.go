//go:build libtorch

package torch

import (
	"math"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

var cosineLoss = define(objective.CosineName, nil, newCosine)

// newCosine fits cosines to gold values by regression (Reimers and Gurevych 2019,
// section 3), or their order by CoSENT (Su 2022).
func newCosine(n network, o *objective.Cosine) func(*scope, *objective.CosineBatch) *ts.Tensor {
	pooling := model.Pooling(o.Pooling)
	return func(s *scope, batch *objective.CosineBatch) *ts.Tensor {
		count := len(batch.Targets)
		if s.err = checkSides(n.config, &batch.A, &batch.B, count); s.err != nil {
			return nil
		}
		cosines := s.float32(s.cosines(n.sentences(s, &batch.A, pooling), n.sentences(s, &batch.B, pooling)))
		size := int64(count)
		if o.Loss == objective.CosineRegression {
			targets := make([]float32, count)
			for i, t := range batch.Targets {
				targets[i] = float32((float64(t) - o.Lowest) / (o.Highest - o.Lowest))
			}
			return s.squaredError(cosines, s.floats(targets, size))
		}
		// The entry [i, j] is Scale × (c_j − c_i) where i has the greater value, and one more
		// entry is 0, for the 1 in the logarithm.
		offsets := make([]float32, count*count)
		for i, x := range batch.Targets {
			for j, y := range batch.Targets {
				if x <= y {
					offsets[i*count+j] = float32(math.Inf(-1))
				}
			}
		}
		cosines = s.scale(cosines, o.Scale)
		differences := s.subtract(s.reshape(cosines, 1, size), s.reshape(cosines, size, 1))
		terms := s.reshape(s.add(differences, s.floats(offsets, size, size)), size*size)
		return s.logSumExp(s.concatenate(0, s.floats([]float32{0}, 1), terms), 0)
	}
}
