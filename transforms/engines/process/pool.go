package process

import (
	"errors"
	"sync"
)

// Worker is a program that is kept alive, or several that work together.
type Worker interface {
	// Alive says whether it has not ended by itself.
	Alive() bool
	// Kill ends it.
	Kill()
}

// Pool keeps workers alive between uses, by what they are for. It grows with the
// number of uses at once; idle ones above a bound are ended, the longest idle first.
type Pool[W Worker] struct {
	// Idle is the greatest number of idle workers.
	Idle int

	mutex  sync.Mutex
	idle   []entry[W]
	closed bool
}

type entry[W Worker] struct {
	key    string
	worker W
}

var errClosed = errors.New("the engine is closed")

// Get takes an idle worker for a key out of the pool, or starts one.
func (p *Pool[W]) Get(key string, start func() (W, error)) (W, error) {
	w, ok, err := p.take(key)
	if ok || err != nil {
		return w, err
	}
	return start()
}

func (p *Pool[W]) take(key string) (w W, ok bool, err error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.closed {
		return w, false, errClosed
	}
	for i := len(p.idle) - 1; i >= 0; i-- {
		e := p.idle[i]
		if e.key != key {
			continue
		}
		p.idle = append(p.idle[:i], p.idle[i+1:]...)
		if e.worker.Alive() {
			return e.worker, true, nil
		}
		go e.worker.Kill() // what it left behind
	}
	return w, false, nil
}

// Put gives a worker back that has answered all it was asked.
func (p *Pool[W]) Put(key string, w W) {
	p.mutex.Lock()
	p.idle = append(p.idle, entry[W]{key, w})
	var surplus []entry[W]
	bound := p.Idle
	if p.closed {
		bound = 0
	}
	if excess := len(p.idle) - bound; excess > 0 {
		surplus = append(surplus, p.idle[:excess]...)
		p.idle = append(p.idle[:0], p.idle[excess:]...)
	}
	p.mutex.Unlock()
	for _, e := range surplus {
		e.worker.Kill()
	}
}

// Close ends the idle workers, and those in use when they are given back.
func (p *Pool[W]) Close() {
	p.mutex.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mutex.Unlock()
	for _, e := range idle {
		e.worker.Kill()
	}
}
