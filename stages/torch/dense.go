//go:build libtorch

package torch

import (
	"fmt"
	"path/filepath"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
)

// dense are the layers of a folder between pooling and Normalize.
type dense struct {
	linear
	activation model.Activation
}

// denseShapes lists the parameters of a layer.
func denseShapes(d model.Dense) []shape {
	list := []shape{{"linear.weight", []int64{int64(d.Out), int64(d.In)}}}
	if d.Bias {
		list = append(list, shape{"linear.bias", []int64{int64(d.Out)}})
	}
	return list
}

// loadDense reads the layers of a folder into weights, which own them from then on.
func loadDense(f *model.Folder, w *weights) (layers []dense, err error) {
	for i, d := range f.Dense {
		loaded, err := load(filepath.Join(f.Path, d.Path, model.WeightsName), denseShapes(d), false)
		if err != nil {
			return nil, err
		}
		for _, name := range loaded.names {
			w.put(fmt.Sprint("dense.", i, ".", name), loaded.tensors[name])
		}
		layers = append(layers, dense{w.linear(fmt.Sprint("dense.", i, ".linear")), d.Activation})
	}
	return layers, nil
}

// through sends vectors, [count, size], through the layers. Few of them go with copies of
// the first one, as Encode says.
func (s *scope) through(x *ts.Tensor, layers []dense, count, size int64) *ts.Tensor {
	if len(layers) == 0 || s.err != nil {
		return x
	}
	if count < leastTokens {
		x = s.concatenate(0, x, s.spread(s.narrow(x, 0, 0, 1), leastTokens-count, 1, size))
	}
	for _, l := range layers {
		if l.bias != nil {
			x = s.linear(x, l.linear)
		} else {
			x = s.product(x, s.transpose(l.weight, 0, 1))
		}
		switch l.activation {
		case model.ReLU:
			x = s.relu(x)
		case model.Tanh:
			x = s.tanh(x)
		}
	}
	return s.narrow(x, 0, 0, count)
}
