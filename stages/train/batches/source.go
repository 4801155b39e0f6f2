// Package batches makes the batches of a training from datasets of examples: which examples, in which order, of which
// length, with which masks.
//
// A batch is a pure function of the content of the datasets, the configuration, the seed and its number, so a training
// goes on with the batch that comes next.
package batches

import (
	"cmp"
	"strings"

	"sentweave/schemas/fault"
	"sentweave/stages/objective"
	"sentweave/transforms/tokens/masking"
)

// Streams is the version of the random choices of a training. They are those of version 1 of the stage.
const Streams = 1

// Source is a dataset of examples with its objective.
type Source struct {
	// Name names the source's loss. Default: the objective.
	Name string `json:"name" yaml:"name"`
	// Dataset is the folder of examples. No record holds it, because a dataset that
	// was moved is the same.
	Dataset string `json:"-" yaml:"dataset"`
	// Objective is the name of one of objective.List.
	Objective string `json:"objective" yaml:"objective"`
	// BatchSize is the number of examples of a batch.
	BatchSize int `json:"batch_size" yaml:"batch_size,omitempty"`
	// BatchTokens is the most tokens of a batch, those of both sides, in the place of BatchSize: a batch has as many
	// examples of like length as that allows. Objectives take it whose loss is a mean over what each example has alone.
	BatchTokens int `json:"batch_tokens,omitempty" yaml:"batch_tokens,omitempty"`
	// MaxTokens is the length to which longer sides are cut, including [CLS] and
	// [SEP]. The last token stays. 0 does not cut.
	MaxTokens int `json:"max_tokens" yaml:"max_tokens"`
	// Weight is the weight of the loss. The default is 1, or the objective's weight if
	// the mixture has different objectives.
	Weight float64 `json:"weight" yaml:"weight" zero:"refused"`
}

// WithDefaults returns the source with the defaults of one alone in the place of zero values.
func (s Source) WithDefaults() Source {
	s.Name, s.Weight = cmp.Or(s.Name, s.Objective), cmp.Or(s.Weight, 1)
	return s
}

// Validate returns all faults at once.
func (s Source) Validate() error {
	var errs fault.List
	errs.Check(s.Dataset != "", "dataset is empty: give a folder of examples; `sentweave examples` makes one")
	o, exists := objective.Find(s.Objective)
	errs.Check(exists, "objective %q is not one of %s", s.Objective, strings.Join(objective.Names(), ", "))
	errs.Add(s.validateBatch(o))
	errs.Check(s.MaxTokens == 0 || s.MaxTokens >= 3, "max_tokens is %d, it must be 0 or at least 3: [CLS], a token, [SEP]", s.MaxTokens)
	errs.Check(s.Weight > 0 && s.Weight <= 1e6, "weight is %v, it must be above 0 and at most 1e6", s.Weight)
	return errs.Err()
}

// validateBatch returns the faults of the size of batches for an objective, nil for one that is unknown.
func (s Source) validateBatch(o *objective.Objective) error {
	var errs fault.List
	exists := o != nil
	if s.BatchTokens != 0 {
		errs.Check(s.BatchSize == 0, "batch_tokens and batch_size exclude each other: leave one of them out")
		errs.Check(s.BatchTokens >= 6 && s.BatchTokens <= 1<<30, "batch_tokens is %d, it must be from 6 to %d", s.BatchTokens, 1<<30)
		errs.Check(!exists || o.Alone,
			"batch_tokens is for objectives whose examples have losses of their own; that of %s depends on how many others are in the batch: give a number of examples",
			s.Objective)
		return errs.Err()
	}
	errs.Check(!exists || !o.Negatives || s.BatchSize >= 2, "batch_size is %d, %s needs at least 2: the others are the negatives",
		s.BatchSize, s.Objective)
	errs.Check(s.BatchSize >= 1 && s.BatchSize <= 1<<20, "batch_size is %d, it must be from 1 to %d", s.BatchSize, 1<<20)
	if exists && s.BatchSize < o.Least {
		errs.Addf("batch_size is %d, %s needs at least %d: the norm over a batch means nothing of fewer", s.BatchSize, s.Objective, o.Least)
	}
	return errs.Err()
}

// Masks is the part of masking.Config that a trainer leaves open; zero values
// mean its defaults, those of CMLM.
type Masks struct {
	// Ratio of tokens to predict. Default .3125.
	Ratio float64 `json:"ratio" yaml:"ratio" zero:"refused"`
	// MaxPredictions is the most tokens of one sequence. Default 80.
	MaxPredictions int `json:"max_predictions" yaml:"max_predictions" zero:"refused"`
	// RandomTokens is "vocabulary" (default) or "words".
	RandomTokens string `json:"random_tokens" yaml:"random_tokens"`
	// WholeWords masks all pieces of a word or none.
	WholeWords bool `json:"whole_words" yaml:"whole_words"`
}

// WithDefaults returns the masks with the defaults in the place of zero values.
func (m Masks) WithDefaults() Masks {
	c := masking.DefaultConfig()
	m.Ratio, m.MaxPredictions = cmp.Or(m.Ratio, c.Ratio), cmp.Or(m.MaxPredictions, c.MaxPredictions)
	m.RandomTokens = cmp.Or(m.RandomTokens, c.RandomTokens)
	return m
}

// Validate returns all faults at once.
func (m Masks) Validate() error { return m.masking(0).Validate() }

func (m Masks) masking(seed uint64) masking.Config {
	c := masking.DefaultConfig()
	c.Seed, c.Ratio, c.MaxPredictions, c.RandomTokens, c.WholeWords = seed, m.Ratio, m.MaxPredictions, m.RandomTokens, m.WholeWords
	return c
}
