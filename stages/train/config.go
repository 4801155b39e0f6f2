// Package train is the stage that trains a sentence encoder on datasets of examples.
// It chooses the batches, calls a model for losses and steps, and writes checkpoints
// from which a run continues exactly. It knows nothing of libtorch: the model is an
// interface, which torch.Trainer implements.
//
// # Output
//
//	OUT/…                          the trained model, when all is done
//	OUT/training.json              its record, written last: its presence means complete
//	OUT/NAME/                      the model after the period NAME, one for each period but the last
//	OUT/losses.jsonl               losses, norms, rates and speed
//	OUT.train/training.json        the request, written before any work
//	OUT.train/checkpoints/000150/  the state after step 150
//	OUT.train/tensorboard/         event files
//	OUT.train/owner.json           in a bucket: the process that is at work there
//
// # Determinism
//
// Batches, masks and the seeds of dropout are pure functions of the seed, the
// configuration, the content of the datasets and the step. Nothing depends on earlier
// events. A run that was killed at any moment and started again therefore gives the
// losses and the weights of one that was not, as long as the model's calls are
// deterministic.
package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"sentweave/schemas/fault"
	"sentweave/stages/objective"
	"sentweave/stages/train/batches"
)

// Version of the stage: raised when the same input gives other batches, dropout or rates.
const Version = 6

// Config is the configuration of a run. Zero values mean the defaults where a
// field names one.
type Config struct {
	// Seed decides order, masks and dropout.
	Seed uint64 `json:"seed" yaml:"seed"`
	// Vocabulary is the fingerprint of the vocabulary that the model knows, the hash
	// that dataset.VocabularyInput gives. Datasets made with another one are refused.
	Vocabulary string `json:"vocabulary" yaml:"-"`
	// Masks says how examples without masks are masked.
	Masks batches.Masks `json:"masks" yaml:"masks"`
	// Model is the configuration from which the caller makes its models, as JSON. It
	// is recorded, and a run resumes only with an equal one.
	Model json.RawMessage `json:"model,omitempty" yaml:"-"`
	// Objectives are the configurations of objectives. An objective that is not named
	// has its default. The record holds them as part of Model.
	Objectives objective.Settings `json:"-" yaml:"objectives"`
	// Periods are executed one after another. Each begins with the weights of the one
	// before and a new optimizer.
	Periods []Period `json:"periods" yaml:"periods"`
	// Sampling draws rare languages or small sources more often; nil takes all examples alike.
	Sampling *batches.Sampling `json:"sampling,omitempty" yaml:"sampling,omitempty"`
	// Validation on examples that are not trained on; nil for none.
	Validation *Validation `json:"validation,omitempty" yaml:"validation,omitempty"`
	// ShuffleGroups is how many examples are drawn from all shards and shuffled together,
	// in row groups of 16,384. Of smaller row groups there are more. At most three such
	// sets are in memory, of 70 MB each for examples of 2 × 256 tokens. Default 2.
	ShuffleGroups int `json:"shuffle_groups" yaml:"shuffle_groups" zero:"refused"`
	// LogEvery is the number of steps between two lines of losses.jsonl, which hold
	// the means of these steps. Default 10.
	LogEvery int `json:"log_every" yaml:"log_every" zero:"refused"`
	// MaxSpike is how many standard deviations a loss of a source may be above its mean over the last steps. A greater
	// loss, or a number that is not finite, is a spike: the training goes back to its last checkpoint that no interruption
	// wrote, and goes on with the batches that come next. So the result depends on CheckpointEvery, too, and on nothing
	// that happens to a run. 0 takes every loss; those that are not finite then end the training.
	MaxSpike float64 `json:"max_spike,omitempty" yaml:"max_spike"`

	// CheckpointEvery is the number of steps between two checkpoints; the end of a
	// period always gives one. Default 1000. This field and the next two may change
	// when a run is resumed.
	CheckpointEvery int `json:"checkpoint_every" yaml:"checkpoint_every" zero:"refused"`
	// Keep is the number of checkpoints that are kept. Default 2, so that a damaged
	// one can be skipped.
	Keep int `json:"keep" yaml:"keep" zero:"refused"`
	// Recompute has layers computed again for their gradients, which have the same bits, with less memory. This field may change, too.
	Recompute bool `json:"recompute,omitempty" yaml:"recompute,omitempty"`
	// ReadAhead is the number of batches that are kept ready of each source. Default 8.
	ReadAhead int `json:"read_ahead" yaml:"read_ahead" zero:"refused"`
}

// Period is a part of a run with its own data and schedule.
type Period struct {
	// Name names the period in progress, losses and the folder of its model: lower-case
	// letters, digits, "+" and "-".
	Name string `json:"name" yaml:"name"`
	// Mixture are the sources of which each step takes a batch; their losses are
	// summed by weight.
	Mixture  []batches.Source `json:"mixture" yaml:"mixture"`
	Schedule `yaml:",inline"`
}

var periodName = regexp.MustCompile(`^[a-z0-9][a-z0-9+-]{0,63}$`)

