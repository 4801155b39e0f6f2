//go:build libtorch

package native

// #include "native.h"
import "C"

import (
	_ "embed"
	"unsafe"
)

//go:embed values.cu
var values string

//go:embed fused.cu
var fused string

//go:embed attention.cu
var attention string

func init() {
	C.sentweave_kernels(C.CString(values+fused), C.CString(values+attention)) // for as long as the program runs
}

// AlwaysPad has what pads on a GPU pad on the CPU, too.
func AlwaysPad(enabled bool) {
	C.sentweave_pad(flag(enabled))
}

// FuseKernels says whether the kernels of fused.cu and attention.cu are used where they can be.
func FuseKernels(enabled bool) {
	C.sentweave_fuse(flag(enabled))
}

// Unfused says why the kernels do not run for rows of so many values; nil where they do, or
// where they need not: on the CPU.
func Unfused(hidden int) error {
	row := make([]float32, hidden)
	x, err := NewTensor(unsafe.Pointer(unsafe.SliceData(row)), []int64{1, int64(hidden)}, Float32s)
	if err != nil {
		return err
	}
	defer x.MustDrop()
	return failure(C.sentweave_unfused(x.Ctensor()))
}
