//go:build libtorch

package torch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

// overPrefixes returns a definition whose loss is the weighted sum of d's over the prefixes
// of vectors that a configuration names (Kusupati et al. 2022, equation 1), or d. Vectors
// are computed once for all of them. What d has beside the encoder it has for each prefix,
// but for what is shared.
func overPrefixes(d definition, c objective.Config) definition {
	p, ok := c.(objective.OverPrefixes)
	if !ok || len(p.Cut().Dimensions) == 0 {
		return d
	}
	prefixes := p.Cut()
	return definition{
		objective: d.objective,
		parameters: func(f *model.Folder, o objective.Config) (list []parameter, err error) {
			if list, err = d.parameters(f, o); err == nil {
				err = p.Fits(d.objective, f.Config.HiddenSize)
			}
			if err != nil {
				return nil, err
			}
			list = slices.DeleteFunc(list, func(p parameter) bool { return !p.shared })
			for _, size := range prefixes.Dimensions {
				cut := *f
				cut.Config.HiddenSize = size
				parts, err := d.parameters(&cut, o)
				if err != nil {
					return nil, err
				}
				for _, parameter := range parts {
					if !parameter.shared {
						parameter.name = prefixName(size) + parameter.name
						list = append(list, parameter)
					}
				}
			}
			return list, nil
		},
		bind: func(n network, o objective.Config) loss {
			cache := map[knownVectors]*ts.Tensor{}
			var losses []loss
			for _, size := range prefixes.Dimensions {
				cut := n
				cut.size, cut.known, cut.weights = int64(size), cache, n.weights.withBelow(prefixName(size))
				losses = append(losses, d.bind(cut, o))
			}
			return func(s *scope, batch objective.Batch) (sum *ts.Tensor) {
				defer clear(cache) // the scope frees them
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

// knownVectors names vectors: those that a part of a loss has of sequences.
type knownVectors struct {
	of   string
	whom *objective.Sequences
}

// prefix returns the prefix of vectors that a loss sees. Other losses over prefixes have the
// vectors of the same name computed once, with one dropout.
func (n network) prefix(s *scope, name knownVectors, compute func() *ts.Tensor) *ts.Tensor {
	if n.size == 0 {
		return compute()
	}
	if n.known[name] == nil {
		n.known[name] = compute()
	}
	return s.narrow(n.known[name], 1, 0, n.size)
}

// withBelow returns a view of the weights in which those whose names begin with a prefix
// stand without it.
func (w *weights) withBelow(prefix string) *weights {
	view := newWeights()
	for _, name := range w.names {
		view.put(strings.TrimPrefix(name, prefix), w.tensors[name])
	}
	return view
}

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
