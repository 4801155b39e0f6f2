//go:build libtorch

package losses

import (
	"fmt"
	"slices"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
)

// overPrefixes returns a definition whose loss is the weighted sum of d's over the prefixes
// of vectors that a configuration names (Kusupati et al. 2022, equation 1), or d. Vectors
// are computed once for all of them. What d has beside the encoder it has for each prefix,
// but for what is shared.
func overPrefixes(d Definition, c objective.Config) Definition {
	p, ok := c.(objective.OverPrefixes)
	if !ok || len(p.Cut().Dimensions) == 0 {
		return d
	}
	prefixes := p.Cut()
	return Definition{
		Objective: d.Objective,
		parameters: func(f *model.Folder, o objective.Config) (list []Parameter, err error) {
			if list, err = d.parameters(f, o); err == nil {
				err = p.Fits(d.Objective, f.Config.HiddenSize)
			}
			if err != nil {
				return nil, err
			}
			list = slices.DeleteFunc(list, func(p Parameter) bool { return !p.shared })
			for _, size := range prefixes.Dimensions {
				cut := *f
				cut.Config.HiddenSize = size
				parts, err := d.parameters(&cut, o)
				if err != nil {
					return nil, err
				}
				for _, parameter := range parts {
					if !parameter.shared {
						parameter.Name = prefixName(size) + parameter.Name
						list = append(list, parameter)
					}
				}
			}
			return list, nil
		},
		Bind: func(n Network, o objective.Config) Loss {
			cache := map[knownVectors]*ts.Tensor{}
			var losses []Loss
			for _, size := range prefixes.Dimensions {
				cut := n
				cut.size, cut.known, cut.Weights = int64(size), cache, n.Weights.WithBelow(prefixName(size))
				losses = append(losses, d.Bind(cut, o))
			}
			return func(s *native.Scope, batch objective.Batch) (sum *ts.Tensor) {
				defer clear(cache) // the scope frees them
				for i, loss := range losses {
					term := s.Scale(loss(s, batch), prefixes.Share(i))
					if sum == nil {
						sum = term
					} else {
						sum = s.Add(sum, term)
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
func (n Network) prefix(s *native.Scope, name knownVectors, compute func() *ts.Tensor) *ts.Tensor {
	if n.size == 0 {
		return compute()
	}
	if n.known[name] == nil {
		n.known[name] = compute()
	}
	return s.Narrow(n.known[name], 1, 0, n.size)
}
