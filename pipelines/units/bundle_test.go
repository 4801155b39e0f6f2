package units

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// A bundle fills the gate and no more, and hands out the routes of all its work.
func TestBundle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const window, count = 3, 10
		b := newBundle(t.Context())
		gate := make(chan struct{}, window)
		leave := make(chan struct{})
		var running, most atomic.Int64
		begun := make(chan error, 1)
		go func() {
			for i := range int64(count) {
				if err := b.start(gate, func(context.Context) ([]Route, error) {
					most.Store(max(most.Load(), running.Add(1)))
					<-leave
					running.Add(-1)
					return []Route{{To: i}}, nil
				}); err != nil {
					begun <- err
					return
				}
			}
			begun <- nil
		}()
		for range count {
			synctest.Wait()
			if running.Load() > window {
				t.Errorf("%d at once through a gate of %d", running.Load(), window)
			}
			leave <- struct{}{}
		}
		if err := <-begun; err != nil {
			t.Fatal(err)
		}
		parcels, err := b.wait()
		if err != nil {
			t.Fatal(err)
		}
		if len(parcels) != count {
			t.Errorf("routes to %d units, want %d", len(parcels), count)
		}
		if most.Load() != window {
			t.Errorf("at most %d at once, want %d", most.Load(), window)
		}
		if len(gate) != 0 {
			t.Errorf("%d places of the gate stay taken", len(gate))
		}
	})
}

// The first error stops the work in flight, which nothing outlives, and is the
// one that is returned.
func TestBundleFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBundle(t.Context())
		gate := make(chan struct{}, 2)
		first := errors.New("unit 1: the disk is full")
		var ended atomic.Bool
		fail := make(chan struct{})
		start := func(work func(context.Context) ([]Route, error)) {
			if err := b.start(gate, work); err != nil {
				t.Fatal(err)
			}
		}
		start(func(ctx context.Context) ([]Route, error) {
			<-ctx.Done()
			defer ended.Store(true)
			return nil, ctx.Err() // a consequence of the error, not its cause
		})
		start(func(context.Context) ([]Route, error) {
			<-fail
			return nil, first
		})
		close(fail)
		synctest.Wait()
		if len(gate) != 0 || !ended.Load() {
			t.Error("work outlives the error")
		}
		if parcels, err := b.wait(); !errors.Is(err, first) || len(parcels) != 0 {
			t.Errorf("%v, %v", parcels, err)
		}
	})
}

// A full gate does not hold up a bundle that is cancelled.
func TestBundleCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		b := newBundle(ctx)
		gate := make(chan struct{}, 1)
		gate <- struct{}{} // of another bundle
		interrupt := errors.New("interrupt")
		result := make(chan error, 1)
		go func() {
			result <- b.start(gate, func(context.Context) ([]Route, error) {
				t.Error("work is begun after the end")
				return nil, nil
			})
		}()
		synctest.Wait()
		select {
		case err := <-result:
			t.Fatalf("start does not wait: %v", err)
		default:
		}
		cancel(interrupt)
		if err := <-result; !errors.Is(err, interrupt) {
			t.Errorf("%v, want the cause", err)
		}
	})
}

// All bundles of a process share the gate of a size.
func TestGate(t *testing.T) {
	if first, again := gateOf(101), gateOf(101); first != again || first == gateOf(102) || cap(first) != 101 {
		t.Error("gates are not one for each size")
	}
	if first, again := gateOf(0), gateOf(0); first == again || cap(first) != 1 {
		t.Error("without a window, each bundle has no gate of its own for one unit")
	}
}
