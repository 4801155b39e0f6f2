//go:build libtorch

package torch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
)

// tested is the device of all tests of this package: that of SENTWEAVE_DEVICE, or
// the CPU. `make test-gpu` runs them on a GPU.
func tested() string {
	if device := os.Getenv("SENTWEAVE_DEVICE"); device != "" {
		return device
	}
	return "cpu"
}

func TestMain(m *testing.M) {
	if err := Use(Compute{Device: tested(), Precision: Float32}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// use computes otherwise until the test ends.
func use(t testing.TB, device, precision string) {
	t.Helper()
	if err := Use(Compute{Device: device, Precision: precision}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Use(Compute{Device: tested(), Precision: Float32}); err != nil {
			t.Error(err)
		}
	})
}

func TestNoGPU(t *testing.T) {
	if tested() != "cpu" {
		t.Skip("skipped: SENTWEAVE_DEVICE names a GPU")
	}
	for _, device := range []string{"cuda", "cuda:3"} {
		err := Use(Compute{Device: device, Precision: Float32})
		if err == nil {
			use(t, "cpu", Float32)
			t.Skip("skipped: this machine has a GPU")
		}
		for _, part := range []string{"--device=" + device + " needs a GPU, its driver, and a PyTorch with CUDA",
			"--device=cpu does without: libtorch: "} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%v does not say %q", err, part)
			}
		}
	}
	if !native.OnCPU() {
		t.Error("a device that cannot be had is in use")
	}
}

// both trains a few steps of both objectives and returns losses and norms.
func both(t testing.TB) []float64 {
	t.Helper()
	cmlm, bitext := objective.DefaultCMLM(), objective.DefaultBitext()
	trainer := newTrainer(t, TrainerConfig{Objectives: objective.Settings{"cmlm": &cmlm, "bitext": &bitext},
		Optimizer: objective.DefaultOptimizer(), Seed: 1})
	return steps5(t, trainer)
}

func steps5(t testing.TB, trainer *Trainer) (figures []float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 8))
	for step := range uint64(5) {
		for _, batch := range []objective.Batch{cmlmBatch(r), bitextBatch(r)} {
			loss, err := trainer.Accumulate(batch, 1, nil, step)
			if err != nil {
				t.Fatal(err)
			}
			figures = append(figures, loss)
		}
		norm, err := trainer.Update(.01)
		if err != nil {
			t.Fatal(err)
		}
		figures = append(figures, norm)
	}
	return figures
}

// furthest is the greatest difference, relative to numbers above 1.
func furthest(a, b []float64) (most float64) {
	for i := range a {
		most = max(most, math.Abs(a[i]-b[i])/max(1, math.Abs(b[i])))
	}
	return most
}

// A GPU gives the CPU's losses and norms over five steps from the same drawn
// weights, and its own ones bit by bit.
func TestDeviceEqualsCPU(t *testing.T) {
	if tested() == "cpu" {
		t.Skip("skipped: SENTWEAVE_DEVICE names no GPU")
	}
	onThread()
	got, again := both(t), both(t)
	if !slices.Equal(got, again) {
		t.Errorf("%v, and then %v", got, again)
	}
	use(t, "cpu", Float32)
	if d := furthest(got, both(t)); d > 1e-4 {
		t.Errorf("%s differs from the CPU by %g", tested(), d)
	} else {
		t.Logf("%s differs from the CPU by %g", tested(), d)
	}
}

// With products in bfloat16, of 8 bits, losses are near those of float32, and not
// the same. Twice the same bits come out.
func TestBFloat16(t *testing.T) {
	onThread()
	want := both(t)
	use(t, tested(), bFloat16)
	got, again := both(t), both(t)
	if !slices.Equal(got, again) {
		t.Errorf("%v, and then %v", got, again)
	}
	if d := furthest(got[:2], want[:2]); d == 0 || d > .01 {
		t.Errorf("the first losses differ from those of float32 by %g: %v, %v", d, got[:2], want[:2])
	}
	if d := furthest(got, want); d > .08 {
		t.Errorf("losses and norms differ from those of float32 by %g: %v, %v", d, got, want)
	}
}

// The published model's vectors point the same way, to about two of bfloat16's digits.
func TestBFloat16OfMiniLM(t *testing.T) {
	f := miniLM(t)
	f.Normalize = true
	ids := sequences(t, f, texts)
	e, err := NewEncoder(f, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	want := encode(t, e, ids)
	use(t, tested(), bFloat16)
	got := encode(t, e, ids)
	d := e.Dimension()
	for i := range ids {
		cosine := 0.
		for k := range d {
			cosine += float64(got[i*d+k]) * float64(want[i*d+k])
		}
		if cosine < .999 || slices.Equal(got[i*d:(i+1)*d], want[i*d:(i+1)*d]) {
			t.Errorf("text %d: cosine %v with the vector of float32", i, cosine)
		}
	}
}
