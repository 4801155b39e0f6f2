//go:build libtorch

package torch

// #cgo CXXFLAGS: -std=c++17 -O2
// #cgo LDFLAGS: -lstdc++ -ltorch_cpu -lc10 -ldl
// #include <stdlib.h>
// #include "native.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/sugarme/gotch/ts"
)

// Threads returns how many threads an operation of libtorch uses, on whatever thread of the
// system it runs.
func Threads() int {
	defer lockThread()()
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

// lockThread keeps the goroutine on its thread, whose number of threads is the
// wanted one, until the function that it returns is called.
func lockThread() (unlock func()) {
	runtime.LockOSThread()
	if n := wantedThreads.Load(); n > 0 && n != int32(C.sentweave_threads()) {
		C.sentweave_set_threads(C.int(n))
	}
	return runtime.UnlockOSThread
}

// withoutGradients is lockThread, and keeps no track of gradients until the function that
// it returns is called. Without the lock the goroutine could leave a thread on which
// nothing can be trained any more.
func withoutGradients() (end func()) {
	unlock := lockThread()
	ts.MustGradSetEnabled(false)
	return func() {
		ts.MustGradSetEnabled(true)
		unlock()
	}
}

// Use has libtorch compute as c says, in the whole process. It comes before any
// other call of this package that computes; models that are open stay on the device
// on which they are. The error says what a device lacks.
func Use(c Compute) error {
	if err := c.Validate(); err != nil {
		return err
	}
	c = c.filled()
	reduced := C.int(0)
	if c.Precision == bFloat16 {
		reduced = 1
	}
	name := C.CString(c.Device)
	defer C.free(unsafe.Pointer(name))
	if err := failure(C.sentweave_use(name, reduced)); err != nil {
		return fmt.Errorf("device %s: %w; it needs a GPU, its driver, and a PyTorch with CUDA, named in LIBTORCH or installed, when this program is built", c.Device, err)
	}
	if c.Threads > 0 {
		SetThreads(c.Threads)
	}
	return nil
}

// begin has the products of this thread in the chosen precision until the function
// that it returns is called.
func begin() (end func()) {
	C.sentweave_begin()
	return func() { C.sentweave_end() }
}

// onCPU says whether new tensors are on the CPU.
func onCPU() bool { return C.sentweave_on_cpu() != 0 }

// Version returns the version of libtorch.
func Version() string { return C.GoString(C.sentweave_version()) }

// failure turns a message of native.cpp into an error.
func failure(message *C.char) error {
	if message == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(message))
	return errors.New("libtorch: " + C.GoString(message))
}

// elementType is a type of elements as native.cpp numbers them.
type elementType C.int

const (
	float32s  elementType = C.SENTWEAVE_FLOAT32
	float16s  elementType = C.SENTWEAVE_FLOAT16
	bfloat16s elementType = C.SENTWEAVE_BFLOAT16
	int64s    elementType = C.SENTWEAVE_INT64
)

// newTensor returns a tensor of a copy of the data, on the device, which holds the elements of
// the shape in row-major order.
func newTensor(data unsafe.Pointer, shape []int64, elements elementType) (*ts.Tensor, error) {
	var tensor unsafe.Pointer
	err := failure(C.sentweave_tensor(data, (*C.int64_t)(unsafe.SliceData(shape)), C.int(len(shape)), C.int(elements), &tensor))
	if err != nil {
		return nil, err
	}
	return ts.FromCtensor(tensor), nil
}

// floats copies the elements of a tensor, whatever its type, into dst.
func floats(dst []float32, t *ts.Tensor) error {
	defer runtime.KeepAlive(t)
	return failure(C.sentweave_floats(t.Ctensor(), (*C.float)(unsafe.SliceData(dst)), C.int64_t(len(dst))))
}

// scaled returns x times a factor.
func scaled(x *ts.Tensor, factor float64) (*ts.Tensor, error) {
	defer runtime.KeepAlive(x)
	var y unsafe.Pointer
	if err := failure(C.sentweave_scale(x.Ctensor(), C.double(factor), &y)); err != nil {
		return nil, err
	}
	return ts.FromCtensor(y), nil
}

// normalized returns the rows of x over their norms, which are at least least.
func normalized(x *ts.Tensor, least float64) (*ts.Tensor, error) {
	defer runtime.KeepAlive(x)
	var y unsafe.Pointer
	if err := failure(C.sentweave_normalize(x.Ctensor(), C.double(least), &y)); err != nil {
		return nil, err
	}
	return ts.FromCtensor(y), nil
}

