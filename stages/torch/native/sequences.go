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

// Layout is what a layer needs to know of a list.
type Layout struct {
	Groups []Group
	// Ends are the places in the list between sequences, and at both of its ends, if attention
	// takes sequences of all lengths at once; else nil.
	Ends *ts.Tensor
	// Keys are those of the tokens in draws of dropout; nil draws tokens by their places.
	Keys *ts.Tensor
	// Bias is added to the scores of attention, [heads, longest, longest]: by the place in its sequence of the token that looks,
	// and then of that which is looked at. Nil adds nothing. With a bias there are no Ends.
	Bias *ts.Tensor
	// Rotary has layers be those of ModernBERT: cosines and sines of the angles of the tokens, [tokens, 2, half of a head's size].
	// Layers with a Window have those of LocalRotary.
	Rotary, LocalRotary *ts.Tensor
}

// Layer is a layer of an encoder: attention, and the two products after it, with a residual connection and a norm each. Those
// of ModernBERT come before what they norm, and the first layer has none before attention; Query is that of query, key and value
// together. Their biases may be nil.
type Layer struct {
	Query, Key, Value, Output Linear
	AttentionNorm             Linear
	Intermediate, Dense       Linear
	OutputNorm                Linear
}

// LayerSettings are those that all layers of an encoder have. Dropouts above 0 draw.
type LayerSettings struct {
	Heads                              int
	Activation                         string // by its name in config.json
	Epsilon, Dropout, AttentionDropout float64
	// OutputDropout is that of what attention adds to its input.
	OutputDropout float64
	// Window is the greatest distance of two tokens that see each other; 0 for any.
	Window int
	// Recompute keeps only the input of a layer, which is computed again for its gradients. These have the same bits.
	Recompute bool
}

// Layer runs a layer over the tokens of the layout's sequences, which are in one list, [tokens, hidden]. The result has
// only the rows of an arrangement unless that is nil: after attention, tokens do not see each other.
func (s *Scope) Layer(x *ts.Tensor, l Layer, settings LayerSettings, sequences Layout, rows *Arrangement) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	list := []*ts.Tensor{l.Query.Weight, l.Key.Weight, l.Value.Weight, l.Query.Bias, l.Key.Bias, l.Value.Bias}
	for _, pair := range []Linear{l.Output, l.AttentionNorm, l.Intermediate, l.Dense, l.OutputNorm} {
		list = append(list, pair.Weight, pair.Bias)
	}
	weights := NewPointers(list)
	defer weights.Free()
	if rows == nil {
		rows = &Arrangement{}
	}
	defer runtime.KeepAlive([]any{x, weights, sequences, rows})
	rotary := sequences.Rotary
	if settings.Window > 0 {
		rotary = sequences.LocalRotary
	}
	c := C.sentweave_layer_settings{heads: C.int64_t(settings.Heads), activation: activations[settings.Activation],
		epsilon: C.double(settings.Epsilon), dropout: C.double(settings.Dropout), attention_dropout: C.double(settings.AttentionDropout),
		attention_output_dropout: C.double(settings.OutputDropout), window: C.int64_t(settings.Window), recompute: flag(settings.Recompute)}
	var y unsafe.Pointer
	return s.keepTensor(&y, C.sentweave_layer(x.Ctensor(), weights.list, handle(sequences.Bias), handle(sequences.Ends),
		handle(sequences.Keys), handle(rotary), (*C.int64_t)(unsafe.Pointer(unsafe.SliceData(sequences.Groups))),
		C.int(len(sequences.Groups)), handle(rows.rows), handle(rows.places), c, &y))
}

// handle is how C knows a tensor that may be nil.
func handle(t *ts.Tensor) unsafe.Pointer {
	if t == nil {
		return nil
	}
	return t.Ctensor()
}

// Pool returns one vector a sequence of the groups, [count, size], from those of their tokens,
// [tokens, size]: means, the greatest values, or those of the first tokens. The first tokens of
// a sequence may be left out, but never the last one. Means are float32.
func (s *Scope) Pool(x *ts.Tensor, groups []Group, pooling model.Pooling, skipped int64) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	defer runtime.KeepAlive(x)
	var pooled unsafe.Pointer
	list := (*C.int64_t)(unsafe.Pointer(unsafe.SliceData(groups)))
	return s.keepTensor(&pooled, C.sentweave_pool(x.Ctensor(), list, C.int(len(groups)), poolingKind(pooling), C.int64_t(skipped), &pooled))
}

// poolingKind is a pooling as native.h numbers them.
func poolingKind(pooling model.Pooling) C.int {
	switch pooling {
	case model.Max, model.Lens:
		return C.SENTWEAVE_MAX
	case model.CLS:
		return C.SENTWEAVE_FIRST
	}
	return C.SENTWEAVE_MEAN
}

// AttendsAtOnce says whether attention of so many values a head takes sequences of all
// lengths in one call: flash attention on a GPU does, in bfloat16.
func AttendsAtOnce(headSize int) bool { return C.sentweave_attends_at_once(C.int64_t(headSize)) != 0 }
