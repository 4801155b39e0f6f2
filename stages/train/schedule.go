package train

import (
	"sentweave/schemas/fault"
	"sentweave/stages/objective"
)

// Decays of the learning rate.
const (
	decayLinear = "linear"
	decayNone   = "none"
)

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
	// Decay is decayLinear (default) or decayNone.
	Decay string `json:"decay" yaml:"decay"`
	// Accumulate is the number of batches of each source whose gradients are
	// averaged in a step. Default 1.
	Accumulate int `json:"accumulate" yaml:"accumulate"`
}

// WithDefaults returns the schedule with the defaults in the place of zero values.
func (s Schedule) WithDefaults() Schedule {
	if s.Decay == "" {
		s.Decay = decayLinear
	}
	if s.Accumulate == 0 {
		s.Accumulate = 1
	}
	if name := s.Optimizer.Name; s.Optimizer == (objective.Optimizer{Name: name}) {
		s.Optimizer = objective.DefaultOptimizer()
		if name != "" {
			s.Optimizer.Name = name
		}
		if name == "adamw" {
			s.Optimizer.Epsilon = 1e-8
		}
	}
	return s
}

// Validate returns all faults at once.
func (s Schedule) Validate() error {
	errs := fault.List{s.Optimizer.Validate()}
	errs.Check(s.Steps >= 1 && s.Steps <= 1<<40, "steps is %d, it must be at least 1", s.Steps)
	errs.Check(s.Rate > 0 && s.Rate <= 100, "rate is %v, it must be above 0 and at most 100", s.Rate)
	errs.Check(s.Warmup >= 0 && s.Warmup <= s.Steps, "warmup is %d, it must be from 0 to the %d steps", s.Warmup, s.Steps)
	errs.Check(s.Decay == decayLinear || s.Decay == decayNone, "decay %q is none of %s, %s", s.Decay, decayLinear, decayNone)
	errs.Check(s.Accumulate >= 1 && s.Accumulate <= 1<<20, "accumulate is %d, it must be at least 1", s.Accumulate)
	return errs.Err()
}

// at returns the rate of a step, counted from 1: Rate·step/Warmup up to the step
// Warmup, then either Rate, or a straight line from Rate at the step Warmup (at
// the first step without warm-up) to 0 at the step after the last. So no step is
// taken at a rate of 0, as the first one is where steps are counted from 0.
func (s Schedule) at(step int64) float64 {
	if step < s.Warmup {
		return s.Rate * float64(step) / float64(s.Warmup)
	}
	if s.Decay == decayNone {
		return s.Rate
	}
	return s.Rate * float64(s.Steps+1-step) / float64(s.Steps+1-max(s.Warmup, 1))
}
