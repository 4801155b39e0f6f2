//go:build libtorch

package transformer

import (
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sync/semaphore"
)

// However many functions run, there are no more threads than functions at once, and each runs one at a time.
func TestThreads(t *testing.T) {
	const most, functions = 3, 2000
	var (
		pool    threads
		ids     sync.Map // of threads, with how many functions run on them
		threads atomic.Int32
		group   sync.WaitGroup
	)
	places := semaphore.NewWeighted(most)
	for range functions {
		if err := places.Acquire(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		group.Add(1)
		pool.run(func() {
			running, loaded := ids.LoadOrStore(syscall.Gettid(), new(atomic.Int32))
			if !loaded {
				threads.Add(1)
			}
			if n := running.(*atomic.Int32).Add(1); n != 1 {
				t.Errorf("%d functions run on a thread at once", n)
			}
			running.(*atomic.Int32).Add(-1)
		}, func() { places.Release(1); group.Done() })
	}
	group.Wait()
	if n := threads.Load(); n > most {
		t.Errorf("%d threads ran what is at most %d at once", n, most)
	}
}
