//go:build libtorch && linux

package torch

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

// The kernels, built for the host, are as far from float64 as bfloat16 rounds, and sums nearer.
func TestKernelsOnTheHost(t *testing.T) {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("skipped: the kernels on the host need g++")
	}
	hidden := []int{768, 384, 64}
	if testing.Short() {
		hidden = hidden[1:2]
	}
	for _, size := range hidden {
		program := filepath.Join(t.TempDir(), "fused")
		build := exec.CommandContext(t.Context(), compiler, "-std=c++17", "-O1", "-w", fmt.Sprint("-DHIDDEN=", size), "-o", program, filepath.Join("testdata", "fused.cpp"))
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		out, err := exec.CommandContext(t.Context(), program).Output()
		if err != nil {
			t.Fatal(err)
		}
		results := 0
		for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); results++ {
			var name string
			var far float64
			if _, err := fmt.Sscan(lines.Text(), &name, &far); err != nil {
				t.Fatal(lines.Text(), err)
			}
			most := .004 // rounding to 8 bits
			switch name {
			case "norm.shift", "gelu.bias", "join.sums", "entropy":
				most = 1e-6
			case "join", "pick":
				most = 0
			case "dropped":
				most = .05
			}
			if !(far <= most) {
				t.Errorf("%d values: %s is %g from float64, more than %g", size, name, far, most)
			}
		}
		if results != 26 {
			t.Errorf("%d results, want 26: %s", results, out)
		}
	}
}

// NVRTC compiles the kernels for three generations of GPUs. Neither a GPU nor a driver is there for that.
func TestKernelsCompile(t *testing.T) {
	folder := os.Getenv("SENTWEAVE_NVRTC")
	if folder == "" {
		t.Skip("skipped: SENTWEAVE_NVRTC, the folder of libnvrtc, is not set: runners/fetch.sh nvrtc")
	}
	sizes := []string{"768", "384", "64"}
	if testing.Short() {
		sizes = sizes[2:]
	}
	command := exec.CommandContext(t.Context(), "python3", append([]string{filepath.Join("testdata", "nvrtc.py"), folder, "fused.cu"}, sizes...)...)
	command.Env = append(os.Environ(), "LD_LIBRARY_PATH="+folder)
	out, err := command.CombinedOutput()
	if err != nil || strings.Count(string(out), "\n") != 3*len(sizes) {
		t.Errorf("%v: %s", err, out)
	}
}

// kernelsStep returns the loss and the gradients of a batch of CMLM of 3 layers of a size on which kernels run.
func kernelsStep(t *testing.T, dropout float64) (loss float64, gradients map[string][]float32) {
	t.Helper()
	cmlm := objective.DefaultCMLM()
	trainer, _ := trainerFor(t, objective.Settings{"cmlm": &cmlm}, func(c *model.Config) {
		c.VocabularySize, c.HiddenSize, c.Layers, c.Heads, c.IntermediateSize, c.HiddenDropout, c.AttentionDropout = 1000, 384, 3, 6, 1000, dropout, dropout
	})
	r := rand.New(rand.NewPCG(2, 2))
	batch := &objective.CMLMBatch{A: padTo(drawn(r, 33, 4, 90, 1000)), B: padTo(drawn(r, 33, 4, 90, 1000))}
	batch.Positions, batch.Targets = masksOf(&batch.B)
	loss, err := trainer.Accumulate(batch, 1, nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	gradients = map[string][]float32{}
	for _, name := range trainer.masters.names {
		gradients[name] = gradient(t, trainer.masters.tensors[name])
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
	loss, want := kernelsStep(t, 0)
	use(t, tested(), bFloat16)
	if why := unfused(384); why != nil {
		t.Fatal(why)
	}
	fusedLoss, fused := kernelsStep(t, 0)
	fuseKernels(false)
	plainLoss, plain := kernelsStep(t, 0)
	fuseKernels(true)
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
	first, gradients := kernelsStep(t, .1)
	for range 2 {
		again, others := kernelsStep(t, .1)
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
