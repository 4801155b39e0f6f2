//go:build libtorch

package torch

import (
	"math/rand/v2"
	"slices"
	"testing"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

// Two hundred steps on the same 64 pairs of random sequences teach the model which
// belong together: what a folder of it encodes finds them in both directions.
func TestOverfitsPairs(t *testing.T) {
	for _, precision := range []string{Float32, bFloat16} {
		t.Run(precision, func(t *testing.T) {
			use(t, tested(), precision)
			overfit(t)
		})
	}
}

func overfit(t *testing.T) {
	onThread(t)
	oneThread(t)
	const pairs = 64
	r := rand.New(rand.NewPCG(11, 4))
	a, b := long(r, pairs), long(r, pairs)
	batch := &objective.BitextBatch{A: padTo(a), B: padTo(b), Excluded: make([]bool, pairs*pairs)}
	bitext := objective.DefaultBitext()
	folder, vocabulary := tiny(t)
	folder.Config.HiddenSize, folder.Config.IntermediateSize, folder.Normalize = 32, 64, true
	trainer := newTrainerOf(t, TrainerConfig{Folder: folder, Vocabulary: vocabulary, Objectives: objective.Settings{"bitext": &bitext}, Seed: 1,
		Optimizer: objective.Optimizer{Name: "adamw", Beta1: .9, Beta2: .999, Epsilon: 1e-8, Decay: .01, Clip: 1}})
	untrained := retrieved(t, trainer, a, b)
	for step := range 200 {
		if _, err := trainer.Accumulate(batch, 1, uint64(step)); err != nil {
			t.Fatal(err)
		}
		if _, err := trainer.Update(5e-3 * min(1, float64(200-step)/100)); err != nil {
			t.Fatal(err)
		}
	}
	trained := retrieved(t, trainer, a, b)
	t.Logf("%d of %d found before, %d after", untrained, 2*pairs, trained)
	if float64(untrained) > .2*2*pairs {
		t.Errorf("%d of %d found before training: there is nothing to learn", untrained, 2*pairs)
	}
	if float64(trained) <= .99*2*pairs {
		t.Errorf("only %d of %d found after training", trained, 2*pairs)
	}
}

// long are sequences of so many tokens that no two are the same.
func long(r *rand.Rand, n int) (list [][]int32) {
	for len(list) < n {
		list = append(list, slices.DeleteFunc(sentences(r, 1, 14), func(ids []int32) bool { return len(ids) < 7 })...)
	}
	return list
}

// savedEncoder returns the encoder that a trainer saves.
func savedEncoder(t *testing.T, trainer *Trainer) *Encoder {
	t.Helper()
	path := t.TempDir()
	if err := trainer.Save(path); err != nil {
		t.Fatal(err)
	}
	folder, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewEncoder(folder, -1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// retrieved saves the model, encodes with the folder, and counts the sentences of
// both sides whose nearest on the other side is their own.
func retrieved(t *testing.T, trainer *Trainer, a, b [][]int32) (found int) {
	t.Helper()
	e := savedEncoder(t, trainer)
	x, y := encode(t, e, a), encode(t, e, b)
	score := func(x, y []float32, i, j int) (sum float32) {
		for k := range e.Dimension() {
			sum += x[i*e.Dimension()+k] * y[j*e.Dimension()+k]
		}
		return sum
	}
	for _, sides := range [][2][]float32{{x, y}, {y, x}} {
		for i := range a {
			best := 0
			for j := range a {
				if score(sides[0], sides[1], i, j) > score(sides[0], sides[1], i, best) {
					best = j
				}
			}
			if best == i {
				found++
			}
		}
	}
	return found
}
