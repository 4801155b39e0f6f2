//go:build libtorch

package transformer

import (
	"fmt"
	"path/filepath"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/torch/native"
)

// Dense are the layers of a folder between pooling and Normalize.
type Dense struct {
	native.Linear
	activation model.Activation
}

// denseShapes lists the parameters of a layer.
func denseShapes(d model.Dense) []Shape {
	list := []Shape{{"linear.weight", []int64{int64(d.Out), int64(d.In)}}}
	if d.Bias {
		list = append(list, Shape{"linear.bias", []int64{int64(d.Out)}})
	}
	return list
}

// LoadDense reads the layers of a folder into weights, which own them from then on.
func LoadDense(f *model.Folder, w *Weights) (layers []Dense, err error) {
	for i, d := range f.Dense {
		loaded, err := Load(filepath.Join(f.Path, d.Path, model.WeightsName), denseShapes(d), false)
		if err != nil {
			return nil, err
		}
		for _, name := range loaded.Names {
			w.Put(fmt.Sprint("dense.", i, ".", name), loaded.Tensors[name])
		}
		layers = append(layers, Dense{w.Linear(fmt.Sprint("dense.", i, ".linear")), d.Activation})
	}
	return layers, nil
}

// ThroughDense sends vectors, [count, size], through the layers. Few of them go with copies of
// the first one, as Encode says.
func ThroughDense(s *native.Scope, x *ts.Tensor, layers []Dense, count, size int64) *ts.Tensor {
	if len(layers) == 0 || s.Err != nil {
		return x
	}
	if count < LeastTokens {
		x = s.Concatenate(0, x, s.Spread(s.Narrow(x, 0, 0, 1), LeastTokens-count, 1, size))
	}
	for _, l := range layers {
		if l.Bias != nil {
			x = s.Linear(x, l.Linear)
		} else {
			x = s.Product(x, s.Transpose(l.Weight, 0, 1))
		}
		switch l.activation {
		case model.ReLU:
			x = s.ReLU(x)
		case model.Tanh:
			x = s.Tanh(x)
		case model.DenseGELU:
			x = s.Activate(x, model.GELU)
		}
	}
	return s.Narrow(x, 0, 0, count)
}
