//go:build libtorch

package torch

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
)

// linear are the weight and the bias of a linear layer or of a LayerNorm.
type linear struct{ weight, bias *ts.Tensor }

// weights are named tensors that belong to a model until free.
type weights struct {
	names   []string
	tensors map[string]*ts.Tensor
}

func newWeights() *weights { return &weights{tensors: map[string]*ts.Tensor{}} }

func (w *weights) put(name string, t *ts.Tensor) {
	w.names = append(w.names, name)
	w.tensors[name] = t
}

// free drops all tensors.
func (w *weights) free() {
	for _, t := range w.tensors {
		t.MustDrop()
	}
	*w = weights{tensors: map[string]*ts.Tensor{}}
}

// linear returns the pair of tensors of a layer.
func (w *weights) linear(name string) linear {
	return linear{w.tensors[name+".weight"], w.tensors[name+".bias"]}
}

// shape is the name and the shape of a parameter.
type shape struct {
	name string
	size []int64
}

// numbers is how many the parameter has.
func (s shape) numbers() int64 {
	n := int64(1)
	for _, d := range s.size {
		n *= d
	}
	return n
}

// elementTypes are the types of elements that weights may have in a file.
var elementTypes = map[safetensors.DType]elementType{safetensors.F32: float32s, safetensors.F16: float16s, safetensors.BF16: bfloat16s}

// unread are tensors that files of BERTs may hold and that no encoder reads.
func unread(name string) bool {
	return strings.HasSuffix(name, "position_ids") || strings.HasPrefix(name, "pooler.") || strings.HasPrefix(name, "cls.")
}

// canonical returns the name by which this package knows a tensor of a file.
func canonical(name string) string {
	name = strings.TrimPrefix(name, "bert.")
	if stem, ok := strings.CutSuffix(name, ".gamma"); ok {
		return stem + ".weight"
	}
	if stem, ok := strings.CutSuffix(name, ".beta"); ok {
		return stem + ".bias"
	}
	return name
}

// load reads the parameters of the shapes from a file, as float32. Names may
// stand after the prefix "bert." and may end in gamma and beta. Missing tensors
// and other shapes are one error, with tensors that nothing reads unless extra
// ones are allowed.
func load(path string, shapes []shape, extra bool) (*weights, error) {
	f, err := safetensors.Open(path)
	if err != nil {
		return nil, model.OtherWeights(path, err)
	}
	defer f.Close()
	tensors := map[string]safetensors.Tensor{}
	for _, t := range f.Tensors {
		tensors[canonical(t.Name)] = t
	}
	if err := match(tensors, shapes, extra); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer lockThread()()
	w := newWeights()
	var buffer []byte
	for _, s := range shapes {
		var tensor *ts.Tensor
		if buffer, err = f.Read(buffer, tensors[s.name]); err == nil {
			tensor, err = fromFile(buffer, tensors[s.name])
		}
		if err != nil {
			w.free()
			return nil, err
		}
		w.put(s.name, tensor)
	}
	return w, nil
}

// match returns every fault between the tensors of a file and the parameters of
// a model.
func match(tensors map[string]safetensors.Tensor, shapes []shape, extra bool) error {
	var errs fault.List
	names := map[string]bool{}
	for _, s := range shapes {
		names[s.name] = true
		t, ok := tensors[s.name]
		if _, supported := elementTypes[t.DType]; !ok {
			errs.Addf("%s is missing", s.name)
		} else if !slices.Equal(t.Shape, s.size) {
			errs.Addf("%s has shape %v, config.json asks for %v", s.name, t.Shape, s.size)
		} else if !supported {
			errs.Addf("%s is of type %s, not F32, F16 or BF16: convert it", s.name, t.DType)
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

// fromFile returns a tensor as float32.
func fromFile(data []byte, t safetensors.Tensor) (*ts.Tensor, error) {
	tensor, err := newTensor(unsafe.Pointer(unsafe.SliceData(data)), t.Shape, elementTypes[t.DType])
	if err != nil || t.DType == safetensors.F32 {
		return tensor, err
	}
	return tensor.Totype(gotch.Float, true)
}
