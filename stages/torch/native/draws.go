//go:build libtorch

package native

// #include "native.h"
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/sugarme/gotch/ts"
)

// Seed seeds the generators on which dropout and initial values draw.
func Seed(n uint64) { C.sentweave_seed(C.uint64_t(n)) }

// Drawn is the number of draws of dropout since the seed.
func Drawn() uint64 { return uint64(C.sentweave_drawn()) }

// Redraw goes back to the draw of a number for a chunk of what was drawn then. On the CPU the rows of the chunk, which have
// keys, are drawn as they were in the whole list; a GPU draws each chunk apart, and the same each time.
func Redraw(number uint64, chunk int) { C.sentweave_redraw(C.uint64_t(number), C.int64_t(chunk)) }

// Dropout drops a share of the numbers of x, and returns x if the share is 0. Rows are drawn by their keys, which may be nil: see
// Layout.
func (s *Scope) Dropout(x, keys *ts.Tensor, share float64) *ts.Tensor {
	if s.Err != nil || share == 0 {
		return x
	}
	defer runtime.KeepAlive([]*ts.Tensor{x, keys})
	var y unsafe.Pointer
	return s.keepTensor(&y, C.sentweave_dropout(x.Ctensor(), handle(keys), C.double(share), &y))
}
