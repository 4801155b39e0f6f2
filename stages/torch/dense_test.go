//go:build libtorch

package torch

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/losses"
)

// What is saved with mean_projection gives the mean of the vector and of its projections,
// worked out here from the heads that are saved beside it, for projections of one to four
// layers; and a vector does not depend on its neighbours.
func TestMeanProjection(t *testing.T) {
	onThread()
	for _, widths := range [][]int{nil, {2}, {2, 3}, {1, 2, 1}} {
		cmlm := objective.DefaultCMLM()
		cmlm.Vectors, cmlm.Widths, cmlm.MeanProjection = 4, widths, true
		config := TrainerConfig{Objectives: objective.Settings{"cmlm": &cmlm}, Optimizer: adamw, Seed: 3}
		trainer := newTrainer(t, config)
		r := rand.New(rand.NewPCG(7, 7))
		for range 2 { // biases are 0 at first
			if _, err := trainer.Accumulate(cmlmBatch(r), 1, nil, 0); err != nil {
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
		if err != nil || len(folder.Dense) != len(widths)+1 || folder.Dimension() != 16 {
			t.Fatalf("%+v, %v", folder, err)
		}
		whole, err := NewEncoder(folder, -1)
		if err != nil {
			t.Fatal(err)
		}
		defer whole.Close()
		bare := *folder
		bare.Dense = nil
		plain, err := NewEncoder(&bare, -1)
		if err != nil {
			t.Fatal(err)
		}
		defer plain.Close()
		texts := sentences(r, 5, 12)
		got, vectors := encode(t, whole, texts), encode(t, plain, texts)
		for i := range texts {
			x := make([]float64, 16)
			for k := range x {
				x[k] = float64(vectors[i*16+k])
			}
			h := x
			for layer := range len(widths) + 1 {
				l := trainer.network.Weights.Linear(losses.ProjectionName + string(rune('0'+layer)))
				weight, bias := values(t, l.Weight), values(t, l.Bias)
				next := make([]float64, len(bias))
				for a := range next {
					next[a] = float64(bias[a])
					for b := range h {
						next[a] += float64(weight[a*len(h)+b]) * h[b]
					}
					if layer < len(widths) {
						next[a] = max(next[a], 0)
					}
				}
				h = next
			}
			for k := range x {
				want := (x[k] + h[k] + h[16+k] + h[32+k]) / 4
				if d := math.Abs(want - float64(got[i*16+k])); d > 1e-5*max(1, math.Abs(want)) {
					t.Fatalf("widths %v: number %d of text %d is %v, by hand %v", widths, k, i, got[i*16+k], want)
				}
			}
		}
		if alone := encode(t, whole, texts[:1]); distance(alone, got[:16]) > float64(onGPU(0, 1))*1e-6 {
			t.Errorf("alone the first vector differs by %v", distance(alone, got[:16]))
		}
		if _, err := NewEncoder(folder, 1); err == nil || !strings.Contains(err.Error(), "has Dense layers on what its last layer") {
			t.Errorf("another layer: %v", err)
		}
		if err := os.Remove(filepath.Join(path, "2_Dense", model.WeightsName)); err != nil {
			t.Fatal(err)
		}
		if _, err := NewEncoder(folder, -1); err == nil || !strings.Contains(err.Error(), "2_Dense") {
			t.Errorf("without weights: %v", err)
		}
	}
}
