//go:build libtorch

package torch

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
)

// Losses, norms and weights after five steps of every objective do not depend on whether attention and pooling take groups
// of equal lengths, or pad, with the dropout of tokens, wherever these stand.
func TestPackedEqualsPadded(t *testing.T) {
	if tested() != "cpu" {
		t.Skip("skipped: a GPU has one way in float32")
	}
	cases := map[string]func(r *rand.Rand) (objective.Config, objective.Batch){
		"cmlm own positions, max": func(r *rand.Rand) (objective.Config, objective.Batch) {
			c := objective.DefaultCMLM()
			c.PrefixPositions, c.Vectors, c.Pooling, c.Skip = "own", 3, "max", true
			return &c, cmlmBatch(r)
		},
		"bitext by cls": func(r *rand.Rand) (objective.Config, objective.Batch) {
			c := objective.DefaultBitext()
			c.Pooling = "cls"
			return &c, bitextBatch(r)
		},
		"lens gated": func(r *rand.Rand) (objective.Config, objective.Batch) { return gatedOf(2, 3, "g0", 12), lensBatch(r) },
	}
	for _, o := range everySided(t) {
		cases[o.name] = func(r *rand.Rand) (objective.Config, objective.Batch) {
			return o.config(), o.batch(r, padTo(drawn(r, 7, 4, 23, tinyWords)), padTo(drawn(r, 7, 4, 23, tinyWords)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		_, batch := cases[name](rand.New(rand.NewPCG(9, 9)))
		for _, a := range architecturesFor(batch.Objective()) {
			t.Run(name+", "+a.architecture, func(t *testing.T) { packedEqualsPadded(t, a, cases[name]) })
		}
	}
}

// packedEqualsPadded takes the same steps of a batch with AlwaysPad and without.
func packedEqualsPadded(t *testing.T, a architected, draw func(r *rand.Rand) (objective.Config, objective.Batch)) {
	t.Helper()
	onThread()
	var figures [2][]float64
	var weights [2]map[string][]float32
	for padded := range 2 {
		native.AlwaysPad(padded == 1)
		defer native.AlwaysPad(false)
		config, batch := draw(rand.New(rand.NewPCG(9, 9)))
		smooth := adamw
		smooth.Epsilon = .001 // with less, steps along gradients that are zero but for rounding are full ones
		folder, vocabulary := tinyOf(t, a)
		folder.Config.HiddenDropout, folder.Config.AttentionDropout = .1, .1
		trainer := newTrainerOf(t, TrainerConfig{Folder: folder, Vocabulary: vocabulary,
			Objectives: objective.Settings{batch.Objective(): config}, Optimizer: smooth, Seed: 1})
		for step := range uint64(5) {
			loss, err := trainer.Accumulate(batch, 1, nil, step)
			if err != nil {
				t.Fatal(err)
			}
			norm, err := trainer.Update(.001)
			if err != nil {
				t.Fatal(err)
			}
			figures[padded] = append(figures[padded], loss, norm)
		}
		weights[padded] = map[string][]float32{}
		for name, w := range trainer.masters.Tensors {
			weights[padded][name] = values(t, w)
		}
	}
	if d := furthest(figures[0], figures[1]); d > 1e-5 {
		t.Errorf("losses and norms differ by %g: %v, %v", d, figures[0], figures[1])
	}
	for parameter, list := range weights[0] {
		for i, x := range list {
			if d := x - weights[1][parameter][i]; d > 1e-5 || d < -1e-5 {
				t.Errorf("%s differs by %g at %d", parameter, d, i)
				break
			}
		}
	}
}
