//go:build libtorch

package native

// #include "native.h"
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/sugarme/gotch/ts"
)

// Embeddings are the tables whose rows are added for a token, of which Kinds may be nil, and the norm of the sum.
type Embeddings struct {
	Words, Positions, Kinds *ts.Tensor
	Norm                    Linear
	Epsilon                 float64
}

// Embedded returns the vectors of tokens of the first kind before the first layer, [tokens, hidden], with the bits of the
// single operations. Ids and positions must be those of rows. It is for float32 on the CPU, without gradients.
func (s *Scope) Embedded(ids, positions []int64, e Embeddings) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	five := NewPointers([]*ts.Tensor{e.Words, e.Positions, e.Kinds, e.Norm.Weight, e.Norm.Bias})
	defer five.Free()
	defer runtime.KeepAlive(five)
	var x unsafe.Pointer
	return s.keepTensor(&x, C.sentweave_embedded((*C.int64_t)(unsafe.SliceData(ids)), (*C.int64_t)(unsafe.SliceData(positions)),
		C.int64_t(len(ids)), five.list, C.double(e.Epsilon), &x))
}
