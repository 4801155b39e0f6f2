//go:build libtorch

package losses

import (
	"fmt"
	"math"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
)

var contrastiveLoss = define(objective.ContrastiveName, nil, newContrastive)

// newContrastive is the mean over 2n views of the negative log likelihood of the other
// view of the same text, among all but the view itself (Chen et al. 2020, equation 1).
// Excluded views do not count.
func newContrastive(b Network, o *objective.Contrastive) func(*native.Scope, *objective.ContrastiveBatch) *ts.Tensor {
	pooling := model.Pooling(o.Pooling)
	return func(s *native.Scope, batch *objective.ContrastiveBatch) *ts.Tensor {
		if s.Err = checkContrastive(b.Config, batch); s.Err != nil {
			return nil
		}
		x := s.Normalize(s.Concatenate(0, b.sentences(s, &batch.A, pooling), b.sentences(s, &batch.B, pooling)))
		return othersLoss(s, s.Scale(s.Product(x, s.Transpose(x, 0, 1)), 1/o.Temperature), batch.Excluded, batch.A.Count)
	}
}

// othersLoss is the mean over 2n texts of the negative log likelihood of the other text of
// the pair, given the scores of all, [2n, 2n]. A text itself and those that are excluded do
// not count.
func othersLoss(s *native.Scope, scores *ts.Tensor, excluded []bool, n int) *ts.Tensor {
	texts := 2 * n
	offsets, targets := make([]float32, texts*texts), make([]int64, texts)
	for i := range texts {
		targets[i] = int64((i + n) % texts)
		for j := range texts {
			if i == j || excluded[i*texts+j] {
				offsets[i*texts+j] = float32(math.Inf(-1))
			}
		}
	}
	return s.CrossEntropy(s.Add(scores, s.Floats(offsets, int64(texts), int64(texts))), s.Integers(targets, int64(texts)))
}

func checkContrastive(c model.Config, b *objective.ContrastiveBatch) error {
	if err := checkSides(c, &b.A, &b.B, b.A.Count); err != nil {
		return err
	}
	if views := 2 * b.A.Count; len(b.Excluded) != views*views {
		return fmt.Errorf("%d exclusions for %d views", len(b.Excluded), views)
	}
	return nil
}
