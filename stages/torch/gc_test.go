//go:build libtorch

package torch

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
)

// training takes steps of both objectives and returns all losses.
func training(t *testing.T, steps int) []float64 {
	t.Helper()
	cmlm, bitext := objective.DefaultCMLM(), objective.DefaultBitext()
	folder, vocabulary := tiny(t)
	folder.Config.HiddenDropout, folder.Config.AttentionDropout = .1, .1
	trainer, err := NewTrainer(TrainerConfig{Folder: folder, Vocabulary: vocabulary,
		Objectives: objective.Settings{"cmlm": &cmlm, "bitext": &bitext}, Optimizer: objective.DefaultOptimizer(), Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer trainer.Close()
	return train(t, trainer, 0, steps)
}

// train is steps.
func train(t *testing.T, trainer *Trainer, from, to int) []float64 {
	t.Helper()
	losses, err := steps(trainer, from, to)
	if err != nil {
		t.Fatal(err)
	}
	return losses
}

// steps takes steps of which batches and dropout are functions, and returns losses
// and norms.
func steps(trainer *Trainer, from, to int) (losses []float64, err error) {
	return stepsOf(trainer, from, to, drawCMLM, drawBitext)
}

func stepsOf(trainer *Trainer, from, to int, draws ...drawing) (losses []float64, err error) {
	for step := from; step < to; step++ {
		r := rand.New(rand.NewPCG(uint64(step), 7))
		for i, draw := range draws {
			loss, err := trainer.Accumulate(draw(r), 1, nil, uint64(2*step+i))
			if err != nil {
				return nil, err
			}
			losses = append(losses, loss)
		}
		norm, err := trainer.Update(.003)
		if err != nil {
			return nil, err
		}
		losses = append(losses, norm)
	}
	return losses, nil
}

// collecting has the collector run all the time, until the function that it returns is called, which
// returns how often it ran.
func collecting() (stop func() (collections int)) {
	end, ended := make(chan struct{}), make(chan int)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-end:
				ended <- n
				return
			default:
				runtime.GC()
			}
		}
	}()
	return func() int { close(end); return <-ended }
}

// A collector that runs all the time changes nothing, and frees nothing that is in
// use: gotch would free tensors in their finalizers.
func TestTrainingUnderGarbageCollection(t *testing.T) {
	onThread()
	oneThread(t)
	count := 200
	if testing.Short() {
		count = 20
	}
	want := training(t, count)
	stop := collecting()
	got := training(t, count)
	if collections := stop(); collections < count/10 {
		t.Errorf("only %d collections in %d steps", collections, count)
	}
	if !slices.Equal(got, want) {
		t.Errorf("losses and norms differ: %v without and %v with collections", want[len(want)-3:], got[len(got)-3:])
	}
}

// handles counts the tensors and scalars of gotch that are not freed.
func handles() int {
	const quotes = 2 // around each name
	return strings.Count(ts.CheckCMemLeak(), `"`)/quotes + len(ts.ExistingScalars)
}

// Every tensor and scalar is freed when it is no more needed: without a collector,
// as many stay after each piece of work as were there before.
func TestNothingIsLeftToFinalizers(t *testing.T) {
	onThread()
	cmlm, bitext := objective.DefaultCMLM(), objective.DefaultBitext()
	cmlm.Vectors, cmlm.PrefixPositions, cmlm.PrefixNorm = 3, "own", true
	folder, vocabulary := tiny(t)
	folder.Config.HiddenDropout, folder.Config.AttentionDropout = .1, .1
	config := TrainerConfig{Folder: folder, Vocabulary: vocabulary, Objectives: objective.Settings{"cmlm": &cmlm, "bitext": &bitext},
		Optimizer: objective.DefaultOptimizer()}
	saved := t.TempDir()
	trainer := newTrainerOf(t, config)
	if err := trainer.Save(saved); err != nil {
		t.Fatal(err)
	}
	config.From = saved
	half := halved(t, saved)
	opened, err := model.Open(saved)
	if err != nil {
		t.Fatal(err)
	}
	encoder, err := NewEncoder(opened, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	r := rand.New(rand.NewPCG(1, 1))
	batch := cmlmBatch(r)
	ids := sentences(r, 30, 9)
	for _, work := range []struct {
		name string
		do   func() error
	}{
		{"steps", func() error { _, err := steps(trainer, 0, 2); return err }},
		{"loss", func() error { _, err := trainer.Loss(batch, nil); return err }},
		{"losses by prefix", func() error { _, _, _, err := trainer.PrefixLosses(batch); return err }},
		{"save", func() error { return trainer.Save(t.TempDir()) }},
		{"load", func() error { return trainer.Load(saved) }},
		{"a trainer", func() error {
			trainer, err := NewTrainer(config)
			if err == nil {
				trainer.Close()
			}
			return err
		}},
		{"a trainer that is not", func() error {
			bad := config
			bad.From = t.TempDir()
			if _, err := NewTrainer(bad); err == nil {
				t.Error("a trainer of nothing")
			}
			return nil
		}},
		{"a formula that is not", func() error {
			var s native.Scope
			defer s.Free()
			if x := s.Scale(s.Product(s.Add(trainer.network.BERT.Words, trainer.network.BERT.Words), trainer.network.BERT.Words),
				2); s.Err == nil {
				t.Errorf("%v is a product of matrices that do not fit", x.MustSize())
			}
			return nil
		}},
		{"an encoder of halves", func() error {
			e, err := NewEncoder(half, -1)
			if err == nil {
				e.Close()
			}
			return err
		}},
		{"vectors", func() error { return encoder.Encode(t.Context(), make([]float32, len(ids)*encoder.Dimension()), ids) }},
	} {
		t.Run(work.name, func(t *testing.T) {
			onThread()
			runtime.GC()
			runtime.GC() // and what the first one found is finalized
			defer debug.SetGCPercent(debug.SetGCPercent(-1))
			before := handles()
			if err := work.do(); err != nil {
				t.Fatal(err)
			}
			if after := handles(); after != before {
				t.Errorf("%d tensors and scalars after it, %d before", after, before)
			}
		})
	}
}

// newTrainerOf is NewTrainer, to be closed at the end of the test.
func newTrainerOf(t testing.TB, c TrainerConfig) *Trainer {
	t.Helper()
	trainer, err := NewTrainer(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(trainer.Close)
	return trainer
}

// halved is a copy of a folder with weights of 16 bits.
func halved(t testing.TB, path string) *model.Folder {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(path)); err != nil {
		t.Fatal(err)
	}
	rewrite(t, filepath.Join(to, model.WeightsName), func(list []stored) []stored {
		for i := range list {
			list[i] = list[i].bfloat16(t)
		}
		return list
	})
	f, err := model.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
