//go:build libtorch

package torch

import (
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/torch/native"
)

// The cells of runners/sentweave-torch/cells.h, to which operations write their
// results, are those of a thread: many threads at once get their own results.
func TestThreadsGetTheirOwnResults(t *testing.T) {
	// Float64Values of gotch leaves the tensor that it copies from to the collector, which
	// may free it meanwhile.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var group sync.WaitGroup
	for n := range 32 {
		group.Go(func() {
			defer native.LockThread()()
			for i := range 300 {
				first := float32(1000*n + i)
				x := ts.MustOfSlice([]float32{first, first + 2, first + 1})
				values, indices := x.MustTopk(2, 0, true, true, true)
				runtime.Gosched() // others run, and this goes on here
				doubled := values.MustAdd(values, false)
				got := slices.Concat(doubled.Float64Values(true), indices.Float64Values(true))
				values.MustDrop()
				if want := []float64{2 * float64(first+2), 2 * float64(first+1), 1, 2}; !slices.Equal(got, want) {
					t.Errorf("the greatest of thread %d, doubled, and where they stand: %v, want %v", n, got, want)
					return
				}
			}
		})
	}
	group.Wait()
}

// A cell has room for more results than malloc(0) of the C library, and what gotch
// frees may be one.
func TestCells(t *testing.T) {
	onThread()
	// Four results: x for which 2x = 6 and 4x = 12, with nothing left over, rank 1.
	a, b := ts.MustOfSlice([]float32{2, 4}).MustView([]int64{2, 1}, true), ts.MustOfSlice([]float32{6, 12}).MustView([]int64{2, 1}, true)
	for range 100 {
		x, residuals, rank, singular, err := a.LinalgLstsq(b, nil, "gelsd", false)
		if err != nil {
			t.Fatal(err)
		}
		got := []float64{x.Float64Values(true)[0], rank.Float64Values(true)[0]}
		residuals.MustDrop()
		singular.MustDrop()
		if d := got[0] - 3; d < -1e-5 || d > 1e-5 || got[1] != 1 {
			t.Fatalf("solution and rank are %v, want 3 and 1", got)
		}
		number := a.MustSum(a.DType(), false)
		if size, err := number.Size(); err != nil || len(size) != 0 { // takes and frees a cell
			t.Fatalf("the size of a number is %v, %v", size, err)
		}
		number.MustDrop()
	}
	a.MustDrop()
	b.MustDrop()
}