// gelu returns the exact one of each element, by the error function.
func gelu(x *ts.Tensor) (*ts.Tensor, error) {
	defer runtime.KeepAlive(x)
	var y unsafe.Pointer
	if err := failure(C.sentweave_gelu(x.Ctensor(), &y)); err != nil {
		return nil, err
	}
	return ts.FromCtensor(y), nil
}

// product returns the product of two matrices, in float32.
func product(x, y *ts.Tensor) (*ts.Tensor, error) {
	defer runtime.KeepAlive([]*ts.Tensor{x, y})
	var z unsafe.Pointer
	if err := failure(C.sentweave_product(x.Ctensor(), y.Ctensor(), &z)); err != nil {
		return nil, err
	}
	return ts.FromCtensor(z), nil
}

// exact returns x in float32.
func exact(x *ts.Tensor) (*ts.Tensor, error) {
	defer runtime.KeepAlive(x)
	var y unsafe.Pointer
	if err := failure(C.sentweave_exact(x.Ctensor(), &y)); err != nil {
		return nil, err
	}
	return ts.FromCtensor(y), nil
}

// group is a run of sentences of the same length. C reads lists of them.
type group struct{ count, length int64 }

// attention is scaled dot-product attention inside of each sentence of the groups,
// whose tokens stand in one list, [tokens, hidden]. The mask, which may be nil, is
// added to the scores.
func attention(query, key, value, mask *ts.Tensor, groups []group, heads int, dropout float64) (*ts.Tensor, error) {
	defer runtime.KeepAlive([]*ts.Tensor{query, key, value, mask})
	var added, mixed unsafe.Pointer
	if mask != nil {
		added = mask.Ctensor()
	}
	list := (*C.int64_t)(unsafe.Pointer(unsafe.SliceData(groups)))
	err := failure(C.sentweave_attention(query.Ctensor(), key.Ctensor(), value.Ctensor(), added, list, C.int(len(groups)), C.int64_t(heads), C.double(dropout), &mixed))
	if err != nil {
		return nil, err
	}
	return ts.FromCtensor(mixed), nil
}

// seed seeds the generators on which dropout and initial values draw.
func seed(n uint64) { C.sentweave_seed(C.uint64_t(n)) }

// drawNormal fills data with normal numbers of the generator.
func drawNormal(data []float32, deviation float64) error {
	return failure(C.sentweave_normal((*C.float)(unsafe.SliceData(data)), C.int64_t(len(data)), C.double(deviation)))
}

// requireGradient makes a tensor a parameter.
func requireGradient(t *ts.Tensor) error {
	defer runtime.KeepAlive(t)
	return failure(C.sentweave_require_gradient(t.Ctensor()))
}

// pointers is a list of tensors as native.cpp takes it. It stands in C's memory,
// since Go's may not hold pointers into C while C looks at it. That memory is zeroed:
// when Go writes a pointer, its collector looks at what stood there before, and ends
// the program if that was an address in Go's memory that is free.
type pointers struct {
	tensors []*ts.Tensor
	list    *unsafe.Pointer
}

func newPointers(tensors []*ts.Tensor) *pointers {
	p := &pointers{tensors: tensors, list: (*unsafe.Pointer)(C.calloc(C.size_t(max(1, len(tensors))), C.size_t(unsafe.Sizeof(uintptr(0)))))}
	for i, t := range tensors {
		unsafe.Slice(p.list, len(tensors))[i] = t.Ctensor()
	}
	return p
}

func (p *pointers) free() { C.free(unsafe.Pointer(p.list)) }

func (p *pointers) n() C.int { return C.int(len(p.tensors)) }

func (p *pointers) zeroGradients() error {
	defer runtime.KeepAlive(p.tensors)
	return failure(C.sentweave_zero_gradients(p.list, p.n()))
}

// gradientNorm returns the norm of all gradients together.
func (p *pointers) gradientNorm() (float64, error) {
	defer runtime.KeepAlive(p.tensors)
	var norm C.double
	err := failure(C.sentweave_gradient_norm(p.list, p.n(), &norm))
	return float64(norm), err
}

func (p *pointers) scaleGradients(factor float64) error {
	defer runtime.KeepAlive(p.tensors)
	return failure(C.sentweave_scale_gradients(p.list, p.n(), C.double(factor)))
}
