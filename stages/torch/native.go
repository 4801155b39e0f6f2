//go:build libtorch

package torch

// #cgo CXXFLAGS: -std=c++17 -O2
// #cgo LDFLAGS: -lstdc++ -ltorch_cpu -lc10 -ldl
// #include <stdlib.h>
// #include "native.h"
import "C"

import (
	_ "embed"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
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
	int32s    elementType = C.SENTWEAVE_INT32
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

// normalized returns the rows of x over their norms, which are at least the minimum.
func normalized(x *ts.Tensor, minimum float64) (*ts.Tensor, error) {
	defer runtime.KeepAlive(x)
	var y unsafe.Pointer
	if err := failure(C.sentweave_normalize(x.Ctensor(), C.double(minimum), &y)); err != nil {
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

// group is a run of sequences of the same length. C reads lists of them.
type group struct{ count, length int64 }

// attendsAtOnce says whether attention of so many values a head takes sequences of all
// lengths in one call: flash attention on a GPU does, in bfloat16.
func attendsAtOnce(headSize int) bool { return C.sentweave_attends_at_once(C.int64_t(headSize)) != 0 }

// attention is that of scope.
func attention(x *ts.Tensor, query, key, value linear, sequences layout, heads int, dropout float64) (*ts.Tensor, error) {
	six := newPointers([]*ts.Tensor{query.weight, key.weight, value.weight, query.bias, key.bias, value.bias})
	defer six.free()
	defer runtime.KeepAlive([]any{x, six, sequences.ends})
	var ends, mixed unsafe.Pointer
	if sequences.ends != nil {
		ends = sequences.ends.Ctensor()
	}
	list := (*C.int64_t)(unsafe.Pointer(unsafe.SliceData(sequences.groups)))
	err := failure(C.sentweave_attention(x.Ctensor(), six.list, ends, list, C.int(len(sequences.groups)), C.int64_t(heads),
		C.double(dropout), &mixed))
	if err != nil {
		return nil, err
	}
	return ts.FromCtensor(mixed), nil
}

//go:embed fused.cu
var kernels string

func init() {
	text := C.CString(kernels) // for as long as the program runs
	C.sentweave_kernels(text)
}

// alwaysPad has what pads on a GPU pad on the CPU, too.
func alwaysPad(enabled bool) {
	var flag C.int
	if enabled {
		flag = 1
	}
	C.sentweave_pad(flag)
}

// fuseKernels says whether the kernels of fused.cu are used where they can be.
func fuseKernels(enabled bool) {
	var flag C.int
	if enabled {
		flag = 1
	}
	C.sentweave_fuse(flag)
}

// unfused says why the kernels do not run for rows of so many values; nil where they do, or
// where they need not: on the CPU.
func unfused(hidden int) error {
	row := make([]float32, hidden)
	x, err := newTensor(unsafe.Pointer(unsafe.SliceData(row)), []int64{1, int64(hidden)}, float32s)
	if err != nil {
		return err
	}
	defer x.MustDrop()
	return failure(C.sentweave_unfused(x.Ctensor()))
}

// pool is that of scope.
func pool(x *ts.Tensor, groups []group, pooling model.Pooling, skipped int64) (*ts.Tensor, error) {
	defer runtime.KeepAlive(x)
	kind := C.int(C.SENTWEAVE_MEAN)
	switch pooling {
	case model.Max, model.Lens:
		kind = C.SENTWEAVE_MAX
	case model.CLS:
		kind = C.SENTWEAVE_FIRST
	}
	var pooled unsafe.Pointer
	list := (*C.int64_t)(unsafe.Pointer(unsafe.SliceData(groups)))
	if err := failure(C.sentweave_pool(x.Ctensor(), list, C.int(len(groups)), kind, C.int64_t(skipped), &pooled)); err != nil {
		return nil, err
	}
	return ts.FromCtensor(pooled), nil
}

// crossEntropy is that of scope.
func crossEntropy(logits, targets *ts.Tensor) (*ts.Tensor, error) {
	defer runtime.KeepAlive([]*ts.Tensor{logits, targets})
	var loss unsafe.Pointer
	if err := failure(C.sentweave_cross_entropy(logits.Ctensor(), targets.Ctensor(), &loss)); err != nil {
		return nil, err
	}
	return ts.FromCtensor(loss), nil
}

// arrange is that of scope, of an arrangement with places.
func arrange(x *ts.Tensor, a arrangement) (*ts.Tensor, error) {
	defer runtime.KeepAlive([]*ts.Tensor{x, a.rows, a.places})
	var y unsafe.Pointer
	if err := failure(C.sentweave_arrange(x.Ctensor(), a.rows.Ctensor(), a.places.Ctensor(), &y)); err != nil {
		return nil, err
	}
	return ts.FromCtensor(y), nil
}

// layerNorm is that of scope.
func layerNorm(x *ts.Tensor, n linear, epsilon float64) (*ts.Tensor, error) {
	defer runtime.KeepAlive([]*ts.Tensor{x, n.weight, n.bias})
	var y unsafe.Pointer
	if err := failure(C.sentweave_layer_norm(x.Ctensor(), n.weight.Ctensor(), n.bias.Ctensor(), C.double(epsilon), &y)); err != nil {
		return nil, err
	}
	return ts.FromCtensor(y), nil
}

// addNorm is that of scope.
func addNorm(x *ts.Tensor, l linear, residual *ts.Tensor, n linear, epsilon, dropout float64) (*ts.Tensor, error) {
	defer runtime.KeepAlive([]*ts.Tensor{x, l.weight, l.bias, residual, n.weight, n.bias})
	var y unsafe.Pointer
	err := failure(C.sentweave_add_norm(x.Ctensor(), l.weight.Ctensor(), l.bias.Ctensor(), residual.Ctensor(), n.weight.Ctensor(), n.bias.Ctensor(), C.double(epsilon), C.double(dropout), &y))
	if err != nil {
		return nil, err
	}
	return ts.FromCtensor(y), nil
}

// linearGELU is that of scope.
func linearGELU(x *ts.Tensor, l linear) (*ts.Tensor, error) {
	defer runtime.KeepAlive([]*ts.Tensor{x, l.weight, l.bias})
	var y unsafe.Pointer
	if err := failure(C.sentweave_linear_gelu(x.Ctensor(), l.weight.Ctensor(), l.bias.Ctensor(), &y)); err != nil {
		return nil, err
	}
	return ts.FromCtensor(y), nil
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
