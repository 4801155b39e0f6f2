//go:build libtorch

package transformer

import (
	"runtime"
	"sync"
)

// lanes are those on which batches are computed.
var lanes threads

// threads are goroutines with a thread of the system each, which run functions one after another. Libtorch and malloc keep memory for each
// thread that has computed: on whatever threads Go has, two batches at once left that of five.
type threads struct {
	mutex sync.Mutex
	idle  []chan func() // the last one ran last
}

// run has a thread run f, and then calls after, when the thread may be taken again. There are as many threads as functions at once.
func (t *threads) run(f, after func()) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.idle) == 0 {
		t.idle = append(t.idle, make(chan func(), 1))
		go serve(t.idle[0])
	}
	last := len(t.idle) - 1
	thread := t.idle[last]
	t.idle = t.idle[:last]
	thread <- func() {
		f()
		t.mutex.Lock()
		t.idle = append(t.idle, thread)
		t.mutex.Unlock()
		after()
	}
}

// serve runs what comes, for ever.
func serve(functions chan func()) {
	runtime.LockOSThread()
	for f := range functions {
		f()
	}
}
