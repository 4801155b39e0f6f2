//go:build libtorch

package torch

import (
	"fmt"

	"sentweave/stages/torch/native"
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
	native.ShareThreads(c.Threads)
	return nil
}

// choose chooses the device and the precision.
func choose(c Compute) error {
	if err := c.Validate(); err != nil {
		return err
	}
	c = c.filled()
	if err := native.UseDevice(c.Device, c.Precision == bFloat16); err != nil {
		return fmt.Errorf("device %s: %w; it needs a GPU, its driver, and a PyTorch with CUDA, named in LIBTORCH or installed, when this program is built",
			c.Device, err)
	}
	return nil
}

// What Hardware.Kernels may be.
const (
	kernelsATen  = "ATen"
	kernelsFused = "fused by NVRTC"
)

// Hardware returns what computes by Use of c, for rows of so many values.
func (c Compute) Hardware(hidden int) Hardware {
	defer native.LockThread()()
	h := Hardware{Libtorch: Version(), Kernels: kernelsATen}
	if native.OnCPU() {
		return h
	}
	h.Card, h.Unnamed = native.Card()
	if c.filled().Precision != bFloat16 {
		return h
	}
	if h.Unfused = native.Unfused(hidden); h.Unfused == nil {
		h.Kernels = kernelsFused
	}
	return h
}
