package train

import (
	"math"
	"slices"
	"strings"

	"sentweave/schemas/fault"
	"sentweave/stages/objective"
)

// Decays of the learning rate.
const (
	decayLinear = "linear"
	decayCosine = "cosine"
	decayNoam   = "noam"
	decayNone   = "none"
)

var decays = []string{decayLinear, decayCosine, decayNoam, decayNone}

// Schedule says how many steps a period takes, and how long they are.
type Schedule struct {
	// Steps of the optimizer.
	Steps int64 `json:"steps" yaml:"steps"`
	// Optimizer; without a name it is objective.DefaultOptimizer, and with a name
	// only, the defaults of that one.
	Optimizer objective.Optimizer `json:"optimizer" yaml:"optimizer"`
	// Rate is the highest learning rate.
	Rate float64 `json:"rate" yaml:"rate"`
	// Warmup is the number of steps in which the rate rises to its highest.
	Warmup int64 `json:"warmup" yaml:"warmup"`
	// Decay is what the rate does after the warm-up: one of decays, by default decayLinear.
	Decay string `json:"decay" yaml:"decay"`
	// Parts says which parts of the encoder are trained, and how fast.
	objective.Parts `yaml:",inline"`
	// Accumulate is the number of batches of each source that make one step, as one batch of
	// all their examples would: a loss is the mean over the items, such as masked tokens, of
	// all of them. Only what the examples of a batch are to each other does not grow with it:
	// negatives, and the statistics of batch norm. The batches of a step are in memory
	// together. Default 1.
	Accumulate int `json:"accumulate" yaml:"accumulate" zero:"refused"`
	// CacheChunk is how many texts of a side are encoded together where a loss is of vectors of texts: the gradients of a batch
	// are those of the whole but for rounding, by gradient caching (Gao et al. 2021), with the memory of a chunk and one
	// more way forward. 0, the default, encodes batches whole.
	CacheChunk int `json:"cache_chunk,omitempty" yaml:"cache_chunk,omitempty"`
}

// WithDefaults returns the schedule with the defaults in the place of zero values.
func (s Schedule) WithDefaults() Schedule {
	if s.Decay == "" {
		s.Decay = decayLinear
	}
	if s.Accumulate == 0 {
		s.Accumulate = 1
	}
	if s.LayerDecay == 1 { // as records of trainings without it
		s.LayerDecay = 0
	}
	if name := s.Optimizer.Name; s.Optimizer == (objective.Optimizer{Name: name}) {
		s.Optimizer = objective.OptimizerOf(name)
	}
	return s
}

// Validate returns all faults at once.
func (s Schedule) Validate() error {
	errs := fault.List{s.Optimizer.Validate(), s.Parts.Validate()}
	errs.Check(s.Steps >= 1 && s.Steps <= 1<<40, "steps is %d, it must be at least 1", s.Steps)
	errs.Check(s.Rate > 0 && s.Rate <= 100, "rate is %v, it must be above 0 and at most 100", s.Rate)
	errs.Check(s.Warmup >= 0 && (s.Steps < 1 || s.Warmup <= s.Steps), "warmup is %d, it must be from 0 to the %d steps", s.Warmup, s.Steps)
	errs.Check(slices.Contains(decays, s.Decay), "decay %q is not one of %s", s.Decay, strings.Join(decays, ", "))
	errs.Check(s.Accumulate >= 1 && s.Accumulate <= 1<<20, "accumulate is %d, it must be at least 1", s.Accumulate)
	errs.Check(s.CacheChunk >= 0 && s.CacheChunk <= 1<<20, "cache_chunk is %d, it must not be negative", s.CacheChunk)
	return errs.Err()
}

// at returns the rate of a step, counted from 1. It rises in a straight line up to the
// step Warmup, and then
//   - stays (none),
//   - falls in a straight line (linear) or along half a cosine (cosine, Loshchilov and
//     Hutter 2017 without restarts) from the step Warmup, or the first one without
//     warm-up, to 0 at the step after the last, so that no step is taken at a rate of 0,
//   - or falls with the square root of the step (noam, Vaswani et al. 2017, section 5.3,
//     whose rate is given there by the size of vectors).
func (s Schedule) at(step int64) float64 {
	if step < s.Warmup {
		return s.Rate * float64(step) / float64(s.Warmup)
	}
	first := max(s.Warmup, 1)
	remaining := float64(s.Steps+1-step) / float64(s.Steps+1-first)
	switch s.Decay {
	case decayNone:
		return s.Rate
	case decayCosine:
		return s.Rate * (1 - math.Cos(math.Pi*remaining)) / 2
	case decayNoam:
		return s.Rate * math.Sqrt(float64(first)/float64(step))
	}
	return s.Rate * float64(s.Steps+1-step) / float64(s.Steps+1-first)
}
