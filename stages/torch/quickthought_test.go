//go:build libtorch

package torch

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/transformer"
)

// What is saved gives the vectors of both encoders, one after the other: the loss by hand
// from them is that of the trainer. An encoder in --from begins both, and a whole model
// each of its own.
func TestQuickThoughtIsSaved(t *testing.T) {
	onThread()
	config := TrainerConfig{Objectives: objective.Settings{"quickthought": &objective.QuickThought{Pooled: meanPooled}}, Optimizer: adamw,
		Seed: 3}
	config.Folder, config.Vocabulary = tiny(t)
	trainer := newTrainerOf(t, config)
	r := rand.New(rand.NewPCG(7, 7))
	for range 3 {
		if _, err := trainer.Accumulate(quickThoughtBatch(r), 1, nil, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := trainer.Update(.01); err != nil {
			t.Fatal(err)
		}
	}
	path := t.TempDir()
	if err := trainer.Save(path); err != nil {
		t.Fatal(err)
	}
	folder, err := model.Open(path)
	if err != nil || !folder.Second || folder.Dimension() != 32 {
		t.Fatalf("%+v, %v", folder, err)
	}
	e, err := NewEncoder(folder, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	texts := sentences(r, 6, 9)
	vectors := encode(t, e, texts)
	want := 0.
	for i := range 6 {
		score := func(j int) (sum float64) {
			for k := range 16 {
				sum += float64(vectors[i*32+k]) * float64(vectors[j*32+16+k])
			}
			return sum
		}
		sum := 0.
		for j := range 6 {
			if j != i {
				sum += math.Exp(score(j))
			}
		}
		want += (math.Log(sum) - score((i+3)%6)) / 6
	}
	batch := &objective.QuickThoughtBatch{
		ContrastiveBatch: objective.ContrastiveBatch{A: padTo(texts[:3]), B: padTo(texts[3:]), Excluded: make([]bool, 36)}}
	if got, err := trainer.Loss(batch, nil); err != nil || math.Abs(got-want) > 1e-4*want {
		t.Errorf("loss %v, %v, by hand from the saved encoders %v", got, err, want)
	}
	if alone := encode(t, e, texts[:1]); distance(alone, vectors[:32]) != 0 {
		t.Errorf("alone the first vector differs by %v", distance(alone, vectors[:32]))
	}

	const name = "encoder.layer.1.output.dense.weight"
	config.From, config.Seed = path, 9
	again := newTrainerOf(t, config)
	if !slices.Equal(values(t, again.network.Weights.Tensors[transformer.SecondName+name]),
		values(t, trainer.network.Weights.Tensors[transformer.SecondName+name])) {
		t.Error("the second encoder is not the one that was saved")
	}
	if err := os.RemoveAll(filepath.Join(path, "1_Second")); err != nil {
		t.Fatal(err)
	}
	alike := newTrainerOf(t, config)
	if !slices.Equal(values(t, alike.network.Weights.Tensors[transformer.SecondName+name]),
		values(t, trainer.network.Weights.Tensors[name])) {
		t.Error("the second encoder does not begin as the first one")
	}
	if _, err := NewEncoder(folder, -1); err == nil || !strings.Contains(err.Error(), "1_Second") {
		t.Errorf("without its weights: %v", err)
	}
}
