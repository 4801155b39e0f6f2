//go:build libtorch

package torch

// #include "native.h"
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/sugarme/gotch/ts"
)

// followers are parameters that follow others.
type followers struct {
	names       []string
	them, ahead *pointers
	rates       []C.double // 1 − momentum
}

func newFollowers(list []parameter, w *weights) *followers {
	f := &followers{}
	var them, ahead []*ts.Tensor
	for _, p := range list {
		if p.follows != "" {
			f.names = append(f.names, p.name)
			them, ahead = append(them, w.tensors[p.name]), append(ahead, w.tensors[p.follows])
			f.rates = append(f.rates, C.double(1-p.momentum))
		}
	}
	f.them, f.ahead = newPointers(them), newPointers(ahead)
	return f
}

func (f *followers) free() {
	f.them.free()
	f.ahead.free()
}

// begin makes them equal to what they follow.
func (f *followers) begin() error {
	ones := make([]C.double, len(f.rates))
	for i := range ones {
		ones[i] = 1
	}
	return f.move(ones)
}

// step moves them after a step of the optimizer.
func (f *followers) step() error { return f.move(f.rates) }

func (f *followers) move(rates []C.double) error {
	if len(rates) == 0 {
		return nil
	}
	defer lockThread()()
	defer runtime.KeepAlive(f)
	return failure(C.sentweave_follow(f.them.list, f.ahead.list, unsafe.SliceData(rates), f.them.n()))
}
