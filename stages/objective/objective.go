// Package objective holds the training objectives: which examples they use, how these
// become batches, and their configurations. It knows nothing of libtorch: stages/train
// makes the batches, and stages/torch computes their losses.
package objective

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sentweave/schemas/dataset"
	"sentweave/stages/objective/joined"
)

// objectives lists the objectives. The loss of each is in the list of stages/torch/losses,
// in the same order, which is that of their parameters.
var objectives = []Objective{cmlm, bitext, mlm, mse, nli, cosine, contrastive, bsl, lens, classify, nsp, quickThought}

// ErrNotFinite is matched by the error that names a number of a model that is NaN or infinite.
var ErrNotFinite = errors.New("it is not a finite number")

// List returns the objectives in a fixed order.
func List() []Objective { return slices.Clone(objectives) }

// Names returns the names of all objectives in their order.
func Names() (names []string) {
	for _, o := range objectives {
		names = append(names, o.Name)
	}
	return names
}

// Find returns the objective of that name.
func Find(name string) (*Objective, bool) {
	i := slices.IndexFunc(objectives, func(o Objective) bool { return o.Name == name })
	if i < 0 {
		return nil, false
	}
	return &objectives[i], true
}

// Objective is a training objective without its parameters and its loss, which
// stages/torch has under the same name.
type Objective struct {
	// Name names it in configurations and losses.
	Name string
	// Kinds are the kinds of examples that it takes.
	Kinds []string
	// Masked says that it predicts masked tokens of second sides. For other objectives
	// the masks that came with the examples are undone.
	Masked bool
	// Predicts says that it predicts masked tokens, whichever they are: it has the head of
	// a masked language model.
	Predicts bool
	// Negatives says that the other examples of a batch are negatives. Such a batch
	// needs two examples, and avoids examples of the same group.
	Negatives bool
	// Alone says that the loss of a batch is a mean over what each example has alone, such as its masked tokens: a batch may
	// have any number of them.
	Alone bool
	// Apart says that a configuration teaches something even where no example is a negative of
	// another. A nil Apart says no.
	Apart func(c Config) bool
	// Least is the least number of examples of a batch, where one or two are too few:
	// batch norm needs some.
	Least int
	// Gold says that it learns the labels or targets of its examples, which must not be all the same.
	Gold bool
	// Frozen says that the encoder's weights stay as they are, and only what the objective
	// has beside them is trained. Its encoders have vectors of another kind.
	Frozen bool
	// Weight is the weight of its loss beside other objectives, if a source gives
	// none.
	Weight float64
	// Config returns its default configuration, a pointer to a struct.
	Config func() Config
	// Fit returns why an example cannot be trained on. Special says for each id
	// whether the token is never masked. A nil Fit accepts every example.
	Fit func(c Config, e *Example, special []bool) error
	// Fill makes a batch of examples.
	Fill func(f *Filler, list []Entry) (Batch, error)
	// Join returns the dataset that a prepared configuration reads beside the
	// examples. It is nil if there is none.
	Join func(c Config) Join
	// States returns the vectors of tokens that a prepared configuration reads in the place of
	// computing them: the encoder is frozen. It is nil, as what it returns may be, if there are none.
	States func(c Config) *joined.StoredStates
}

// Smallest is the least number of examples of a batch.
func (o *Objective) Smallest() int {
	if o.Negatives {
		return max(2, o.Least)
	}
	return max(1, o.Least)
}

// Config is the configuration of an objective: a struct whose tags give the YAML keys,
// the flags, and the names in the record of a training for fields that decide the
// result.
type Config interface {
	// Check returns all faults at once. It is not named Validate, because the command
	// line's parser would then also call it for objectives that are not trained.
	Check() error
	// Prepare completes the configuration from the encoder and the data. It is called
	// once, before the first step.
	Prepare(ctx context.Context, g Facts) error
}

// Facts holds the facts about the encoder and the data that complete a configuration.
type Facts struct {
	// Pooling is how the encoder pools tokens: "mean", "max" or "cls".
	Pooling string
	// Vocabulary is the fingerprint of the encoder's vocabulary, as datasets of examples
	// name theirs.
	Vocabulary string
	// Unigrams counts the ids in the examples that the objective begins with. It is
	// nil if the initial weights already know their frequencies.
	Unigrams func(context.Context) ([]int64, error)
	// Examples are the locations of the datasets that the objective trains on.
	Examples []string
	// Encoder is the hash of the encoder that the objective finds, as datasets name it; "" for a
	// new one, and for one that another period trains before.
	Encoder string
	// Tokens is the most tokens of a side, and Precision what the encoder computes in.
	Tokens    int
	Precision string
	// Note is told what is left out of the data; nil tells nobody.
	Note func(text string)
}

// Join is a dataset whose rows belong to the examples of an objective.
type Join interface {
	// Input identifies the dataset by its content.
	Input(role string) dataset.Input
	// Attach sets the dataset's values in each example. Several goroutines may call
	// it.
	Attach(ctx context.Context, list []*Example) error
}

// Batch is a batch of one objective.
type Batch interface {
	// Objective is the name of the objective, and of its loss.
	Objective() string
	// Tokens is the number of real tokens.
	Tokens() int
	// Items counts what each part of the loss is a mean over, such as masked tokens; most
	// losses have one part. Of several batches that count as one, each has the share of its
	// items in all. A loss that compares the examples of a batch with each other counts these.
	Items() []int
}

// Pooled is embedded by configurations of objectives that compare vectors as the encoder pools them.
type Pooled struct {
	// Pooling of the texts, "mean" (default), "max" or "cls": the encoder's.
	Pooling string `json:"pooling"`
}

// Prepare implements Config: the pooling is that of the encoder.
func (p *Pooled) Prepare(_ context.Context, g Facts) error {
	p.Pooling = g.Pooling
	return nil
}

// check returns an error for a pooling that is not one.
func (p *Pooled) check(objective string) error {
	if !slices.Contains([]string{"mean", "max", "cls"}, p.Pooling) {
		return fmt.Errorf("%s: pooling %q is not one of mean, max, cls", objective, p.Pooling)
	}
	return nil
}
