//go:build libtorch && linux

package torch

import (
	"math/rand/v2"
	"slices"
	"testing"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

// Steps of every objective with dropout give the same bits when they are taken again, on a GPU, too. There texts are
// few and long: then several of its processors share a text, and could add to its gradients in any order.
func TestStepsRepeat(t *testing.T) {
	onThread()
	cases := map[string]func() (objective.Config, objective.Batch){}
	pairs := func() (r *rand.Rand, a, b objective.Sequences) {
		r = rand.New(rand.NewPCG(1, 7))
		n, most := onGPU(16, 8), onGPU(48, 480)
		return r, padTo(drawn(r, n, 12, most, 16000)), padTo(drawn(r, n, 12, most, 16000))
	}
	for _, o := range everySided(t) {
		cases[o.name] = func() (objective.Config, objective.Batch) {
			r, a, b := pairs()
			return o.config(), o.batch(r, a, b)
		}
	}
	for name, of := range cases {
		for _, precision := range []string{Float32, bFloat16} {
			t.Run(name+"/"+precision, func(t *testing.T) {
				use(t, tested(), precision)
				steps := func() (figures []float64) {
					config, batch := of()
					trainer, _ := trainerFor(t, objective.Settings{batch.Objective(): config}, func(c *model.Config) {
						c.HiddenSize, c.Layers, c.Heads, c.IntermediateSize = onGPU(128, 768), 2, onGPU(4, 12), 256
						c.MaxPositions, c.HiddenDropout, c.AttentionDropout = 512, .1, .1
					})
					for step := range uint64(3) {
						loss, err := trainer.Accumulate(batch, 1, nil, step)
						if err != nil {
							t.Fatal(err)
						}
						norm, err := trainer.Update(.01)
						if err != nil {
							t.Fatal(err)
						}
						figures = append(figures, loss, norm)
					}
					return figures
				}
				if got, again := steps(), steps(); !slices.Equal(got, again) {
					t.Errorf("%v, and then %v", got, again)
				}
			})
		}
	}
}
