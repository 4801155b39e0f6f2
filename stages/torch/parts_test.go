//go:build libtorch

package torch

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sentweave/stages/objective"
)

// What is frozen has neither gradient nor moments, and stays bit for bit.
func TestFrozenParts(t *testing.T) {
	onThread()
	cmlm := objective.DefaultCMLM()
	config := TrainerConfig{Objectives: objective.Settings{"cmlm": &cmlm}, Optimizer: adamw, Seed: 3,
		Parts: objective.Parts{Freeze: []string{"embeddings", "layer 1"}}}
	trainer := newTrainer(t, config)
	isFrozen := func(name string) bool {
		return strings.HasPrefix(name, "embeddings.") || strings.HasPrefix(name, "encoder.layer.1.")
	}
	before := map[string][]float32{}
	var trained, all int64
	for _, name := range trainer.network.Weights.Names {
		before[name] = values(t, trainer.network.Weights.Tensors[name])
		all += int64(len(before[name]))
		if !isFrozen(name) {
			trained += int64(len(before[name]))
		}
	}
	if a, b := trainer.Parameters(); a != trained || b != all || trained == 0 || trained == all {
		t.Errorf("%d of %d are trained, want %d of %d", a, b, trained, all)
	}
	for step := range 3 {
		if _, err := trainer.Accumulate(cmlmBatch(rand.New(rand.NewPCG(1, uint64(step)))), 1, nil, 0); err != nil {
			t.Fatal(err)
		}
		for _, name := range trainer.network.Weights.Names {
			wants, err := trainer.network.Weights.Tensors[name].RequiresGrad()
			if err != nil || wants == isFrozen(name) {
				t.Errorf("%s: gradient %t, %v", name, wants, err)
			}
		}
		if _, err := trainer.Update(.01); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range trainer.network.Weights.Names {
		same := slices.Equal(before[name], values(t, trainer.network.Weights.Tensors[name]))
		if same != isFrozen(name) {
			t.Errorf("%s: the same after three steps is %t", name, same)
		}
		if _, ok := trainer.optimizer.moments.Tensors[firstPrefix+name]; ok == isFrozen(name) {
			t.Errorf("%s: moments %t", name, ok)
		}
	}
}

func TestPartsThatCannotBeFrozen(t *testing.T) {
	onThread()
	bitext := objective.DefaultBitext()
	folder, vocabulary := tiny(t)
	for want, freeze := range map[string][]string{
		`"layer 2" names a layer that does not exist; the encoder has the layers 0 to 1`: {"layer 2"},
		"nothing is left to train: frozen are embeddings, layers 0-1":                    {"embeddings", "layers 0-1"},
	} {
		_, err := NewTrainer(TrainerConfig{Folder: folder, Vocabulary: vocabulary, Objectives: objective.Settings{"bitext": &bitext},
			Optimizer: adamw, Parts: objective.Parts{Freeze: freeze}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", freeze, err, want)
		}
	}
}
