//go:build libtorch

package transformer

import (
	"math"
	"slices"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/torch/native"
)

// rotary returns the cosines and sines of the angles of tokens at positions, [tokens, 2, half of a head's size]: a position
// times theta^(−2i/size) (Su et al. 2021, section 3.2.2). Angles are float32, as transformers has them. Those of a token do not
// depend on the other tokens.
func (b *BERT) rotary(s *native.Scope, positions []int64, theta float64) *ts.Tensor {
	half := b.Config.HiddenSize / b.Config.Heads / 2
	count := int(slices.Max(positions)) + 1
	table := make([]float32, count*2*half)
	for i := range half {
		rate := 1 / float32(math.Pow(theta, float64(float32(i)/float32(half))))
		for position := range count {
			sine, cosine := math.Sincos(float64(float32(position) * rate))
			row := table[position*2*half:]
			row[i], row[half+i] = float32(cosine), float32(sine)
		}
	}
	list := make([]float32, 0, len(positions)*2*half)
	for _, position := range positions {
		list = append(list, table[int(position)*2*half:][:2*half]...)
	}
	return s.Floats(list, int64(len(positions)), 2, int64(half))
}
