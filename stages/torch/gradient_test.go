//go:build libtorch

package torch

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
)

// values returns the elements of a tensor.
func values(t testing.TB, tensor *ts.Tensor) []float32 {
	t.Helper()
	size, err := tensor.Size()
	if err != nil {
		t.Fatal(err)
	}
	n := int64(1)
	for _, d := range size {
		n *= d
	}
	list := make([]float32, n)
	if err := native.Floats(list, tensor); err != nil {
		t.Fatal(err)
	}
	return list
}

// assign sets the elements of a parameter.
func assign(t testing.TB, parameter *ts.Tensor, list []float32) {
	t.Helper()
	size, err := parameter.Size()
	if err != nil {
		t.Fatal(err)
	}
	source, err := native.NewTensor(unsafe.Pointer(unsafe.SliceData(list)), size, native.Float32s)
	if err != nil {
		t.Fatal(err)
	}
	defer source.MustDrop()
	defer native.WithoutGradients()()
	parameter.Copy_(source)
}

// gradient returns a parameter's gradient; nil if it has none.
func gradient(t testing.TB, parameter *ts.Tensor) []float32 {
	t.Helper()
	g, err := parameter.Grad(false)
	if err != nil {
		t.Fatal(err)
	}
	defer g.MustDrop()
	if defined, err := g.Defined(); err != nil || !defined {
		return nil
	}
	return values(t, g)
}

// oneThread lets libtorch use one thread: tiny models are no work for more.
func oneThread(t testing.TB) {
	threads := Threads()
	SetThreads(1)
	t.Cleanup(func() { SetThreads(threads) })
}

// precision is about that of a loss, relative to it: some bits of float32.
const precision = 4e-7

// Gradients are the slopes of the losses.
func TestGradientsAreSlopes(t *testing.T) {
	for _, c := range []struct {
		name       string
		change     func(*objective.CMLM, *objective.Bitext)
		objectives string
		wanted     func(parameter string) bool
	}{
		{"cmlm with own positions", func(c *objective.CMLM, _ *objective.Bitext) { c.PrefixPositions, c.Vectors = "own", 3 }, "cmlm", nil},
		{"cmlm with a shared position and norm", func(c *objective.CMLM, _ *objective.Bitext) {
			c.PrefixPositions, c.PrefixNorm = "shared",
				true
		}, "cmlm", nil},
		{"cmlm of one vector by max", func(c *objective.CMLM, _ *objective.Bitext) { c.Vectors, c.Pooling = 1, "max" }, "cmlm", nil},
		{"cmlm with skip and four layers", func(c *objective.CMLM, _ *objective.Bitext) {
			c.Skip, c.Vectors, c.Widths = true, 3,
				[]int{1, 1, 1}
		}, "cmlm", nil},
		{"cmlm by cls", func(c *objective.CMLM, _ *objective.Bitext) { c.Pooling = "cls" }, "cmlm", nil},
		// Nothing flows back into the vector, so the encoder's gradient is a part of the slope.
		{"cmlm, detached", func(c *objective.CMLM, _ *objective.Bitext) { c.DetachVector = true }, "cmlm",
			func(name string) bool { return strings.HasPrefix(name, "cls.") || strings.HasPrefix(name, "cmlm.") }},
		{"bitext by max", func(_ *objective.CMLM, b *objective.Bitext) { b.Pooling, b.Scale = "max", 5 }, "bitext", nil},
		{"bitext by cls", func(_ *objective.CMLM, b *objective.Bitext) { b.Pooling, b.Margin = "cls", 0 }, "bitext", nil},
		{"mixture", nil, "cmlm bitext", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmlm, bitext := objective.DefaultCMLM(), objective.DefaultBitext()
			if c.change != nil {
				c.change(&cmlm, &bitext)
			}
			var draws []drawing
			for _, name := range strings.Fields(c.objectives) {
				draws = append(draws, drawOf(name))
			}
			gradientsAreSlopes(t, objective.Settings{"cmlm": &cmlm, "bitext": &bitext}, c.wanted, draws...)
		})
	}
}

// gradientsAreSlopes compares gradients with the slopes of the losses, for every
// parameter that is wanted (all where wanted is nil) and along two directions, to 1 %
// and what float32 leaves of a difference. A slope is taken again over a shorter way
// if it differs: a ReLU or a maximum may bend on the longer one.
func gradientsAreSlopes(t *testing.T, settings objective.Settings, wanted func(parameter string) bool, draws ...drawing) {
	t.Helper()
	onThread()
	oneThread(t)
	trainer := newTrainer(t, TrainerConfig{Objectives: settings, Optimizer: objective.DefaultOptimizer(), Seed: 5})
	r := rand.New(rand.NewPCG(8, 2))
	var batches []objective.Batch
	var weights []float64
	for i, draw := range draws {
		batches, weights = append(batches, draw(r)), append(weights, []float64{1, .2}[i])
		if _, err := trainer.Accumulate(batches[i], weights[i], nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	loss := func() (sum float64) {
		for i, batch := range batches {
			l, err := trainer.Loss(batch, nil)
			if err != nil {
				t.Fatal(err)
			}
			sum += weights[i] * l
		}
		return sum
	}
	tested, lossThere := 0, loss()
	for _, name := range trainer.network.Weights.Names {
		parameter := trainer.network.Weights.Tensors[name]
		g := gradient(t, parameter)
		if g == nil || wanted != nil && !wanted(name) {
			continue
		}
		tested++
		at := values(t, parameter)
		lossAt := func(x []float32) float64 {
			assign(t, parameter, x)
			return loss()
		}
		for k, direction := range directions(r, g) {
			expected := 0.
			for i := range g {
				expected += float64(g[i]) * direction[i]
			}
			var slopes []float64
			for _, step := range []float64{4e-3, 1e-3} {
				got := slope(lossAt, at, direction, step)
				if math.Abs(got-expected) < .01*math.Abs(expected)+precision*math.Abs(lossThere)/step {
					slopes = nil
					break
				}
				slopes = append(slopes, got)
			}
			assign(t, parameter, at)
			if slopes != nil {
				t.Errorf("%s, direction %d: the gradient is %.6f, the slopes are %.6f", name, k, expected, slopes)
			}
		}
	}
	if tested < 5 {
		t.Errorf("only %d parameters have a gradient", tested)
	}
}

// directions are unit vectors: the entry with the greatest gradient, and a random
// half of the gradient, along which the slope is that half's norm: steep enough to
// be measured, which a direction drawn without regard to the gradient is not.
func directions(r *rand.Rand, g []float32) [][]float64 {
	steepest, half := make([]float64, len(g)), make([]float64, len(g))
	most, square := 0, 0.
	for i, x := range g {
		if math.Abs(float64(x)) > math.Abs(float64(g[most])) {
			most = i
		}
		if r.IntN(2) == 0 {
			half[i] = float64(x)
			square += half[i] * half[i]
		}
	}
	steepest[most] = 1
	for i := range half {
		half[i] /= math.Sqrt(max(square, 1e-30))
	}
	return [][]float64{steepest, half}
}

// slope is the central difference of a function.
func slope(f func([]float32) float64, at []float32, direction []float64, step float64) float64 {
	moved := make([]float32, len(at))
	along := func(step float64) float64 {
		for i := range at {
			moved[i] = at[i] + float32(step*direction[i])
		}
		return f(moved)
	}
	return (along(step) - along(-step)) / (2 * step)
}
