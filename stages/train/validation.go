package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/fault"
	"sentweave/stages/objective"
	"sentweave/transforms/random"
)

// Validation measures the losses on examples that are not trained on, without dropout, and
// keeps the model of the step at which they were the least: that one is published at the
// end of the period, and begins the next one.
type Validation struct {
	// Every is the number of steps of a period between two validations. The end of a
	// period always gives one.
	Every int64 `json:"every" yaml:"every" name:"validate-every" help:"Measure the losses on held-out examples every so many steps, and keep the best model in the place of the last one." placeholder:"N" group:"Validation"`
	// Share of the groups of each dataset that is held out of the training, by a hash of
	// the group, or of the id of an example that has no group: so it is the same for every
	// seed, period and source.
	Share float64 `json:"share,omitempty" yaml:"share,omitempty" name:"validate-share" help:"Share of the groups of examples that is held out of training, such as 0.02." placeholder:"X" group:"Validation"`
	// Datasets are folders of examples for validation, in the place of Share. Each source
	// takes the first one whose kind its objective takes.
	Datasets []string `json:"-" yaml:"datasets,omitempty" name:"validate" help:"Datasets of examples to measure on, instead of a share: each for the objectives that take its kind." placeholder:"DIR" group:"Validation"`
	// Examples is the most of a source, at least one batch. They are the same each time,
	// with the same masks, in batches of the source's size. Default 1024.
	Examples int `json:"examples" yaml:"examples" name:"validate-examples" help:"Most examples of a dataset to measure on (${default})." default:"1024" placeholder:"N" group:"Validation"`
	// Metric is what decides: "loss" (default), the sum of the losses by their weights, or
	// "loss/NAME", the one of a source.
	Metric string `json:"metric" yaml:"metric" help:"What says which model is the best (${default}): loss, or loss/NAME of one dataset, such as loss/bitext." default:"loss" placeholder:"NAME" group:"Validation"`
	// LeastChange is by how much the metric must fall to be better than the best one.
	LeastChange float64 `json:"least_change" yaml:"least_change" name:"least-change" help:"By how much the metric must fall to be better." placeholder:"X" group:"Validation"`
	// Patience is the number of validations without a better one after which a period
	// ends. 0 takes all steps.
	Patience int `json:"patience" yaml:"patience" help:"End a period after so many validations without a better one; 0 takes all steps." placeholder:"N" group:"Validation"`
}

// Names of metrics.
const (
	metricLoss   = "loss"
	metricPrefix = "loss/"
)

// withDefaults returns the configuration with the defaults in the place of zero values.
func (v *Validation) withDefaults() *Validation {
	if v == nil {
		return nil
	}
	c := *v
	if c.Examples == 0 {
		c.Examples = 1024
	}
	if c.Metric == "" {
		c.Metric = metricLoss
	}
	return &c
}

// validate returns all faults at once.
func (v *Validation) validate(periods []Period) error {
	if v == nil {
		return nil
	}
	var errs fault.List
	errs.Check(v.Every >= 1 && v.Every <= 1<<40, "every is %d, it must be at least 1: the steps between two validations", v.Every)
	errs.Check(v.Share >= 0 && v.Share < 1, "share is %v, it must be from 0 to below 1", v.Share)
	errs.Check(v.Share == 0 || len(v.Datasets) == 0, "share and datasets exclude each other: hold examples out, or name other ones")
	errs.Check(v.Share != 0 || len(v.Datasets) != 0, "give share, to hold examples out, or datasets of examples that are not trained on")
	errs.Check(!slices.Contains(v.Datasets, ""), "datasets holds an empty name")
	errs.Check(v.Examples >= 1 && v.Examples <= 1<<24, "examples is %d, it must be from 1 to %d", v.Examples, 1<<24)
	errs.Check(v.LeastChange >= 0 && !math.IsInf(v.LeastChange, 1), "least_change is %v, it must not be negative", v.LeastChange)
	errs.Check(v.Patience >= 0 && v.Patience <= 1<<30, "patience is %d, it must not be negative", v.Patience)
	for _, s := range periods {
		metrics := []string{metricLoss}
		for _, source := range s.Mixture {
			metrics = append(metrics, metricPrefix+source.Name)
		}
		errs.Check(slices.Contains(metrics, v.Metric), "metric %q is none of period %s, which has %s", v.Metric, s.Name, strings.Join(metrics, ", "))
	}
	return prefixed("validation", errs.Err())
}

