//go:build libtorch && linux

package torch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
)

// kernelsStep returns the loss and the gradients of a batch of CMLM of 3 layers of a size on which kernels run.
// Texts have up to so many tokens.
func kernelsStep(t *testing.T, dropout float64, longest int) (loss float64, gradients map[string][]float32) {
	t.Helper()
	cmlm := objective.DefaultCMLM()
	trainer, _ := trainerFor(t, objective.Settings{"cmlm": &cmlm}, func(c *model.Config) {
		c.VocabularySize, c.HiddenSize, c.Layers, c.Heads, c.IntermediateSize, c.HiddenDropout, c.AttentionDropout = 1000, 384, 3, 6, 1000,
			dropout, dropout
	})
	r := rand.New(rand.NewPCG(2, 2))
	batch := &objective.CMLMBatch{A: padTo(drawn(r, 33, 4, longest, 1000)), B: padTo(drawn(r, 33, 4, longest, 1000))}
	batch.Positions, batch.Targets = masksOf(&batch.B)
	loss, err := trainer.Accumulate(batch, 1, nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	gradients = map[string][]float32{}
	for _, name := range trainer.masters.Names {
		gradients[name] = gradient(t, trainer.masters.Tensors[name])
	}
	return loss, gradients
}

// On a GPU the kernels give gradients that are no farther from those of float32 than libtorch's own operations in bfloat16
// give them, and the same bits each time. With dropout they differ from run to run of other steps alone.
func TestKernelsEqualLibtorch(t *testing.T) {
	if tested() == "cpu" {
		t.Skip("skipped: SENTWEAVE_DEVICE names no GPU")
	}
	onThread()
	for _, longest := range []int{49, 90} { // with prefixes, what short attention takes, and what flash attention takes
		t.Run(fmt.Sprint(longest), func(t *testing.T) { kernelsEqualLibtorch(t, longest) })
	}
}

func kernelsEqualLibtorch(t *testing.T, longest int) {
	loss, want := kernelsStep(t, 0, longest)
	use(t, tested(), bFloat16)
	if why := native.Unfused(384); why != nil {
		t.Fatal(why)
	}
	fusedLoss, fused := kernelsStep(t, 0, longest)
	native.FuseKernels(false)
	plainLoss, plain := kernelsStep(t, 0, longest)
	native.FuseKernels(true)
	t.Logf("losses: %v in float32, %v by kernels, %v by libtorch", loss, fusedLoss, plainLoss)
	if d := math.Abs(fusedLoss-loss) / loss; d > .005 {
		t.Errorf("the losses differ by %g", d)
	}
	var most, all [2]float64
	norm := 0.
	for name, g := range want {
		if g == nil {
			continue
		}
		size := distance(g, make([]float32, len(g)))
		norm += size * size
		for i, got := range [][]float32{fused[name], plain[name]} {
			d := distance(got, g)
			all[i] += d * d
			if !strings.HasSuffix(name, "key.bias") { // whose gradient is rounding
				most[i] = max(most[i], d/size)
			}
		}
	}
	t.Logf("gradients by kernels and by libtorch are %.4f and %.4f from those of float32, those of one parameter up to %.4f and %.4f",
		math.Sqrt(all[0]/norm), math.Sqrt(all[1]/norm), most[0], most[1])
	if !(all[0] < 1.5*all[1]) || !(most[0] < 1.5*most[1]) {
		t.Errorf("gradients by kernels are farther from those of float32 than those by libtorch")
	}
	first, gradients := kernelsStep(t, .1, longest)
	for range 2 {
		again, others := kernelsStep(t, .1, longest)
		if again != first {
			t.Errorf("losses %v and %v", first, again)
		}
		for name, g := range gradients {
			if !slices.Equal(g, others[name]) {
				t.Errorf("%s has other bits", name)
			}
		}
	}
}

// On a GPU a step of LAMB by kernels is that of libtorch's operations from the same gradients, and has the same bits each time.
func TestLAMBKernels(t *testing.T) {
	if tested() == "cpu" {
		t.Skip("skipped: SENTWEAVE_DEVICE names no GPU")
	}
	onThread()
	use(t, tested(), bFloat16)
	steps := func(isFused bool) map[string][]float32 {
		cmlm := objective.DefaultCMLM()
		trainer, _ := trainerOf(t, objective.Settings{"cmlm": &cmlm}, func(c *model.Config) {
			c.VocabularySize, c.HiddenSize, c.Layers, c.Heads, c.IntermediateSize = 1000, 384, 2, 6, 1000
		}, func(c *TrainerConfig) { c.Optimizer.Name = "lamb" })
		r := rand.New(rand.NewPCG(2, 2))
		batch := &objective.CMLMBatch{A: padTo(drawn(r, 33, 4, 90, 1000)), B: padTo(drawn(r, 33, 4, 90, 1000))}
		batch.Positions, batch.Targets = masksOf(&batch.B)
		if _, err := trainer.Accumulate(batch, 1, nil, 3); err != nil {
			t.Fatal(err)
		}
		native.FuseKernels(isFused)
		defer native.FuseKernels(true)
		if _, err := trainer.Update(1e-3); err != nil {
			t.Fatal(err)
		}
		parameters := map[string][]float32{}
		for _, name := range trainer.masters.Names {
			parameters[name] = values(t, trainer.masters.Tensors[name])
		}
		return parameters
	}
	kernels, again, libtorch := steps(true), steps(true), steps(false)
	for name, want := range libtorch {
		if d := distance(kernels[name], want) / max(1e-3, distance(want, make([]float32, len(want)))); !(d < 1e-6) {
			t.Errorf("%s differs by %g of its norm", name, d)
		}
		if !slices.Equal(kernels[name], again[name]) {
			t.Errorf("%s has other bits", name)
		}
	}
}
