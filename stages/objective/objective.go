// Package objective holds the training objectives: which examples they use, how these
// become batches, and their configurations. It knows nothing of libtorch: stages/train
// makes the batches, and stages/torch computes their losses.
package objective

import (
	"context"
	"fmt"
	"slices"

	"sentweave/schemas/dataset"
)

// all lists the objectives. The loss of each stands in the list of stages/torch,
// in the same order, which is that of their parameters.
var all = []Objective{cmlm, bitext, mlm, mse}

// All returns the objectives in a fixed order.
func All() []Objective { return slices.Clone(all) }

// Names returns the names of all objectives in their order.
func Names() (names []string) {
	for _, o := range all {
		names = append(names, o.Name)
	}
	return names
}

// Find returns the objective of that name.
func Find(name string) (*Objective, bool) {
	i := slices.IndexFunc(all, func(o Objective) bool { return o.Name == name })
	if i < 0 {
		return nil, false
	}
	return &all[i], true
}

// Objective is all of a training objective but its parameters and its loss, which
// stages/torch has under the same name.
type Objective struct {
	// Name names it in configurations and losses.
	Name string
	// Kinds are the kinds of examples that it takes.
	Kinds []string
	// Masked says that it predicts masked tokens of second sides. Masks that came with
	// the examples of other objectives are undone.
	Masked bool
	// Negatives says that the other examples of a batch are negatives: a batch needs
	// two, and has no two of one group where that can be avoided.
	Negatives bool
	// Weight of its loss beside those of other objectives, where a source gives none.
	Weight float64
	// Config returns its default configuration, a pointer to a struct.
	Config func() Config
	// Fit returns why an example cannot be trained on. Special tells, by id, which
	// tokens are never masked. Nil takes every example.
	Fit func(c Config, e *Example, special []bool) error
	// Fill makes a batch of examples.
	Fill func(f *Filler, list []Entry) (Batch, error)
	// Join returns the dataset that a prepared configuration reads beside the
	// examples. Nil reads none.
	Join func(c Config) Join
}

// Config is the configuration of an objective: a struct whose tags give YAML keys,
// flags and, where they decide the result, names in the record of a training.
type Config interface {
	// Check returns all faults at once. It is not named Validate, since the parser of
	// command lines would call that for objectives that are not trained, too.
	Check() error
	// Prepare completes the configuration by what the encoder and the data tell, once,
	// before the first step.
	Prepare(ctx context.Context, g Given) error
}

// Given is what a configuration is completed by.
type Given struct {
	// Pooling is how the encoder pools tokens: "mean", "max" or "cls".
	Pooling string
	// Unigrams counts the ids in the examples that the objective begins with. It is nil
	// where the weights to begin with know their frequencies already.
	Unigrams func(context.Context) ([]int64, error)
}

// unigrams counts the ids for an objective whose bias begins with them.
func (g Given) unigrams(ctx context.Context, objective string) ([]int64, error) {
	if g.Unigrams == nil {
		return nil, fmt.Errorf("%s: unigram_bias is for new encoders: one to begin with has its bias", objective)
	}
	return g.Unigrams(ctx)
}

// Join is a dataset whose rows belong to the examples of an objective.
type Join interface {
	// Input identifies the dataset by its content.
	Input(role string) dataset.Input
	// Attach sets what the dataset tells of each example. Several goroutines may call it.
	Attach(ctx context.Context, list []*Example) error
}

// Batch is a batch of one objective.
type Batch interface {
	// Objective names the objective, as the losses are named.
	Objective() string
	// Tokens is the number of real tokens.
	Tokens() int
}
