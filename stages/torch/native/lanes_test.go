//go:build libtorch && linux

package native_test

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"testing"

	"sentweave/stages/torch/native"
)

// However many batches there are, they run on as many threads as there are lanes, one at a time on each, and give their own results. A
// batch that waits for a lane ends with its context.
func TestLanes(t *testing.T) {
	const most, batches = 3, 2000
	native.ShareThreads(most)
	var mutex sync.Mutex
	running := map[int]int{}
	results := make([]<-chan error, batches)
	wrong := errors.New("wrong")
	for i := range results {
		var err error
		if results[i], err = native.OnLane(t.Context(), func() error {
			thread := syscall.Gettid()
			count := func(change int) {
				mutex.Lock()
				defer mutex.Unlock()
				if running[thread] += change; running[thread] > 1 {
					t.Errorf("%d batches run on a thread at once", running[thread])
				}
			}
			count(1)
			defer count(-1)
			if i%2 == 1 {
				return wrong
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for i, result := range results {
		if err := <-result; errors.Is(err, wrong) != (i%2 == 1) {
			t.Errorf("batch %d: %v", i, err)
		}
	}
	if len(running) > most {
		t.Errorf("%d threads ran what is at most %d at once", len(running), most)
	}
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	for range most {
		if _, err := native.OnLane(ctx, func() error { <-release; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if _, err := native.OnLane(ctx, func() error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("no lane is free: %v", err)
	}
	close(release)
}