// WithDefaults returns the configuration with the defaults in the place of zero
// values.
func (c Config) WithDefaults() Config {
	orInt := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	c.Masks, c.Validation, c.Sampling = c.Masks.WithDefaults(), c.Validation.withDefaults(), c.Sampling.WithDefaults()
	orInt(&c.ShuffleGroups, batches.DefaultShuffleGroups)
	orInt(&c.LogEvery, 10)
	orInt(&c.CheckpointEvery, 1000)
	orInt(&c.Keep, 2)
	orInt(&c.ReadAhead, batches.DefaultReadAhead)
	c.Periods = slices.Clone(c.Periods)
	for i := range c.Periods {
		s := &c.Periods[i]
		s.Schedule = s.Schedule.WithDefaults()
		s.Mixture = slices.Clone(s.Mixture)
		mixed := slices.ContainsFunc(s.Mixture, func(m batches.Source) bool { return m.Objective != s.Mixture[0].Objective })
		for j := range s.Mixture {
			source := &s.Mixture[j]
			c.Objectives = c.Objectives.With(source.Objective)
			if o, ok := objective.Find(source.Objective); ok && mixed && source.Weight == 0 {
				source.Weight = o.Weight
			}
			*source = source.WithDefaults()
		}
	}
	return c
}

// Validate returns all faults at once, of the configuration with its defaults.
func (c Config) Validate() error {
	c = c.WithDefaults()
	errs := fault.List{prefixed("masks", c.Masks.Validate()), c.Objectives.Validate()}
	for _, n := range []struct {
		name       string
		value, max int
	}{
		{"shuffle_groups", c.ShuffleGroups, 1 << 16}, {"log_every", c.LogEvery, 1 << 40}, {"checkpoint_every", c.CheckpointEvery, 1 << 40},
		{"keep", c.Keep, 1 << 20}, {"read_ahead", c.ReadAhead, 1 << 16},
	} {
		errs.Check(n.value >= 1 && n.value <= n.max, "%s is %d, it must be from 1 to %d", n.name, n.value, n.max)
	}
	errs.Check(c.MaxSpike == 0 || c.MaxSpike >= 1 && c.MaxSpike <= 1e6, "max_spike is %v, it must be from 1 to 1e6, or 0 for no guard",
		c.MaxSpike)
	errs.Check(len(c.Periods) != 0, "periods is empty: give at least one, or name a preset")
	names := map[string]bool{}
	for i, s := range c.Periods {
		path := fmt.Sprintf("periods[%d]", i)
		errs.Check(periodName.MatchString(s.Name), "%s: name %q must be of lower-case letters, digits, + and -", path, s.Name)
		errs.Check(!names[s.Name], "%s: the name %q occurs twice", path, s.Name)
		names[s.Name] = true
		errs.Add(s.validate(path))
	}
	errs.Add(prefixed("sampling", c.Sampling.Validate(c.mixtures())), c.Validation.validate(c.Periods))
	return errs.Err()
}

func (s Period) validate(path string) error {
	errs := fault.List{prefixed(path, s.Schedule.Validate())}
	errs.Check(len(s.Mixture) != 0, "%s: mixture is empty: give at least one dataset", path)
	names := map[string]bool{}
	var frozen, trains string
	for i, source := range s.Mixture {
		if o, ok := objective.Find(source.Objective); ok && o.Frozen {
			frozen = o.Name
		} else {
			trains = source.Objective
		}
		path := fmt.Sprintf("%s.mixture[%d]", path, i)
		errs.Check(!names[source.Name], "%s: the name %q occurs twice: sources of one objective need names", path, source.Name)
		names[source.Name] = true
		errs.Add(prefixed(path, source.Validate()))
	}
	errs.Check(s.CacheChunk <= 0 || len(s.Mixture) == 0 || s.Caches(),
		"%s: cache_chunk is %d, and %s predicts masked tokens, of which gradient caching saves nothing: raise accumulate instead", path,
		s.CacheChunk, trains)
	errs.Check(frozen == "" || trains == "", "%s: %s leaves the encoder as it is and %s trains it: give each a period of its own", path,
		frozen, trains)
	return errs.Err()
}

// Caches says whether the loss of a source is one of vectors of texts, whose gradients CacheChunk caches. Losses of masked tokens need
// no other batch than the one that fits into memory.
func (s Period) Caches() bool {
	return slices.ContainsFunc(s.Mixture, func(m batches.Source) bool {
		o, ok := objective.Find(m.Objective)
		return ok && !o.Predicts
	})
}

// mixtures are those of the periods.
func (c Config) mixtures() (list []batches.Mixture) {
	for _, s := range c.Periods {
		list = append(list, batches.Mixture{Period: s.Name, Sources: s.Mixture})
	}
	return list
}

// steps is the number of steps of the first n periods.
func (c Config) steps(n int) (sum int64) {
	for _, s := range c.Periods[:n] {
		sum += s.Steps
	}
	return sum
}

// prefixed names the place of each fault.
func prefixed(path string, err error) error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, e := range joined.Unwrap() {
			errs = append(errs, prefixed(path, e))
		}
		return errors.Join(errs...)
	}
	return fmt.Errorf("%s: %w", path, err)
}
