//go:build libtorch

package transformer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unsafe"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"

	"sentweave/schemas/fault"
	"sentweave/stages/model"
	"sentweave/stages/model/safetensors"
	"sentweave/stages/torch/native"
)

// Weights are named tensors that belong to a model until free.
type Weights struct {
	Names   []string
	Tensors map[string]*ts.Tensor
}

// NewWeights returns no weights.
func NewWeights() *Weights { return &Weights{Tensors: map[string]*ts.Tensor{}} }

// Put adds a tensor under a new name.
func (w *Weights) Put(name string, t *ts.Tensor) {
	w.Names = append(w.Names, name)
	w.Tensors[name] = t
}

// Free drops all tensors.
func (w *Weights) Free() {
	for _, t := range w.Tensors {
		t.MustDrop()
	}
	*w = Weights{Tensors: map[string]*ts.Tensor{}}
}

// Linear returns the pair of tensors of a layer.
func (w *Weights) Linear(name string) native.Linear {
	return native.Linear{Weight: w.Tensors[name+".weight"], Bias: w.Tensors[name+".bias"]}
}

// Shape is the name and the shape of a parameter.
type Shape struct {
	Name string
	Size []int64
}

// Numbers is how many the parameter has.
func (s Shape) Numbers() int64 {
	n := int64(1)
	for _, d := range s.Size {
		n *= d
	}
	return n
}

// elementTypes are the types of elements that weights may have in a file.
var elementTypes = map[safetensors.DType]native.ElementType{
	safetensors.F32:  native.Float32s,
	safetensors.F16:  native.Float16s,
	safetensors.BF16: native.BFloat16s,
	safetensors.F64:  native.Float64s,
}

// unread are tensors that files of BERTs may hold and that no encoder reads.
func unread(name string) bool {
	return strings.HasSuffix(name, "position_ids") || strings.HasPrefix(name, "pooler.") || strings.HasPrefix(name, "cls.")
}

// Load reads the parameters of the shapes from a file, as float32. Names there may be those of any
// architecture, as model.Canonical has it. Missing tensors and other shapes are one error, with
// tensors that nothing reads unless extra ones are allowed. Memory is that of the parameters, on the CPU.
func Load(path string, shapes []Shape, extra bool) (*Weights, error) {
	return load(path, shapes, extra, func(_ string, t *ts.Tensor) (*ts.Tensor, error) { return t, nil })
}

// LoadReplaced is Load of an encoder without extra tensors, whose layers' products take what a function, native.Quantized or
// native.Prepacked, makes of their weights. Those of which it makes nil stay.
func LoadReplaced(path string, shapes []Shape, replaced func(weight *ts.Tensor) (*ts.Tensor, error)) (*Weights, error) {
	return load(path, shapes, false, func(name string, t *ts.Tensor) (*ts.Tensor, error) {
		if !strings.HasPrefix(name, "encoder.layer.") || t.Dim() != 2 {
			return t, nil
		}
		r, err := replaced(t)
		if err == nil && r == nil {
			return t, nil
		}
		t.MustDrop() // before the next one is read: otherwise memory has all of them twice
		return r, err
	})
}

