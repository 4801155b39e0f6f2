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
		if s.err = checkContrastive(b.config, batch); s.err != nil {
			return nil
		}
		x := s.normalize(s.concatenate(0, b.sentences(s, &batch.A, pooling), b.sentences(s, &batch.B, pooling)))
		return othersLoss(s, s.scale(s.product(x, s.transpose(x, 0, 1)), 1/o.Temperature), batch.Excluded, batch.A.Count)
	}
}

// othersLoss is the mean over 2n texts of the negative log likelihood of the other text of
// the pair, given the scores of all, [2n, 2n]. A text itself and those that are excluded do
// not count.
func othersLoss(s *scope, scores *ts.Tensor, excluded []bool, n int) *ts.Tensor {
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
	return s.crossEntropy(s.add(scores, s.floats(offsets, int64(texts), int64(texts))), s.integers(targets, int64(texts)))
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
