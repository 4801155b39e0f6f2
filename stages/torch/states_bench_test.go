//go:build libtorch && linux

package torch

import (
	"math/rand/v2"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/stages/model"
	"sentweave/stages/objective"
)

// A step of a lens on known vectors of tokens, one after another with a step that computes them
// by an encoder of 12 layers and 384 dimensions, on 32 pairs of 12 to 48 tokens.
func BenchmarkLensOnStates(b *testing.B) {
	onThread()
	useThreads(b, 1)
	trainer, _ := trainerFor(b, objective.Settings{"lens": benchLens(objective.LensClassifier)}, func(c *model.Config) {
		c.HiddenSize, c.Layers, c.Heads, c.IntermediateSize = 384, 12, 12, 1536
	})
	encoder := savedEncoder(b, trainer)
	r := rand.New(rand.NewPCG(1, 7))
	x, y := drawn(r, 32, 12, 48, 16000), drawn(r, 32, 12, 48, 16000)
	batch := benchLensBatch(r, padTo(x), padTo(y)).(*objective.LensBatch)
	known := *batch
	known.StatesA, known.StatesB = make([]float32, len(batch.A.IDs)*384), make([]float32, len(batch.B.IDs)*384)
	for _, side := range []struct {
		texts  [][]int32
		length int
		states []float32
	}{{x, batch.A.Length, known.StatesA}, {y, batch.B.Length, known.StatesB}} {
		vectors, err := encoder.States(b.Context(), side.texts)
		if err != nil {
			b.Fatal(err)
		}
		for i, ids := range side.texts {
			vectors = vectors[copy(side.states[i*side.length*384:], vectors[:len(ids)*384]):]
		}
	}
	losses := make([]float64, 1)
	step := func(batch objective.Batch) peertest.Took {
		return peertest.Time(b, func() { demoStep(b, trainer, []objective.Batch{batch}, losses) })
	}
	var on, without []peertest.Took
	for b.Loop() {
		without = append(without, step(batch))
		on = append(on, step(&known))
	}
	b.ReportMetric(peertest.Clock(on)*1e3, "ms/step")
	b.ReportMetric(peertest.Clock(without)*1e3, "recomputing-ms/step")
	b.ReportMetric(peertest.CPU(without)/peertest.CPU(on), "x-cpu")
}
