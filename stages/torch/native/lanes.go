//go:build libtorch

package native

// #include "native.h"
import "C"

import (
	"context"
	"runtime"

	"golang.org/x/sync/semaphore"
)

// lanes bounds how many batches are computed at once in the process, whoever asks for them; see ShareThreads.
var lanes = semaphore.NewWeighted(1)

// ShareThreads has that many batches computed at once, each by an operation of one thread after another, so that
// results do not depend on the number; 0 means one for each processor that Go uses. Before it, and on a GPU, one batch is
// computed at a time, with SetThreads threads an operation. It comes before any batch.
func ShareThreads(n int) {
	if !OnCPU() {
		return
	}
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	SetThreads(1)
	C.sentweave_keep_memory()
	lanes = semaphore.NewWeighted(int64(n))
}

// EnterLane waits until a batch may be computed, and returns what is called after that. The error is the context's.
func EnterLane(ctx context.Context) (leave func(), err error) {
	own := lanes
	if err := own.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return func() { own.Release(1) }, nil
}
