//go:build libtorch

package torch

import (
	"fmt"
	"os"
	"strconv"

	"sentweave/stages/model"
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"
)

// Threads returns how many threads an operation of libtorch uses, on whatever thread of the
// system it runs.
func Threads() int { return native.Threads() }

// SetThreads sets how many threads an operation of libtorch uses, in the whole
// process; the last bits of results depend on it.
func SetThreads(n int) { native.SetThreads(n) }

// Version returns the version of libtorch.
func Version() string { return native.Version() }

// Use has libtorch compute as c says, in the whole process. It comes before any
// other call of this package that computes; models that are open stay on the device
// on which they are. The error says what a device lacks.
func Use(c Compute) error {
	if err := c.ValidateTraining(); err != nil {
		return err
	}
	if err := choose(c); err != nil {
		return err
	}
	if c.Threads > 0 {
		native.SetThreads(c.Threads)
	}
	return nil
}

// UseLanes is Use for encoders and masked language models, which take the processors another way: each of the
// threads computes a batch of its own, so that no digit depends on their number. 0 threads are one for each processor.
func UseLanes(c Compute) error {
	if err := choose(c); err != nil {
		return err
	}
	if os.Getenv(primitives) == "" {
		if err := os.Setenv(primitives, strconv.Itoa(8*max(2, c.Lanes()))); err != nil {
			return err
		}
	}
	native.ShareThreads(c.Threads)
	return nil
}

// primitives is the variable by which oneDNN, before its first use, is told how many operations it keeps ready, each for one shape and
// in memory of its own. Batches have nearly as many shapes as there are batches: with the 1,024 operations that it keeps by itself,
// memory grew by 600 MB. A batch has three in float32.
const primitives = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"

// quantizes says whether encoders that are opened compute in int8.
var quantizes bool

// loadEncoder loads the weights of an encoder's layers, in the chosen precision.
func loadEncoder(path string, c model.Config) (*transformer.Weights, error) {
	replaced := native.Prepacked
	if quantizes {
		replaced = native.Quantized
	}
	return transformer.LoadReplaced(path, transformer.Shapes(c), replaced)
}

// choose chooses the device and the precision.
func choose(c Compute) error {
	if err := c.Validate(); err != nil {
		return err
	}
	c = c.filled()
	quantizes = c.Precision == Int8
	if quantizes {
		if err := native.CheckQuantized(); err != nil {
			return fmt.Errorf("precision %s: %w; leave out --precision: float32 takes some three times as long as int8 elsewhere", Int8, err)
		}
	}
	if err := native.UseDevice(c.Device, c.Precision == bFloat16); err != nil {
		return fmt.Errorf("--device=%s needs a GPU, its driver, and a PyTorch with CUDA, named in LIBTORCH or installed, when sentweave-torch is built; --device=cpu does without: %w",
			c.Device, err)
	}
	return nil
}

// What Hardware.Kernels may be.
const (
	kernelsATen  = "ATen"
	kernelsFused = "fused by NVRTC"
)

// Hardware returns what computes by Use of c for an encoder. Layers of ModernBERT's kind have no kernels of their own.
func (c Compute) Hardware(encoder model.Config) Hardware {
	defer native.LockThread()()
	h := Hardware{Libtorch: Version(), Kernels: kernelsATen}
	if native.OnCPU() {
		return h
	}
	h.Card, h.Unnamed = native.Card()
	if c.filled().Precision != bFloat16 || encoder.IsGated() {
		return h
	}
	if h.Unfused = native.Unfused(encoder.HiddenSize); h.Unfused == nil {
		h.Kernels = kernelsFused
	}
	return h
}
