//go:build libtorch

package transformer

import (
	"fmt"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/torch/native"
)

// LensName is the name of a lens, which is saved as a part of the encoder, and of its last
// layer.
const LensName = "lens"

// branches are the two networks of the GatedConv encoder.
var branches = []string{"encoder", "controller"}

// LensShapes lists the parameters of a lens: of a Simple one a layer, of a GatedConv the
// layers of both branches, and the layer of the fusion. The weight of a convolution is
// [gate, width × gate], of the token farthest to the left first.
func LensShapes(c model.Config, size int, gate model.GatedConv) (list []Shape) {
	inputs := int64(c.HiddenSize)
	if gate.Size > 0 {
		for _, branch := range branches {
			columns := inputs
			for i := range gate.Layers + 1 {
				name := fmt.Sprintf("%s.%s.%d", LensName, branch, i)
				list = append(list, Shape{name + ".weight", []int64{int64(gate.Size), columns}},
					Shape{name + ".bias", []int64{int64(gate.Size)}})
				columns = int64(gate.Size * gate.Width)
			}
		}
		inputs = int64(gate.Size)
	}
	return append(list, Shape{LensName + ".weight", []int64{int64(size), inputs}}, Shape{LensName + ".bias", []int64{int64(size)}})
}

// LensLayers are those of a lens.
type LensLayers struct {
	gate     model.GatedConv
	branches [2][]native.Linear
	last     native.Linear
}

// NewLensLayers binds the layers of a lens to weights.
func NewLensLayers(w *Weights, gate model.GatedConv) LensLayers {
	l := LensLayers{gate: gate, last: w.Linear(LensName)}
	if gate.Size > 0 {
		for b, branch := range branches {
			for i := range gate.Layers + 1 {
				l.branches[b] = append(l.branches[b], w.Linear(fmt.Sprintf("%s.%s.%d", LensName, branch, i)))
			}
		}
	}
	return l
}

// Values returns what the lens makes of tokens, [tokens, size], from the vectors of the
// encoder's last layer, [tokens, hidden]: ReLU(W x + b), where x is the vector itself or, of
// a GatedConv, tanh(H) ∘ sigmoid(G) plus the first layer of a branch (Kiros 2020, equations
// 1 to 4).
func (l LensLayers) Values(s *native.Scope, x *ts.Tensor, groups []native.Group) *ts.Tensor {
	if l.gate.Size > 0 {
		var first, last [2]*ts.Tensor
		for b, layers := range l.branches {
			h := s.ReLU(s.Linear(x, layers[0]))
			first[b] = h
			for i, layer := range layers[1:] {
				h = s.Linear(windows(s, h, groups, int64(l.gate.Width)), layer)
				switch {
				case i < len(layers)-2:
					h = s.ReLU(h)
				case b == 0:
					h = s.Tanh(h)
				default:
					h = s.Sigmoid(h)
				}
			}
			last[b] = h
		}
		skip := first[1]
		if l.gate.Skip == model.SkipEncoder {
			skip = first[0]
		}
		x = s.Add(s.Multiply(last[0], last[1]), skip)
	}
	return s.ReLU(s.Linear(x, l.last))
}

// windows returns for each token of the groups, [tokens, size], the vectors of the tokens
// around it in its sentence, [tokens, width × size]; they are 0 beyond its ends.
func windows(s *native.Scope, x *ts.Tensor, groups []native.Group, width int64) *ts.Tensor {
	shifted := make([]*ts.Tensor, 0, width)
	for shift := -(width / 2); shift <= width/2; shift++ {
		if shift == 0 {
			shifted = append(shifted, x)
			continue
		}
		var rows []int64
		for _, g := range groups {
			for range g.Count {
				start := int64(len(rows))
				for k := range g.Length {
					row := int64(-1)
					if k+shift >= 0 && k+shift < g.Length {
						row = start + k + shift
					}
					rows = append(rows, row)
				}
			}
		}
		shifted = append(shifted, s.Arrange(x, s.Arrangement(rows, len(rows))))
	}
	return s.Concatenate(1, shifted...)
}
