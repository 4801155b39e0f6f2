//go:build libtorch

package torch

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
)

// A training of both objectives goes on bit by bit.
func TestResumeIsExact(t *testing.T) {
	cmlm, bitext := objective.DefaultCMLM(), objective.DefaultBitext()
	for _, a := range architecturesFor("bitext") {
		t.Run(a.architecture, func(t *testing.T) {
			resumesExactlyOf(t, a, objective.Settings{"cmlm": &cmlm, "bitext": &bitext}, drawCMLM, drawBitext)
		})
	}
}

// resumption is a training that is resumed: what is trained, by which optimizer, and the seed of the trainer that goes on, as
// what that one draws must not matter.
type resumption struct {
	of        architected
	settings  objective.Settings
	optimizer string
	start     uint64
}

// resumesExactly checks resumptions with BERT by both optimizers and from two seeds.
func resumesExactly(t *testing.T, settings objective.Settings, draws ...drawing) {
	t.Helper()
	resumesExactlyOf(t, bert, settings, draws...)
}

func resumesExactlyOf(t *testing.T, a architected, settings objective.Settings, draws ...drawing) {
	t.Helper()
	for _, optimizer := range []string{"adamw", "lamb"} {
		for _, start := range []uint64{1, 99} {
			resumption{a, settings, optimizer, start}.isExact(t, draws...)
		}
	}
}

// isExact checks that a new trainer that loads what another saved in the midst
// goes on bit by bit as that one does: losses, norms, parameters, state and moments,
// with dropout, and by LAMB with gradient caching and with layers that are computed again.
func (r resumption) isExact(t *testing.T, draws ...drawing) {
	t.Helper()
	onThread()
	take := func(trainer *Trainer, from, to int) []float64 {
		losses, err := stepsOf(trainer, from, to, draws...)
		if err != nil {
			t.Fatal(err)
		}
		return losses
	}
	optimizer := objective.DefaultOptimizer()
	optimizer.Name = r.optimizer
	config := TrainerConfig{Objectives: r.settings, Optimizer: optimizer, Seed: 1}
	config.Folder, config.Vocabulary = tinyOf(t, r.of)
	config.Folder.Config.HiddenDropout, config.Folder.Config.AttentionDropout = .1, .1
	config.Folder.Config.EmbeddingDropout = .1
	if r.optimizer == "lamb" {
		config.CacheChunk, config.Recompute = 4, true
	}
	whole := newTrainerOf(t, config)
	take(whole, 0, 3)
	path := t.TempDir()
	if err := whole.Save(path); err != nil {
		t.Fatal(err)
	}
	want := take(whole, 3, 6)

	config.Seed = r.start
	resumed := newTrainerOf(t, config)
	take(resumed, 7, 8) // nor what it did
	if err := resumed.Load(path); err != nil {
		t.Fatal(err)
	}
	if got := take(resumed, 3, 6); !slices.Equal(got, want) {
		t.Errorf("%s: losses and norms after resuming are %v, not %v", r.optimizer, got, want)
	}
	for parameter, want := range parameters(t, whole) {
		if got := values(t, resumed.network.Weights.Tensors[parameter]); !slices.Equal(got, want) {
			t.Errorf("%s: %s differs by %v", r.optimizer, parameter, distance(got, want))
		}
	}
	for _, moment := range whole.optimizer.moments.Names {
		if !slices.Equal(values(t, resumed.optimizer.moments.Tensors[moment]), values(t, whole.optimizer.moments.Tensors[moment])) {
			t.Errorf("%s: the %s differs", r.optimizer, moment)
		}
	}
}

// A model with a weight or a moment that is not finite is not saved.
func TestSaveRefusesWhatIsNotFinite(t *testing.T) {
	onThread()
	bitext := objective.DefaultBitext()
	config := TrainerConfig{Objectives: objective.Settings{"bitext": &bitext}, Optimizer: objective.DefaultOptimizer()}
	config.Folder, config.Vocabulary = tiny(t)
	trainer := newTrainerOf(t, config)
	if err := trainer.Save(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	const bias = "encoder.layer.0.output.dense.bias"
	infinite := slices.Repeat([]float32{float32(math.Inf(-1))}, len(values(t, trainer.masters.Tensors[bias])))
	x, err := native.NewTensor(unsafe.Pointer(unsafe.SliceData(infinite)), []int64{int64(len(infinite))}, native.Float32s)
	if err != nil {
		t.Fatal(err)
	}
	defer x.MustDrop()
	func() {
		defer native.WithoutGradients()()
		trainer.masters.Tensors[bias].Copy_(x)
	}()
	if err := trainer.Save(t.TempDir()); !errors.Is(err, objective.ErrNotFinite) ||
		!strings.Contains(err.Error(), bias+" of model.safetensors holds -Inf") {
		t.Error(err)
	}
}

// The seed alone decides dropout.
func TestDropoutFollowsItsSeed(t *testing.T) {
	onThread()
	bitext := objective.DefaultBitext()
	config := TrainerConfig{Objectives: objective.Settings{"bitext": &bitext}, Optimizer: objective.DefaultOptimizer()}
	config.Folder, config.Vocabulary = tiny(t)
	config.Folder.Config.HiddenDropout = .1
	trainer := newTrainerOf(t, config)
	batch := bitextBatch(rand.New(rand.NewPCG(3, 3)))
	var losses []float64
	for _, seed := range []uint64{1, 2, 1} {
		loss, err := trainer.Accumulate(batch, 1, nil, seed)
		if err != nil {
			t.Fatal(err)
		}
		losses = append(losses, loss)
	}
	if losses[0] != losses[2] || losses[0] == losses[1] {
		t.Errorf("losses of the seeds 1, 2, 1 are %v", losses)
	}
	without, err := trainer.Loss(batch, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := trainer.Loss(batch, nil)
	if err != nil {
		t.Fatal(err)
	}
	if without != again || without == losses[0] {
		t.Errorf("losses without dropout are %v and %v, with it %v", without, again, losses[0])
	}
}
