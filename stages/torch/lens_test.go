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
)

// What is saved is an encoder of the lens's vectors, whose encoder is the one that was
// given: each vector is what its loss has seen.
func TestLensIsSaved(t *testing.T) {
	gated := gatedOf(2, 5, "g0", 12)
	gated.Head = objective.LensRanker
	for name, lens := range map[string]*objective.Lens{"simple": lensOf(objective.LensRanker), "gated": gated} {
		t.Run(name, func(t *testing.T) { lensIsSaved(t, lens) })
	}
}

func lensIsSaved(t *testing.T, lens *objective.Lens) {
	onThread()
	config := TrainerConfig{Objectives: objective.Settings{"lens": lens}, Optimizer: adamw, Seed: 3}
	config.Folder, config.Vocabulary = tiny(t)
	trainer := newTrainerOf(t, config)
	const name = "encoder.layer.1.output.dense.weight"
	before := values(t, trainer.network.Weights.Tensors[name])
	r := rand.New(rand.NewPCG(7, 7))
	for range 3 {
		if _, err := trainer.Accumulate(lensBatch(r), 1, nil, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := trainer.Update(.01); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(values(t, trainer.network.Weights.Tensors[name]), before) {
		t.Error("the frozen encoder has changed")
	}
	path := t.TempDir()
	if err := trainer.Save(path); err != nil {
		t.Fatal(err)
	}
	folder, err := model.Open(path)
	if err != nil || folder.Pooling != model.Lens || folder.LensSize != 24 {
		t.Fatalf("%+v, %v", folder, err)
	}
	e, err := NewEncoder(folder, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	texts := sentences(r, 6, 9)
	vectors := encode(t, e, texts)
	if e.Dimension() != 24 || len(vectors) != 6*24 || slices.Min(vectors) < 0 || slices.Max(vectors) == 0 {
		t.Fatalf("%d dimensions, vectors %v", e.Dimension(), vectors)
	}
	// The loss of the ranker by hand, from what was saved.
	batch := &objective.LensBatch{BitextBatch: objective.BitextBatch{A: padTo(texts[:3]), B: padTo(texts[3:]), Excluded: make([]bool, 9)}}
	cosine := func(i, j int) float64 {
		var dot, x, y float64
		for k := range 24 {
			a, b := float64(vectors[i*24+k]), float64(vectors[(3+j)*24+k])
			dot, x, y = dot+a*b, x+a*a, y+b*b
		}
		return dot / math.Sqrt(x*y)
	}
	want := 0.
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		want += max(0, .2+max(cosine(i, j), cosine(i, k))-cosine(i, i)) + max(0, .2+max(cosine(j, i), cosine(k, i))-cosine(i, i))
	}
	if got, err := trainer.Loss(batch, nil); err != nil || math.Abs(got-want) > 1e-5 {
		t.Errorf("loss %v, %v, by hand from the saved encoder %v", got, err, want)
	}
	if alone := encode(t, e, texts[:1]); distance(alone, vectors[:24]) != 0 {
		t.Errorf("alone the first vector differs by %v", distance(alone, vectors[:24]))
	}
	if _, err := NewEncoder(folder, 1); err == nil || !strings.Contains(err.Error(), "a lens on its last layer") {
		t.Errorf("another layer: %v", err)
	}
	if err := os.Remove(filepath.Join(path, filepath.FromSlash(model.LensWeightsName))); err != nil {
		t.Fatal(err)
	}
	if _, err := NewEncoder(folder, -1); err == nil || !strings.Contains(err.Error(), "1_Lens") {
		t.Errorf("without its weights: %v", err)
	}
}
