//go:build libtorch

package torch

import (
	"slices"
	"testing"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/torch/native"
)

// The collector runs while lists of tensors are made, in memory where libtorch had kept addresses of Go's memory. If it
// took one of these for a pointer, it would end the program.
func TestListsUnderGarbageCollection(t *testing.T) {
	defer collecting()()
	tensors := slices.Repeat([]*ts.Tensor{ts.MustOfSlice([]float32{1})}, 64)
	for range 1000 {
		for n := range len(tensors) {
			if err := native.DrawNormal(make([]float32, 256), 1); err != nil { // libtorch knows its address, and forgets it
				t.Fatal(err)
			}
			native.NewPointers(tensors[:n]).Free()
		}
	}
	tensors[0].MustDrop()
}