// holdsOut says whether a row is held out of training.
func (v *Validation) holdsOut(row *schemas.Example) bool {
	id, index := row.ID, int64(0)
	if row.Group != nil {
		id, index = "", int64(*row.Group)
	}
	s := random.New(streams, 0, "hold out", id, index)
	return s.Float64() < v.Share
}

// Validated is what validation has found in a period.
type Validated struct {
	// Best is the step at which the metric was the least, 0 before the first validation,
	// and Value the metric there.
	Best  int64   `json:"best"`
	Value float64 `json:"value"`
	// Since counts the validations after it.
	Since int `json:"since"`
	// Stopped says that the period ended when the patience did.
	Stopped bool `json:"stopped,omitempty"`
}

// add counts a validation.
func (v *Validated) add(step int64, value float64, c *Validation) {
	if v.Best == 0 || value < v.Value-c.LeastChange {
		v.Best, v.Value, v.Since = step, value, 0
		return
	}
	v.Since++
	v.Stopped = c.Patience > 0 && v.Since >= c.Patience
}

// heldOut is what is held out for a source.
type heldOut struct {
	examples *Examples
	batches  []*Batch
}

// heldBatches reads the batches on which a source is validated: those of the first epoch
// of a loader of its own.
func heldBatches(ctx context.Context, e *Examples, c LoaderConfig, most int) ([]*Batch, error) {
	l, err := NewLoader(e, c)
	if err != nil {
		return nil, err
	}
	if err := l.first(ctx); err != nil {
		return nil, err
	}
	n := max(1, min(int(min(e.Rows(), 1<<24)), most)/c.Source.BatchSize)
	l.Start(ctx, 0)
	defer l.Close()
	batches := make([]*Batch, n)
	for i := range batches {
		if batches[i], err = l.Next(); err != nil {
			return nil, err
		}
	}
	return batches, nil
}

// of returns the dataset on which a source is validated.
func (v *Validation) of(ctx context.Context, s Source, vocabulary string) (*Examples, error) {
	o, _ := objective.Find(s.Objective)
	for _, location := range v.Datasets {
		e, err := OpenExamples(ctx, location, vocabulary)
		if err != nil {
			return nil, fmt.Errorf("validation: %w", err)
		}
		kind, err := e.Kind(ctx)
		if err != nil {
			return nil, err
		}
		if slices.Contains(o.Kinds, kind) {
			return e, nil
		}
	}
	return nil, fmt.Errorf("validation: none of the datasets %s holds examples that %s takes, of the kind %s", strings.Join(v.Datasets, ", "), o.Name, strings.Join(o.Kinds, ", "))
}

// validate measures the losses on what is held out, by source.
func (r *run) validate(model Model, s Period, held []heldOut, step int64) (map[string]float64, error) {
	begin := r.options.Now()
	defer func() { r.meter.skip(r.options.Now().Sub(begin)) }()
	losses := make(map[string]float64, len(s.Mixture))
	total := 0.
	for i, source := range s.Mixture {
		sum := 0.
		for _, b := range held[i].batches {
			loss, err := model.Loss(b.Batch)
			if err != nil {
				return nil, fmt.Errorf("validation after step %d of period %s: %s: %w; %s", step, s.Name, source.Name, err, r.lastGood())
			}
			if !finite(loss) {
				return nil, &DivergedError{step, s.Name, source.Name + " on held-out examples", loss, b.IDs, r.out.shown(r.checkpoint)}
			}
			sum += loss
		}
		losses[source.Name] = sum / float64(len(held[i].batches))
		total += source.Weight * losses[source.Name]
	}
	value := total
	if name, ok := strings.CutPrefix(r.config.Validation.Metric, metricPrefix); ok {
		value = losses[name]
	}
	if !finite(value) {
		return nil, errors.New("the sum of the losses on held-out examples is no finite number")
	}
	found := *r.record.Validated
	found.add(step, value, r.config.Validation)
	r.record.Validated = &found
	if f := r.options.Observer.Validated; f != nil {
		f(s.Name, step, value, found)
	}
	return losses, nil
}
