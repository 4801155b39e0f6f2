//go:build libtorch

package transformer

import (
	"slices"

	"sentweave/stages/torch/native"
)

// LeastTokens returns how many tokens a list must have for each token to get the same bits, whatever the other tokens are. Products choose
// their kernels by the number of rows, and some kernels for few rows add in another order. Which ones do so depends on the processor and
// on libtorch. So lists of several lengths go through the first layer, and each is compared with a list as long as the constant
// LeastTokens, which is the result where shorter lists differ, and on a GPU. The trial costs what the layer costs for 1,100 tokens.
func (b *BERT) LeastTokens() (int, error) {
	if !native.OnCPU() || len(b.layers) == 0 {
		return LeastTokens, nil
	}
	defer native.WithoutGradients()()
	defer native.Begin()()
	whole, err := b.firstLayer(LeastTokens)
	if err != nil {
		return 0, err
	}
	for _, least := range []int{16, 64} {
		alike := true
		for n := least; n < LeastTokens && alike; n += n/2 + 3 {
			rows, err := b.firstLayer(n)
			if err != nil {
				return 0, err
			}
			alike = slices.Equal(rows, whole[len(whole)-len(rows):]) // where the rows are at other places
		}
		if alike {
			return least, nil
		}
	}
	return LeastTokens, nil
}

// firstLayer returns what the first layer gives the last n of LeastTokens different sequences of a token each.
func (b *BERT) firstLayer(n int) ([]float32, error) {
	p := Packed{Positions: make([]int64, n), Groups: []native.Group{{Count: int64(n), Length: 1}}}
	for i := LeastTokens - n; i < LeastTokens; i++ {
		p.IDs = append(p.IDs, int64(i*b.Config.VocabularySize/LeastTokens))
	}
	var s native.Scope
	defer s.Free()
	x := b.Packed(&s, p, 1, nil)
	rows := make([]float32, n*b.Config.HiddenSize)
	if s.Err == nil {
		s.Err = native.Floats(rows, x)
	}
	return rows, s.Err
}
