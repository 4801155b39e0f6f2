//go:build libtorch

package torch

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"sentweave/stages/objective"
)

// A batch with the vectors of its tokens has the loss and the gradients of one without, whatever
// is beside its texts when they are computed.
func TestLensOnStates(t *testing.T) {
	onThread()
	for name, lens := range map[string]*objective.Lens{"simple": lensOf(objective.LensClassifier), "gated": gatedOf(2, 3, "g0", 12)} {
		config := TrainerConfig{Objectives: objective.Settings{"lens": lens}, Optimizer: adamw, Seed: 3}
		config.Folder, config.Vocabulary = tiny(t)
		config.Folder.Config.HiddenDropout, config.Folder.Config.AttentionDropout = .3, .3 // which a frozen encoder has not
		trainer := newTrainerOf(t, config)
		e := savedEncoder(t, trainer)
		r := rand.New(rand.NewPCG(4, 4))
		batch := lensBatch(r).(*objective.LensBatch)
		known := *batch
		known.StatesA, known.StatesB = statesOf(t, e, batch.A, nil), statesOf(t, e, batch.B, sentences(r, 90, 12))
		var losses [2]float64
		var gradients [2][]float32
		for i, b := range []*objective.LensBatch{batch, &known} {
			loss, err := trainer.Accumulate(b, 1, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			losses[i], gradients[i] = loss, gradient(t, trainer.network.Weights.Tensors["lens.weight"])
			if _, err := trainer.Update(0); err != nil {
				t.Fatal(err)
			}
		}
		if math.Abs(losses[0]-losses[1]) > 1e-6 || distance(gradients[0], gradients[1]) > 1e-6 ||
			distance(gradients[0], make([]float32, len(gradients[0]))) < 1e-3 {
			t.Errorf("%s: losses %v, gradients differ by %v", name, losses, distance(gradients[0], gradients[1]))
		}
		known.StatesB = known.StatesB[1:]
		if _, err := trainer.Accumulate(&known, 1, nil, 0); err == nil ||
			!strings.Contains(err.Error(), "the vectors of the tokens have ") {
			t.Error(err)
		}
	}
}

// statesOf are those of padded texts, computed beside others.
func statesOf(t *testing.T, e *Encoder, q objective.Sequences, others [][]int32) []float32 {
	t.Helper()
	texts := others
	for i, n := range q.Lengths {
		texts = append(texts, q.IDs[i*q.Length:][:n])
	}
	vectors, err := e.States(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	const size = 16
	for _, ids := range others {
		vectors = vectors[len(ids)*size:]
	}
	all := make([]float32, len(q.IDs)*size)
	for i, n := range q.Lengths {
		vectors = vectors[copy(all[i*q.Length*size:], vectors[:int(n)*size]):]
	}
	return all
}
