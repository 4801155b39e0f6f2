//go:build libtorch

package losses

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"
)

// losses lists what the objectives have here, in the order of objective.List, which is
// that of their parameters.
var losses = []Definition{
	cmlmLoss,
	bitextLoss,
	mlmLoss,
	mseLoss,
	nliLoss,
	cosineLoss,
	contrastiveLoss,
	bslLoss,
	lensLoss,
	classifyLoss,
	nspLoss,
	quickThoughtLoss,
}

// Definition is what an objective has here: its parameters and its loss.
type Definition struct {
	Objective string
	// parameters lists what the objective has beside the encoder. The error says why
	// its configuration does not fit the folder's.
	parameters func(f *model.Folder, o objective.Config) ([]Parameter, error)
	// Bind returns the loss over the weights of a trainer.
	Bind func(n Network, o objective.Config) Loss
}

// Parameter is a tensor that an objective has beside the encoder. It is saved with the
// encoder, and a resumed training goes on with it.
type Parameter struct {
	transformer.Shape
	// Initial are its first values. Nil draws matrices, and takes 1 for the weights of
	// norms and 0 for all else.
	Initial []float32
	// State says that the optimizer leaves it alone: the loss keeps it by itself, as
	// running statistics are.
	State bool
	// Follows names a parameter of the encoder, whose values it takes at the start, and
	// to which it moves after each step of the optimizer: it becomes momentum × itself +
	// (1 − momentum) × the other. It is state, and stands with the optimizer's: what is
	// trained further begins with a new one.
	Follows  string
	Momentum float64
	// shared says that losses over prefixes of vectors have one of it, that of whole vectors.
	shared bool
}

// single is a parameter that is drawn.
func single(name string, size ...int64) Parameter {
	return Parameter{Shape: transformer.Shape{Name: name, Size: size}}
}

// layerParameters are the weight and the bias of a linear layer.
func layerParameters(name string, outputs, inputs int64) []Parameter {
	return []Parameter{single(name+".weight", outputs, inputs), single(name+".bias", outputs)}
}

// Network is what a loss is computed with.
type Network struct {
	*transformer.BERT
	Folder *model.Folder
	// Weights are those of the encoder and of all objectives of the trainer.
	Weights *transformer.Weights
	// size is that of the prefix of vectors that a loss sees, 0 for all of them, and
	// known are the vectors of the batch at hand that another loss over prefixes has made.
	size  int64
	known map[knownVectors]*ts.Tensor
	// Cache has the vectors of a batch computed a chunk at a time; nil computes all of them together.
	Cache *Cache
}

// sentences returns the vectors of whole sequences, or their prefixes.
func (n Network) sentences(s *native.Scope, q *objective.Sequences, pooling model.Pooling) *ts.Tensor {
	return n.prefix(s, knownVectors{"", q}, func() *ts.Tensor { return n.encode(s, n.BERT, q, pooling) })
}

// encode returns the vectors of whole sequences by an encoder.
func (n Network) encode(s *native.Scope, b *transformer.BERT, q *objective.Sequences, pooling model.Pooling) *ts.Tensor {
	return n.Cache.vectors(s, q, func(s *native.Scope, p transformer.Packed) *ts.Tensor { return b.Sentences(s, p, pooling) })
}

// Loss returns the loss of a batch: a number, or a vector of its parts where these are means
// over different items.
type Loss func(s *native.Scope, batch objective.Batch) *ts.Tensor

// define makes a definition of functions that know the types of their objective's
// configuration and batch. Parameters may be nil.
func define[C objective.Config, B objective.Batch](
	name string,
	parameters func(f *model.Folder, o C) ([]Parameter, error),
	bind func(n Network, o C) func(s *native.Scope, batch B) *ts.Tensor,
) Definition {
	return Definition{
		Objective: name,
		parameters: func(f *model.Folder, o objective.Config) ([]Parameter, error) {
			config, ok := o.(C)
			if !ok {
				return nil, fmt.Errorf("%s is configured by a %T, not a %T", name, config, o)
			}
			if err := config.Check(); err != nil || parameters == nil {
				return nil, err
			}
			return parameters(f, config)
		},
		Bind: func(n Network, o objective.Config) Loss {
			if of, _ := objective.Find(name); of.Predicts {
				n.Cache = nil // most of what it keeps is of tokens
			}
			compute := bind(n, o.(C)) // parameters has looked at the type
			return func(s *native.Scope, batch objective.Batch) *ts.Tensor {
				b, ok := batch.(B)
				if !ok {
					s.Err = fmt.Errorf("a batch of %s is a %T, not a %T", name, b, batch)
					return nil
				}
				return compute(s, b)
			}
		},
	}
}

// DefinitionsOf returns those of the objectives that take part.
func DefinitionsOf(settings objective.Settings) (list []Definition, err error) {
	var names []string
	for _, d := range losses {
		names = append(names, d.Objective)
		if c, ok := settings[d.Objective]; ok {
			list = append(list, overPrefixes(d, c))
		}
	}
	if expected := objective.Names(); !slices.Equal(names, expected) {
		return nil, fmt.Errorf("there are losses of %q and objectives %q: the lists in stages/torch/losses and stages/objective must agree",
			names,
			expected)
	}
	return list, nil
}

// ParametersOf lists the parameters of an encoder, and then what objectives have beside
// it; what several have is one.
func ParametersOf(f *model.Folder, list []Definition, settings objective.Settings) (encoder int, parameters []Parameter, err error) {
	errs := []error{f.Config.Validate()}
	for _, s := range transformer.Shapes(f.Config) {
		parameters = append(parameters, Parameter{Shape: s})
	}
	encoder = len(parameters)
	for _, d := range list {
		extra, err := d.parameters(f, settings[d.Objective])
		errs = append(errs, err)
		for _, p := range extra {
			if !slices.ContainsFunc(parameters, func(o Parameter) bool { return o.Name == p.Name }) {
				parameters = append(parameters, p)
			}
		}
	}
	return encoder, parameters, errors.Join(errs...)
}
