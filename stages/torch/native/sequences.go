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

// Group is a run of sequences of the same length. C reads lists of them.
type Group struct{ Count, Length int64 }

// Layout is what attention needs to know of a list.
type Layout struct {
	Groups []Group
	// Ends are the places in the list between sequences, and at both of its ends, if attention
	// takes sequences of all lengths at once; else nil.
	Ends *ts.Tensor
}

// Heads are the heads of scaled dot-product attention. Query, Key and Value are the maps of all of them.
type Heads struct {
	Query, Key, Value Linear
	Count             int
	Dropout           float64
}

// Attention is scaled dot-product attention inside of each sequence of the layout,
// whose tokens stand in one list, [tokens, hidden]: query, key and value are products of x.
func (s *Scope) Attention(x *ts.Tensor, h Heads, sequences Layout) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	six := NewPointers([]*ts.Tensor{h.Query.Weight, h.Key.Weight, h.Value.Weight, h.Query.Bias, h.Key.Bias, h.Value.Bias})
	defer six.Free()
	defer runtime.KeepAlive([]any{x, six, sequences.Ends})
	var ends, mixed unsafe.Pointer
	if sequences.Ends != nil {
		ends = sequences.Ends.Ctensor()
	}
	list := (*C.int64_t)(unsafe.Pointer(unsafe.SliceData(sequences.Groups)))
	return s.keepTensor(&mixed, C.sentweave_attention(x.Ctensor(), six.list, ends, list, C.int(len(sequences.Groups)), C.int64_t(h.Count),
		C.double(h.Dropout), &mixed))
}

// Pool returns one vector a sequence of the groups, [count, size], from those of their tokens,
// [tokens, size]: means, the greatest values, or those of the first tokens. The first tokens of
// a sequence may be left out, but never the last one. Means are float32.
func (s *Scope) Pool(x *ts.Tensor, groups []Group, pooling model.Pooling, skipped int64) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	defer runtime.KeepAlive(x)
	kind := C.int(C.SENTWEAVE_MEAN)
	switch pooling {
	case model.Max, model.Lens:
		kind = C.SENTWEAVE_MAX
	case model.CLS:
		kind = C.SENTWEAVE_FIRST
	}
	var pooled unsafe.Pointer
	list := (*C.int64_t)(unsafe.Pointer(unsafe.SliceData(groups)))
	return s.keepTensor(&pooled, C.sentweave_pool(x.Ctensor(), list, C.int(len(groups)), kind, C.int64_t(skipped), &pooled))
}

// AttendsAtOnce says whether attention of so many values a head takes sequences of all
// lengths in one call: flash attention on a GPU does, in bfloat16.
func AttendsAtOnce(headSize int) bool { return C.sentweave_attends_at_once(C.int64_t(headSize)) != 0 }
