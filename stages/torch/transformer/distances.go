//go:build libtorch

package transformer

import (
	"github.com/sugarme/gotch/ts"

	"sentweave/stages/torch/native"
)

// bias returns what attention adds to its scores by the distance of two tokens, [heads, longest, longest] for the longest of the
// sequences of the groups.
func (b *BERT) bias(s *native.Scope, groups []native.Group) *ts.Tensor {
	longest := int64(0)
	for _, g := range groups {
		longest = max(longest, g.Length)
	}
	list := make([]int64, 0, longest*longest)
	for i := range longest {
		for j := range longest {
			list = append(list, bucket(j-i, int64(b.Config.Buckets)))
		}
	}
	x := s.Embedding(b.distances, s.Integers(list, longest*longest))
	return s.Reshape(s.Transpose(x, 0, 1), int64(b.Config.Heads), longest, longest)
}
