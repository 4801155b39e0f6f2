package units

import (
	"context"
	"sync"
)

// bundle is the work in flight of one bundle of a phase.
type bundle struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	wg      sync.WaitGroup
	mu      sync.Mutex
	parcels parcels
	err     error
}

// newBundle returns a bundle whose work ends with ctx, or with its first error.
func newBundle(ctx context.Context) *bundle {
	b := &bundle{}
	b.ctx, b.cancel = context.WithCancelCause(ctx)
	return b
}

// start runs work when the gate has room. After a failure it returns the error
// instead, when no work is left in flight: nothing of a bundle outlives it.
func (b *bundle) start(gate chan struct{}, work func(context.Context) ([]Route, error)) error {
	select {
	case gate <- struct{}{}:
	case <-b.ctx.Done():
		_, err := b.wait()
		return err
	}
	b.wg.Go(func() {
		defer func() { <-gate }()
		routes, err := work(b.ctx)
		if err != nil {
			b.fail(err)
			return
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.parcels.add(routes)
	})
	return nil
}

// fail ends the bundle's work, with an error that counts if it is the first.
func (b *bundle) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
		b.cancel(err)
	}
}

// wait waits for all work and returns its routes, or the first error.
func (b *bundle) wait() (parcels, error) {
	b.wg.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil && b.ctx.Err() != nil {
		b.err = context.Cause(b.ctx)
	}
	err := b.err
	b.cancel(nil)
	return b.parcels, err
}

// gates bound the units in flight over all bundles of the process, one gate for
// each size: a runner may start several bundles at once, but memory is counted
// by units.
var gates sync.Map // of int to chan struct{}

// gateOf returns the gate for so many units of the process, or, for none, a new
// one for one unit of a bundle.
func gateOf(window int) chan struct{} {
	if window == 0 {
		return make(chan struct{}, 1)
	}
	gate, _ := gates.LoadOrStore(window, make(chan struct{}, window))
	return gate.(chan struct{})
}
