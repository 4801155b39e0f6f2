//go:build libtorch

package torch

import (
	"math"
	"math/rand/v2"
	"testing"

	"sentweave/stages/objective"
)

// Without predictor and target, nothing keeps BSL from giving all texts one vector; with
// them the vectors stay apart, and both views of a text come together (Zhang et al. 2021,
// section 3; Chen and He 2021, figure 2).
func TestBSLCollapses(t *testing.T) {
	onThread()
	oneThread(t)
	const texts = 64
	r := rand.New(rand.NewPCG(11, 4))
	views := long(r, texts)
	batch := &objective.BSLBatch{A: padTo(views), B: padTo(views)} // which dropout makes two of
	spread := func(change func(*objective.BSL)) (before, after float64) {
		folder, vocabulary := tiny(t)
		folder.Config.HiddenSize, folder.Config.IntermediateSize, folder.Normalize = 32, 64, true
		folder.Config.HiddenDropout, folder.Config.AttentionDropout = .1, .1
		trainer := newTrainerOf(t, TrainerConfig{Folder: folder, Vocabulary: vocabulary,
			Objectives: objective.Settings{"bsl": bslOf(change)}, Seed: 1,
			Optimizer: objective.Optimizer{Name: "adamw", Beta1: .9, Beta2: .999, Epsilon: 1e-6, Clip: 1}})
		before = spreadOf(t, trainer, views)
		for step := range 150 {
			if _, err := trainer.Accumulate(batch, 1, nil, uint64(step)); err != nil {
				t.Fatal(err)
			}
			if _, err := trainer.Update(2e-3); err != nil {
				t.Fatal(err)
			}
		}
		return before, spreadOf(t, trainer, views)
	}
	before, kept := spread(func(c *objective.BSL) { c.Momentum = .99 })
	_, lost := spread(func(c *objective.BSL) { c.Predictor, c.StopGradient = objective.PredictorNone, false })
	t.Logf("spread %.3f before, %.3f after, %.3f without predictor and target", before, kept, lost)
	if lost > .2*before || kept < 3*lost {
		t.Errorf("spread %.3f before, %.3f after, %.3f without predictor and target", before, kept, lost)
	}
}

// spreadOf is the square root of the mean squared distance of unit vectors from their mean:
// 0 where all are one, near 1 where they point everywhere.
func spreadOf(t *testing.T, trainer *Trainer, texts [][]int32) float64 {
	t.Helper()
	e := savedEncoder(t, trainer)
	x := encode(t, e, texts)
	mean := make([]float64, e.Dimension())
	for i, v := range x {
		mean[i%len(mean)] += float64(v) / float64(len(texts))
	}
	sum := 1.
	for _, m := range mean {
		sum -= m * m
	}
	return math.Sqrt(max(sum, 0))
}