// load is Load that keeps what a function makes of each tensor, which is the function's own.
func load(path string, shapes []Shape, extra bool, keep func(name string, t *ts.Tensor) (*ts.Tensor, error)) (*Weights, error) {
	f, err := model.OpenWeights(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	tensors := map[string]safetensors.Tensor{}
	for _, t := range f.Tensors {
		name := model.Canonical(t.Name)
		if other, ok := tensors[name]; ok && !unread(name) {
			return nil, fmt.Errorf("%s: %s and %s are the same tensor by two names", path, other.Name, t.Name)
		}
		tensors[name] = t
	}
	if err := match(tensors, shapes, extra); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer native.LockThread()()
	w := NewWeights()
	for _, s := range shapes {
		tensor, err := read(path, f, tensors[s.Name])
		if err == nil {
			tensor, err = keep(s.Name, tensor)
		}
		if err != nil {
			w.Free()
			return nil, err
		}
		w.Put(s.Name, tensor)
	}
	return w, nil
}

// match returns every fault between the tensors of a file and the parameters of
// a model.
func match(tensors map[string]safetensors.Tensor, shapes []Shape, extra bool) error {
	var errs fault.List
	names := map[string]bool{}
	for _, s := range shapes {
		names[s.Name] = true
		t, ok := tensors[s.Name]
		if _, supported := elementTypes[t.DType]; !ok {
			errs.Addf("%s is missing", s.Name)
		} else if !slices.Equal(t.Shape, s.Size) {
			errs.Addf("%s has shape %v, config.json asks for %v", s.Name, t.Shape, s.Size)
		} else if !supported {
			errs.Addf("%s is of type %s, not F64, F32, F16 or BF16: convert it", s.Name, t.DType)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		if !extra && !names[name] && !unread(name) {
			errs.Addf("%s belongs to no part of the model", tensors[name].Name)
		}
	}
	const limit = 5
	if len(errs) > limit {
		errs = append(errs[:limit], fmt.Errorf("and %d more", len(errs)-limit))
	}
	return errs.Err()
}

// read returns a tensor of a file as float32. NaN and infinite numbers are an error: products in int8 and libtorch's attention would hide
// some of them.
func read(path string, f *model.Weights, t safetensors.Tensor) (*ts.Tensor, error) {
	tensor, err := readFloats(f, t)
	if err != nil {
		return nil, err
	}
	finite, err := native.Finite(tensor)
	if err == nil && !finite {
		err = fmt.Errorf("%s: %s holds NaN or infinite numbers: the file is damaged, or its training failed", path, t.Name)
	}
	if err != nil {
		tensor.MustDrop()
		return nil, err
	}
	return tensor, nil
}

// readFloats is read without a check of the numbers. On the CPU the file is read into the tensor's own memory.
func readFloats(f *model.Weights, t safetensors.Tensor) (*ts.Tensor, error) {
	if t.DType != safetensors.F32 || !native.OnCPU() {
		data, err := f.Read(nil, t)
		if err != nil {
			return nil, err
		}
		tensor, err := native.NewTensor(unsafe.Pointer(unsafe.SliceData(data)), t.Shape, elementTypes[t.DType])
		if err != nil || t.DType == safetensors.F32 {
			return tensor, err
		}
		return tensor.Totype(gotch.Float, true)
	}
	tensor, err := ts.Empty(t.Shape, gotch.Float, gotch.CPU)
	if err != nil {
		return nil, err
	}
	memory, err := tensor.DataPtr()
	if err == nil {
		_, err = f.Read(unsafe.Slice((*byte)(memory), t.Bytes), t)
	}
	if err != nil {
		tensor.MustDrop()
		return nil, err
	}
	return tensor, nil
}

// WithBelow returns a view of the weights in which those whose names begin with a prefix
// stand without it.
func (w *Weights) WithBelow(prefix string) *Weights {
	view := NewWeights()
	for _, name := range w.Names {
		view.Put(strings.TrimPrefix(name, prefix), w.Tensors[name])
	}
	return view
}

// Below returns a view of the weights whose names begin with a prefix, without it.
func (w *Weights) Below(prefix string) *Weights {
	view := NewWeights()
	for _, name := range w.Names {
		if stem, ok := strings.CutPrefix(name, prefix); ok {
			view.Put(stem, w.Tensors[name])
		}
	}
	return view
}

// PutFloats adds a tensor of the numbers.
func (w *Weights) PutFloats(name string, data []float32, size ...int64) error {
	t, err := native.NewTensor(unsafe.Pointer(unsafe.SliceData(data)), size, native.Float32s)
	if err == nil {
		w.Put(name, t)
	}
	return err
}
