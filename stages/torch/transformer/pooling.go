//go:build libtorch

package transformer

import (
	"math"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/torch/native"
)

// Pool is native.Scope.Pool for all poolings that folders of others have, also for several, whose vectors are behind each other.
func Pool(s *native.Scope, x *ts.Tensor, groups []native.Group, pooling model.Pooling, skipped int64) *ts.Tensor {
	var parts []*ts.Tensor
	for _, part := range pooling.Parts() {
		parts = append(parts, pool(s, x, groups, part, skipped))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return s.Concatenate(1, parts...)
}

// pool is Pool of a single pooling. What is not a mean, maximum or first token is made of these.
func pool(s *native.Scope, x *ts.Tensor, groups []native.Group, pooling model.Pooling, skipped int64) *ts.Tensor {
	var factors []float32 // of sentences or of tokens
	var last []int64
	token := int64(-1)
	for _, g := range groups {
		without := min(skipped, g.Length-1)
		kept := g.Length - without
		places := float64(kept) * float64(without+1+g.Length) / 2 // the sum of those that are kept
		for range g.Count {
			token += g.Length
			last = append(last, token)
			switch pooling {
			case model.MeanSqrt:
				factors = append(factors, float32(math.Sqrt(float64(kept))))
			case model.WeightedMean:
				for place := range g.Length {
					factors = append(factors, float32(float64(kept)*float64(place+1)/places))
				}
			}
		}
	}
	switch pooling {
	case model.MeanSqrt:
		return s.Multiply(s.Pool(x, groups, model.Mean, skipped), s.Floats(factors, int64(len(factors)), 1))
	case model.WeightedMean:
		return s.Pool(s.Multiply(x, s.Floats(factors, int64(len(factors)), 1)), groups, model.Mean, skipped)
	case model.LastToken:
		return s.Rows(x, s.Integers(last, int64(len(last))))
	}
	return s.Pool(x, groups, pooling, skipped)
}
