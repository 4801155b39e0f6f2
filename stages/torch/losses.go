//go:build libtorch

package torch

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

// losses lists what the objectives have here, in the order of objective.All, which is
// that of their parameters.
var losses = []definition{cmlmLoss, bitextLoss, mlmLoss, mseLoss, nliLoss, cosineLoss, contrastiveLoss, bslLoss, lensLoss, classifyLoss, nspLoss, quickThoughtLoss}

// definition is what an objective has here: its parameters and its loss.
type definition struct {
	objective string
	// parameters lists what the objective has beside the encoder. The error says why
	// its configuration does not fit the folder's.
	parameters func(f *model.Folder, o objective.Config) ([]parameter, error)
	// bind returns the loss over the weights of a trainer.
	bind func(n network, o objective.Config) loss
}

// parameter is a tensor that an objective has beside the encoder. It is saved with the
// encoder, and a resumed training goes on with it.
type parameter struct {
	shape
	// initial are its first values. Nil draws matrices, and takes 1 for the weights of
	// norms and 0 for all else.
	initial []float32
	// state says that the optimizer leaves it alone: the loss keeps it by itself, as
	// running statistics are.
	state bool
	// follows names a parameter of the encoder, whose values it takes at the start, and
	// to which it moves after each step of the optimizer: it becomes momentum × itself +
	// (1 − momentum) × the other. It is state, and stands with the optimizer's: what is
	// trained further begins with a new one.
	follows  string
	momentum float64
	// shared says that losses over prefixes of vectors have one of it, that of whole vectors.
	shared bool
}

// network is what a loss is computed with.
type network struct {
	*bert
	folder *model.Folder
	// weights are those of the encoder and of all objectives of the trainer.
	weights *weights
	// size is that of the prefix of vectors that a loss sees, 0 for all of them, and
	// known are the vectors of the batch at hand that another loss over prefixes has made.
	size  int64
	known map[knownVectors]*ts.Tensor
}

// sentences returns the vectors of whole sequences, or their prefixes.
func (n network) sentences(s *scope, q *objective.Sequences, pooling model.Pooling) *ts.Tensor {
	return n.prefix(s, knownVectors{"", q}, func() *ts.Tensor { return n.bert.sentences(s, q, pooling) })
}

// loss returns the loss of a batch: a number, or a vector of its parts where these are means
// over different items.
type loss func(s *scope, batch objective.Batch) *ts.Tensor

// define makes a definition of functions that know the types of their objective's
// configuration and batch. Parameters may be nil.
func define[C objective.Config, B objective.Batch](
	name string,
	parameters func(f *model.Folder, o C) ([]parameter, error),
	bind func(n network, o C) func(s *scope, batch B) *ts.Tensor,
) definition {
	return definition{
		objective: name,
		parameters: func(f *model.Folder, o objective.Config) ([]parameter, error) {
			config, ok := o.(C)
			if !ok {
				return nil, fmt.Errorf("%s is configured by a %T, not a %T", name, config, o)
			}
			if err := config.Check(); err != nil || parameters == nil {
				return nil, err
			}
			return parameters(f, config)
		},
		bind: func(n network, o objective.Config) loss {
			compute := bind(n, o.(C)) // parameters has looked at the type
			return func(s *scope, batch objective.Batch) *ts.Tensor {
				b, ok := batch.(B)
				if !ok {
					s.err = fmt.Errorf("a batch of %s is a %T, not a %T", name, b, batch)
					return nil
				}
				return compute(s, b)
			}
		},
	}
}

// definitionsOf returns those of the objectives that take part.
func definitionsOf(settings objective.Settings) (list []definition, err error) {
	var names []string
	for _, d := range losses {
		names = append(names, d.objective)
		if c, ok := settings[d.objective]; ok {
			list = append(list, overPrefixes(d, c))
		}
	}
	if expected := objective.Names(); !slices.Equal(names, expected) {
		return nil, fmt.Errorf("there are losses of %q and objectives %q: the lists in stages/torch and stages/objective must agree", names,
			expected)
	}
	return list, nil
}

// parametersOf lists the parameters of an encoder, and then what objectives have beside
// it; what several have is one.
func parametersOf(f *model.Folder, list []definition, settings objective.Settings) (encoder int, parameters []parameter, err error) {
	errs := []error{f.Config.Validate()}
	for _, s := range shapes(f.Config) {
		parameters = append(parameters, parameter{shape: s})
	}
	encoder = len(parameters)
	for _, d := range list {
		extra, err := d.parameters(f, settings[d.objective])
		errs = append(errs, err)
		for _, p := range extra {
			if !slices.ContainsFunc(parameters, func(o parameter) bool { return o.name == p.name }) {
				parameters = append(parameters, p)
			}
		}
	}
	return encoder, parameters, errors.Join(errs...)
}
