//go:build libtorch

package torch

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
)

// stepped are the losses of a step of two batches and the gradients of all parameters, with dropout.
func stepped(
	t *testing.T, config objective.Config, batches []objective.Batch, change func(*TrainerConfig),
) (losses []float64, gradients map[string][]float32) {
	t.Helper()
	c := TrainerConfig{Objectives: objective.Settings{batches[0].Objective(): config}, Optimizer: adamw, Seed: 3}
	c.Folder, c.Vocabulary = tiny(t)
	c.Folder.Config.HiddenDropout, c.Folder.Config.AttentionDropout = .1, .1
	if change != nil {
		change(&c)
	}
	trainer := newTrainerOf(t, c)
	for i, batch := range batches {
		held, err := trainer.Loss(batch, nil)
		if err != nil {
			t.Fatal(err)
		}
		loss, err := trainer.Accumulate(batch, .7, nil, uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		losses = append(losses, held, loss)
	}
	gradients = map[string][]float32{}
	for _, name := range trainer.masters.Names {
		gradients[name] = gradient(t, trainer.masters.Tensors[name])
	}
	return losses, gradients
}

// furthestGradient is the greatest difference of two gradients, as a share of the norm of all where that is above 1.
func furthestGradient(t testing.TB, got, want map[string][]float32) (most float64) {
	t.Helper()
	squares := 0.
	for name, g := range want {
		if (g == nil) != (got[name] == nil) {
			t.Errorf("%s has a gradient on one side alone", name)
			continue
		}
		for i, x := range g {
			squares += float64(x) * float64(x)
			most = max(most, math.Abs(float64(x)-float64(got[name][i])))
		}
	}
	if squares == 0 {
		t.Error("there are no gradients")
	}
	return most / max(1, math.Sqrt(squares))
}

// A step whose vectors are computed a chunk at a time has the losses and the gradients of the plain one, with dropout, whatever
// the chunk; on a GPU, where each chunk draws apart, without. Objectives that predict tokens leave it alone.
func TestCachedStepEqualsPlainStep(t *testing.T) {
	onThread()
	oneThread(t)
	for _, f := range everyForm(t) {
		if l, ok := f.config.(*objective.Lens); ok {
			dropping := *l
			dropping.Dropout = float64(onGPU(1, 0)) * .3
			f.config = &dropping
		}
		r := rand.New(rand.NewPCG(6, 6))
		batches := []objective.Batch{f.batch(r), f.batch(r)}
		inChunks := func(chunk int) ([]float64, map[string][]float32) {
			return stepped(t, f.config, batches, func(c *TrainerConfig) {
				c.CacheChunk = chunk
				if tested() != "cpu" {
					c.Folder.Config.HiddenDropout, c.Folder.Config.AttentionDropout = 0, 0
				}
			})
		}
		losses, want := inChunks(0)
		for _, chunk := range []int{1, 4, 100} {
			cached, got := inChunks(chunk)
			if d := furthest(cached, losses); d > 1e-6*max(1, slices.Max(losses)) {
				t.Errorf("%s in chunks of %d: losses differ by %g: %v, %v", f.name, chunk, d, cached, losses)
			}
			if d := furthestGradient(t, got, want); d > 1e-6 {
				t.Errorf("%s in chunks of %d: gradients differ by %g", f.name, chunk, d)
			}
		}
	}
}

// Layers that are computed again for their gradients give the bits of those that are kept, with dropout and frozen parts, and where
// vectors are computed a chunk at a time.
func TestRecomputedStepEqualsPlainStep(t *testing.T) {
	onThread()
	oneThread(t)
	for _, f := range everyForm(t) {
		r := rand.New(rand.NewPCG(6, 7))
		batches := []objective.Batch{f.batch(r), f.batch(r)}
		for _, chunk := range []int{0, 4} {
			change := func(c *TrainerConfig) {
				c.CacheChunk = chunk
				if chunk > 0 {
					c.Parts = objective.Parts{Freeze: []string{"embeddings"}}
				}
			}
			losses, want := stepped(t, f.config, batches, change)
			again, got := stepped(t, f.config, batches, func(c *TrainerConfig) { change(c); c.Recompute = true })
			if !slices.Equal(again, losses) {
				t.Errorf("%s: losses are %v and %v", f.name, again, losses)
			}
			for name, g := range want {
				if !slices.Equal(got[name], g) {
					t.Errorf("%s: the gradient of %s differs by %g", f.name, name, distance(got[name], g))
				}
			}
		}
	}
}

// Steps with gradient caching and with layers that are computed again are those of PyTorch's plain ones.
func TestCachedStepsEqualPyTorch(t *testing.T) {
	cases := map[string]stepsCase{}
	for _, f := range forms {
		if !slices.Contains([]string{"cmlm", "bitext with hard negatives", "contrastive", "quickthought", "lens ranker",
			"bsl over prefixes"}, f.name) {
			continue
		}
		cases[f.name+" cached"] = stepsCase{
			Objectives: objective.Settings{f.objective(): f.config}, Optimizer: adamw, Rates: rates, Held: f.held,
			chunk: 4, recompute: true, Sources: []stepsSource{source(f.name, f.objective(), 1, f.batch)},
		}
	}
	stepsEqualPyTorch(t, cases)
}

// Dropout drops its share of the numbers, others by each key and each draw, and a row's whatever is beside the row. The
// gradient has the mask of the result.
func TestDropoutFollowsKeys(t *testing.T) {
	if tested() != "cpu" {
		t.Skip("skipped: a GPU draws by itself")
	}
	onThread()
	const rows, columns, share = 2000, 96, .3
	ones := slices.Repeat([]float32{1}, rows*columns)
	keys := make([]int64, rows)
	for i := range keys {
		keys[i] = int64(i%100)<<32 | int64(i/100)
	}
	var s native.Scope
	defer s.Free()
	drop := func(first, count int) []float32 {
		native.Redraw(0, 0)
		x := s.Floats(ones[:count*columns], int64(count), columns)
		if err := native.RequireGradient(x); err != nil {
			t.Fatal(err)
		}
		y := s.Dropout(x, s.Integers(keys[first:first+count], int64(count)), share)
		if s.Err != nil {
			t.Fatal(s.Err)
		}
		if err := native.Backward(y, s.Floats(ones[:count*columns], int64(count), columns)); err != nil {
			t.Fatal(err)
		}
		if list := values(t, y); !slices.Equal(values(t, s.Gradient(x)), list) {
			t.Error("the gradient has another mask")
		}
		return values(t, y)
	}
	native.Seed(7)
	whole := drop(0, rows)
	if part := drop(500, 700); !slices.Equal(part, whole[500*columns:1200*columns]) {
		t.Error("a part of the rows has other masks")
	}
	native.Seed(8)
	// Each count is normal about its mean; six deviations are one case in a billion.
	other, deviation := drop(0, rows), math.Sqrt(share*(1-share)*rows*columns)
	kept, both, beside, below := 0., 0., 0., 0.
	for i, y := range whole {
		if y != 0 && math.Abs(float64(y)-1/(1-share)) > 1e-6 {
			t.Fatalf("%v is kept", y)
		}
		is := func(list []float32, i int) float64 { return float64(list[i%len(list)]) * (1 - share) }
		kept += is(whole, i)
		both += is(whole, i) * is(other, i)
		beside += is(whole, i) * is(whole, i+1)
		below += is(whole, i) * is(whole, i+columns)
	}
	const all = rows * columns
	for what, d := range map[string]float64{"kept": kept - (1-share)*all, "kept by two seeds": both - (1-share)*(1-share)*all,
		"kept side by side": beside - (1-share)*(1-share)*all, "kept one below another": below - (1-share)*(1-share)*all} {
		if math.Abs(d) > 6*2*deviation {
			t.Errorf("%s are %.0f more than expected, the deviation is %.0f", what, d, deviation)
		}
	}
}
