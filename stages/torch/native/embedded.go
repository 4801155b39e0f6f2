//go:build libtorch

package native

// #include "native.h"
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
)

// Embeddings are the tables whose rows are added for a token, of which Kinds may be nil, and the norm of the sum.
type Embeddings struct {
	Words, Positions, Kinds *ts.Tensor
	Norm                    Linear
	Epsilon                 float64
}

// Pooling makes one vector a sequence of those of tokens, as Pool does.
type Pooling struct {
	Groups  []Group
	By      model.Pooling // mean, max or cls
	Skipped int64
}

// Embedded returns the vectors of tokens of the first kind before the first layer, [tokens, hidden], or what Pool makes of
// them, both with the bits of the single operations. With a pooling that is not nil, vectors of tokens do not leave the cache of a
// core. Ids and positions must be those of rows. It is for float32 on the CPU, without gradients.
func (s *Scope) Embedded(ids, positions []int64, e Embeddings, pooling *Pooling) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	five := NewPointers([]*ts.Tensor{e.Words, e.Positions, e.Kinds, e.Norm.Weight, e.Norm.Bias})
	defer five.Free()
	defer runtime.KeepAlive(five)
	var x unsafe.Pointer
	i, p, n, epsilon := (*C.int64_t)(unsafe.SliceData(ids)), (*C.int64_t)(unsafe.SliceData(positions)), len(ids), C.double(e.Epsilon)
	if pooling == nil {
		return s.keepTensor(&x, C.sentweave_embedded(i, p, C.int64_t(n), five.list, epsilon, &x))
	}
	groups := (*C.int64_t)(unsafe.Pointer(unsafe.SliceData(pooling.Groups)))
	return s.keepTensor(&x, C.sentweave_embedded_pooled(i, p, groups, C.int(len(pooling.Groups)), poolingKind(pooling.By),
		C.int64_t(pooling.Skipped), five.list, epsilon, &x))
}
