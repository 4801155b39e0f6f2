//go:build libtorch

package native

// #include "native.h"
import "C"

import (
	"context"
	"runtime"
)

// batches goes to the lanes, the threads on which batches are computed, whoever asks for them; see ShareThreads.
var batches = startLanes(1)

// startLanes starts that many lanes, which end when their batches do. Each has a thread of the system, since libtorch and malloc keep
// memory for each thread that has computed: on whatever threads Go has, two batches at once left that of five.
func startLanes(n int) chan<- func() {
	batches := make(chan func())
	for range n {
		go func() {
			runtime.LockOSThread()
			for compute := range batches {
				compute()
			}
		}()
	}
	return batches
}

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
	close(batches)
	batches = startLanes(n)
}

// OnLane waits until a lane is free, which computes a batch then. The channel has the result of that. The error is the context's.
func OnLane(ctx context.Context, compute func() error) (<-chan error, error) {
	result := make(chan error, 1)
	select {
	case batches <- func() { result <- compute() }:
		return result, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
