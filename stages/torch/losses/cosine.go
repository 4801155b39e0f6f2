//go:build libtorch

package losses

import (
	"math"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
)

var cosineLoss = define(objective.CosineName, nil, newCosine)

// newCosine fits cosines to gold values by regression (Reimers and Gurevych 2019,
// section 3), or their order by CoSENT (Su 2022).
func newCosine(n Network, o *objective.Cosine) func(*native.Scope, *objective.CosineBatch) *ts.Tensor {
	pooling := model.Pooling(o.Pooling)
	return func(s *native.Scope, batch *objective.CosineBatch) *ts.Tensor {
		count := len(batch.Targets)
		if s.Err = checkSides(n.Config, &batch.A, &batch.B, count); s.Err != nil {
			return nil
		}
		cosines := s.Float32(s.Cosines(n.sentences(s, &batch.A, pooling), n.sentences(s, &batch.B, pooling)))
		size := int64(count)
		if o.Loss == objective.CosineRegression {
			targets := make([]float32, count)
			for i, t := range batch.Targets {
				targets[i] = float32((float64(t) - o.Lowest) / (o.Highest - o.Lowest))
			}
			return s.SquaredError(cosines, s.Floats(targets, size))
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
		cosines = s.Scale(cosines, o.Scale)
		differences := s.Subtract(s.Reshape(cosines, 1, size), s.Reshape(cosines, size, 1))
		terms := s.Reshape(s.Add(differences, s.Floats(offsets, size, size)), size*size)
		return s.LogSumExp(s.Concatenate(0, s.Floats([]float32{0}, 1), terms), 0)
	}
}
