//go:build libtorch

package native

// #cgo CXXFLAGS: -std=c++17 -O2
// #cgo LDFLAGS: -lstdc++ -ltorch_cpu -lc10 -ldl
// #include <stdlib.h>
// #include "native.h"
import "C"

import (
	"errors"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Threads returns how many threads an operation of libtorch uses, on whatever thread of the
// system it runs.
func Threads() int {
	defer LockThread()()
	return int(C.sentweave_threads())
}

// SetThreads sets how many threads an operation of libtorch uses, in the whole
// process; the last bits of results depend on it.
func SetThreads(n int) {
	wantedThreads.Store(int32(n))
	C.sentweave_set_threads(C.int(n))
}

// wantedThreads is what SetThreads was given last, 0 before. Libtorch keeps the
// number by thread of the system, once that thread has used it.
var wantedThreads atomic.Int32

// LockThread keeps the goroutine on its thread, whose number of threads is the
// wanted one, until the function that it returns is called.
func LockThread() (unlock func()) {
	runtime.LockOSThread()
	if n := wantedThreads.Load(); n > 0 && n != int32(C.sentweave_threads()) {
		C.sentweave_set_threads(C.int(n))
	}
	return runtime.UnlockOSThread
}

// WithoutGradients is LockThread, and keeps no track of gradients until the function that
// it returns is called. Without the lock the goroutine could leave a thread on which
// nothing can be trained any more.
func WithoutGradients() (end func()) {
	unlock := LockThread()
	was := C.sentweave_record(0) // gotch reads half of the answer beside it
	return func() {
		C.sentweave_record(was)
		unlock()
	}
}

// UseDevice has libtorch compute on a device, and products between Begin and its end in bfloat16 if
// they are reduced.
func UseDevice(device string, isReduced bool) error {
	name := C.CString(device)
	defer C.free(unsafe.Pointer(name))
	return failure(C.sentweave_use(name, flag(isReduced)))
}

// Begin has the products of this thread in the chosen precision until the function
// that it returns is called.
func Begin() (end func()) {
	C.sentweave_begin()
	return func() { C.sentweave_end() }
}

// OnCPU says whether new tensors are on the CPU.
func OnCPU() bool { return C.sentweave_on_cpu() != 0 }

// Card returns the name of the GPU in use, as its driver gives it; "" on the CPU.
func Card() (string, error) {
	var name [256]C.char
	if err := failure(C.sentweave_card(&name[0], C.int(len(name)))); err != nil {
		return "", err
	}
	return C.GoString(&name[0]), nil
}

// PeakMemory returns the most bytes that tensors had on the GPU at once since the last call; 0 on the CPU, and before libtorch 2.11.
func PeakMemory() (bytes int64, err error) {
	err = failure(C.sentweave_peak_memory((*C.int64_t)(&bytes)))
	return bytes, err
}

// Version returns the version of libtorch.
func Version() string { return C.GoString(C.sentweave_version()) }

// flag is a truth value as C has it.
func flag(value bool) C.int {
	if value {
		return 1
	}
	return 0
}

// failure turns a message of C++ into an error.
func failure(message *C.char) error {
	if message == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(message))
	return errors.New("libtorch: " + C.GoString(message))
}
