// Package torch runs encoders on libtorch, through gotch. Beside its inner rooms it is the
// only package that knows either of them: no exported name has a type of theirs. Of the rooms,
// native binds C++ and keeps tensors, transformer has the layers of encoders, and losses those
// of the objectives.
//
// It is built with the tag libtorch and the environment that
// runners/sentweave-torch/libtorch.sh prints. Without the tag all its functions return
// ErrUnavailable.
//
// Sequences have no padding: the tokens of a batch are in one list, and only attention and pooling know where
// a sequence ends. In float32 attention takes sequences of equal length together on the CPU, and pads
// inside of the call on a GPU. In bfloat16 a GPU takes all of them at once by flash attention, or, where they are short, by the kernels
// of native/attention.cu, and those of native/fused.cu do what stands between products, and LAMB's steps. NVRTC compiles both at
// run time. Where NVRTC lacks, or rows have other sizes than multiples of 64 up to 2,048, operations of libtorch do the same.
//
// gotch frees a tensor in a finalizer, possibly while C++ still uses it. So every
// tensor here belongs to a scope or to a model, which drops it when it is no longer
// needed. No tensor is left to the garbage collector.
package torch

import "errors"

// ErrUnavailable is the answer of a program that was built without libtorch.
var ErrUnavailable = errors.New("this program was built without libtorch; build the one that has it by `make torch`")
