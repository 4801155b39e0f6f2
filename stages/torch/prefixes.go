//go:build libtorch

package torch

import (
	"fmt"
	"strings"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

// overPrefixes returns a definition whose loss is the weighted sum of d's over the prefixes
// of vectors that a configuration names (Kusupati et al. 2022, equation 1), or d. Vectors
// are computed once for all of them. What d has beside the encoder it has for each prefix.
func overPrefixes(d definition, c objective.Config) definition {
	p, ok := c.(interface{ Cut() *objective.Prefixes })
	if !ok || len(p.Cut().Dimensions) == 0 {
		return d
	}
	prefixes := p.Cut()
	return definition{
		objective: d.objective,
		parameters: func(f *model.Folder, o objective.Config) (list []parameter, err error) {
			if err := prefixes.Fits(d.objective, f.Config.HiddenSize); err != nil {
				return nil, err
			}
			for _, size := range prefixes.Dimensions {
				cut := *f
				cut.Config.HiddenSize = size
				own, err := d.parameters(&cut, o)
				if err != nil {
					return nil, err
				}
				for _, parameter := range own {
					parameter.name = prefixName(size) + parameter.name
					list = append(list, parameter)
				}
			}
			return list, nil
		},
		bind: func(n network, o objective.Config) loss {
			known := map[*objective.Sequences]*ts.Tensor{}
			var losses []loss
			for _, size := range prefixes.Dimensions {
				cut := n
				cut.size, cut.known, cut.weights = int64(size), known, n.weights.below(prefixName(size))
				losses = append(losses, d.bind(cut, o))
			}
			return func(s *scope, batch objective.Batch) (sum *ts.Tensor) {
				defer clear(known) // the scope frees them
				for i, loss := range losses {
					term := s.scale(loss(s, batch), prefixes.Share(i))
					if sum == nil {
						sum = term
					} else {
						sum = s.add(sum, term)
					}
				}
				return sum
			}
		},
	}
}

// prefixName begins the names of what an objective has for a prefix of vectors.
func prefixName(size int) string { return fmt.Sprintf("prefix_%d.", size) }

// below returns a view of the weights whose names begin with a prefix, without it.
func (w *weights) below(prefix string) *weights {
	view := newWeights()
	for _, name := range w.names {
		if stem, ok := strings.CutPrefix(name, prefix); ok {
			view.put(stem, w.tensors[name])
		}
	}
	return view
}
