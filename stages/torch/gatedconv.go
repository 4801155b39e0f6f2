//go:build libtorch

package torch

import (
	"fmt"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
)

// lensName is the name of a lens, which is saved as a part of the encoder, and of its last
// layer.
const lensName = "lens"

// branches are the two networks of the GatedConv encoder.
var branches = []string{"encoder", "controller"}

// lensShapes lists the parameters of a lens: of a Simple one a layer, of a GatedConv the
// layers of both branches, and the layer of the fusion. The weight of a convolution is
// [gate, width × gate], of the token farthest to the left first.
func lensShapes(c model.Config, size int, gate model.GatedConv) (list []shape) {
	inputs := int64(c.HiddenSize)
	if gate.Size > 0 {
		for _, branch := range branches {
			columns := inputs
			for i := range gate.Layers + 1 {
				name := fmt.Sprintf("%s.%s.%d", lensName, branch, i)
				list = append(list, shape{name + ".weight", []int64{int64(gate.Size), columns}}, shape{name + ".bias", []int64{int64(gate.Size)}})
				columns = int64(gate.Size * gate.Width)
			}
		}
		inputs = int64(gate.Size)
	}
	return append(list, shape{lensName + ".weight", []int64{int64(size), inputs}}, shape{lensName + ".bias", []int64{int64(size)}})
}

// lensLayers are those of a lens.
type lensLayers struct {
	gate     model.GatedConv
	branches [2][]linear
	last     linear
}

func newLensLayers(w *weights, gate model.GatedConv) lensLayers {
	l := lensLayers{gate: gate, last: w.linear(lensName)}
	if gate.Size > 0 {
		for b, branch := range branches {
			for i := range gate.Layers + 1 {
				l.branches[b] = append(l.branches[b], w.linear(fmt.Sprintf("%s.%s.%d", lensName, branch, i)))
			}
		}
	}
	return l
}

// values returns what the lens makes of tokens, [tokens, size], from the vectors of the
// encoder's last layer, [tokens, hidden]: ReLU(W x + b), where x is the vector itself or, of
// a GatedConv, tanh(H) ∘ sigmoid(G) plus the first layer of a branch (Kiros 2020, equations
// 1 to 4).
func (l lensLayers) values(s *scope, x *ts.Tensor, groups []group) *ts.Tensor {
	if l.gate.Size > 0 {
		var first, last [2]*ts.Tensor
		for b, layers := range l.branches {
			h := s.relu(s.linear(x, layers[0]))
			first[b] = h
			for i, layer := range layers[1:] {
				h = s.linear(s.windows(h, groups, int64(l.gate.Width)), layer)
				switch {
				case i < len(layers)-2:
					h = s.relu(h)
				case b == 0:
					h = s.tanh(h)
				default:
					h = s.sigmoid(h)
				}
			}
			last[b] = h
		}
		skip := first[1]
		if l.gate.Skip == model.SkipEncoder {
			skip = first[0]
		}
		x = s.add(s.multiply(last[0], last[1]), skip)
	}
	return s.relu(s.linear(x, l.last))
}

// windows returns for each token of the groups, [tokens, size], the vectors of the tokens
// around it in its sentence, [tokens, width × size]; they are 0 beyond its ends.
func (s *scope) windows(x *ts.Tensor, groups []group, width int64) *ts.Tensor {
	shifted := make([]*ts.Tensor, 0, width)
	for shift := -(width / 2); shift <= width/2; shift++ {
		if shift == 0 {
			shifted = append(shifted, x)
			continue
		}
		var rows []int64
		for _, g := range groups {
			for range g.count {
				start := int64(len(rows))
				for k := range g.length {
					row := int64(-1)
					if k+shift >= 0 && k+shift < g.length {
						row = start + k + shift
					}
					rows = append(rows, row)
				}
			}
		}
		shifted = append(shifted, s.arrange(x, s.arrangement(rows, len(rows))))
	}
	return s.concatenate(1, shifted...)
}
