package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/stages/objective"
	"sentweave/stages/train/batches"
	"sentweave/stages/train/checkpoint"
	"sentweave/transforms/random"
)

// Validation measures the losses on examples that are not trained on, without dropout, or a
// figure of a task, and keeps the model of the step at which its metric was the best: that one
// is published at the end of the period, and begins the next one.
type Validation struct {
	// Every is the number of steps of a period between two validations. The end of a
	// period always gives one.
	Every int64 `json:"every" yaml:"every" name:"validate-every" help:"Measure the losses on held-out examples, or the task of --metric, every so many steps, and keep the best model in the place of the last one." placeholder:"N" group:"Validation"`
	// Share of the groups of each dataset that is held out of the training, by a hash of
	// the group, or of the id of an example that has no group: so it is the same for every
	// seed, period and source.
	Share float64 `json:"share,omitempty" yaml:"share,omitempty" name:"validate-share" help:"Share of the groups of examples that is held out of training, such as 0.02." placeholder:"X" group:"Validation"`
	// Datasets are folders of examples for validation, in the place of Share. Each source
	// takes the first one whose kind its objective takes. For a Metric of a task they are what
	// the task reads, and Share may be given, too.
	Datasets []string `json:"-" yaml:"datasets,omitempty" name:"validate" help:"Datasets of examples to measure on, instead of a share: each for the objectives that take its kind; or what the task of --metric reads." placeholder:"DIR" group:"Validation"`
	// Examples is the most of a source, at least one batch. They are the same each time,
	// with the same masks, in batches of the source's size and one of what is left over. A
	// loss is the mean over the items, such as masked tokens, of all of them. Default 1024.
	Examples int `json:"examples" yaml:"examples" zero:"refused" name:"validate-examples" help:"Most examples of a dataset to measure on (${default})." default:"1024" placeholder:"N" group:"Validation"`
	// Metric is what decides: "loss" (default), the sum of the losses by their weights,
	// "loss/NAME", the one of a source, or the name of a figure of a task; see Options.Task.
	Metric string `json:"metric" yaml:"metric" help:"What says which model is the best (${default}): loss, loss/NAME of one dataset, such as loss/bitext, or a figure of a task of evaluate, such as stsb/spearman, on what --validate names." default:"loss" placeholder:"NAME" group:"Validation"`
	// LeastChange is by how much the metric must change to be better than the best one.
	LeastChange float64 `json:"least_change" yaml:"least_change" name:"least-change" help:"By how much the metric must change to be better." placeholder:"X" group:"Validation"`
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
	errs.Check(v.Share == 0 || len(v.Datasets) == 0 || v.OfTask(),
		"share and datasets exclude each other: hold examples out, or name other ones")
	errs.Check(v.Share != 0 || len(v.Datasets) != 0 || v.OfTask(),
		"give share, to hold examples out, or datasets of examples that are not trained on")
	errs.Check(!slices.Contains(v.Datasets, ""), "datasets holds an empty name")
	errs.Check(v.Examples >= 1 && v.Examples <= 1<<24, "examples is %d, it must be from 1 to %d", v.Examples, 1<<24)
	errs.Check(v.LeastChange >= 0 && !math.IsInf(v.LeastChange, 1), "least_change is %v, it must not be negative", v.LeastChange)
	errs.Check(v.Patience >= 0 && v.Patience <= 1<<30, "patience is %d, it must not be negative", v.Patience)
	for _, s := range periods {
		metrics := []string{metricLoss}
		for _, source := range s.Mixture {
			metrics = append(metrics, metricPrefix+source.Name)
		}
		ofTask := v.OfTask() && len(v.Datasets) > 0
		errs.Check(ofTask || slices.Contains(metrics, v.Metric),
			"metric %q is not one of period %s (%s); the name of a figure of a task of evaluate begins with the task, such as stsb/spearman, and needs datasets, which the task reads",
			v.Metric, s.Name, strings.Join(metrics, ", "))
	}
	return prefixed("validation", errs.Err())
}

// OfTask says whether the metric is of a task, TASK/METRIC, and no loss.
func (v *Validation) OfTask() bool {
	return v != nil && strings.Contains(v.Metric, "/") && !strings.HasPrefix(v.Metric, metricPrefix)
}

// losses says whether the losses on held-out examples are measured.
func (v *Validation) losses() bool { return v != nil && (v.Share > 0 || !v.OfTask()) }

// Task is the task of an evaluation whose figure Validation.Metric names.
type Task struct {
	// Input is what the task reads.
	Input dataset.Input
	// Better is 1 where a greater figure is better, −1 where a smaller one is.
	Better int
	// Measure returns the figure of the model that Model.Save wrote into a folder. The same
	// model must give the same figure to the last bit, or a resumed run may choose another one.
	Measure func(folder string) (float64, error)
}

// holdsOut says whether a row is held out of training.
func (v *Validation) holdsOut(row *schemas.Example) bool {
	id, index := row.ID, int64(0)
	if row.Group != nil {
		id, index = "", int64(*row.Group)
	}
	s := random.New(batches.Streams, 0, "hold out", id, index)
	return s.Float64() < v.Share
}

// Validated is what validation has found in a period.
type Validated struct {
	// Best is the step at which the metric was the best, 0 before the first validation,
	// and Value the metric there.
	Best  int64   `json:"best"`
	Value float64 `json:"value"`
	// Since counts the validations after it.
	Since int `json:"since"`
	// Stopped says that the period ended when the patience did.
	Stopped bool `json:"stopped,omitempty"`
}

// add counts a validation. Better is 1 where a greater value is better, −1 where a smaller one
// is.
func (v *Validated) add(step int64, value float64, c *Validation, better int) {
	if sign := float64(better); v.Best == 0 || sign*value > sign*v.Value+c.LeastChange {
		v.Best, v.Value, v.Since = step, value, 0
		return
	}
	v.Since++
	v.Stopped = c.Patience > 0 && v.Since >= c.Patience
}

// heldOut is what is held out for a source.
type heldOut struct {
	examples *batches.Examples
	batches  []*batches.Batch
}

// of returns the dataset on which a source is validated.
func (v *Validation) of(ctx context.Context, s batches.Source, vocabulary string) (*batches.Examples, error) {
	o, _ := objective.Find(s.Objective)
	for _, location := range v.Datasets {
		e, err := batches.OpenExamples(ctx, location, vocabulary)
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
	return nil, fmt.Errorf("validation: none of the datasets %s holds examples that %s takes, of the kind %s",
		strings.Join(v.Datasets, ", "), o.Name, strings.Join(o.Kinds, ", "))
}

// validate measures what is held out and the task, and returns the losses by source and the
// figure by the name of the metric.
func (r *run) validate(model Trainer, s Period, holdouts []heldOut, step int64) (map[string]float64, error) {
	begin := r.options.Now()
	defer func() { r.meter.skip(r.options.Now().Sub(begin)) }()
	c := r.config.Validation
	figures, value, better := map[string]float64{}, 0., -1
	if c.losses() {
		for i, source := range s.Mixture {
			loss, err := r.heldLoss(model, s, source, holdouts[i], step)
			if err != nil {
				return nil, err
			}
			figures[source.Name] = loss
			value += source.Weight * r.draws.Shares[i] * loss
		}
	}
	if name, ok := strings.CutPrefix(c.Metric, metricPrefix); ok {
		value = figures[name]
	} else if c.OfTask() {
		var err error
		if value, err = r.figure(model); err != nil {
			if d := r.divergedModel(err); d != nil {
				return nil, d
			}
			return nil, fmt.Errorf("validation after step %d of period %s: %s: %w; %s", step, s.Name, c.Metric, err, r.lastGood())
		}
		figures[c.Metric], better = value, r.options.Task.Better
	}
	if !finite(value) {
		return nil, fmt.Errorf("validation after step %d of period %s: %s is not a finite number: %w", step, s.Name, c.Metric, ErrDiverged)
	}
	validated := *r.record.Validated
	validated.add(step, value, c, better)
	r.record.Validated = &validated
	if f := r.options.Observer.Validated; f != nil {
		f(s.Name, step, value, validated)
	}
	return figures, nil
}

// heldLoss is the loss on what is held out for a source, as that of one batch.
func (r *run) heldLoss(model Trainer, s Period, source batches.Source, holdout heldOut, step int64) (sum float64, err error) {
	var total items
	for _, b := range holdout.batches {
		total.add(0, b.Items())
	}
	for _, b := range holdout.batches {
		loss, err := model.Loss(b.Batch, total.shares(b.Items()))
		if err != nil {
			return 0, fmt.Errorf("validation after step %d of period %s: %s: %w; %s", step, s.Name, source.Name, err, r.lastGood())
		}
		if !finite(loss) {
			return 0, r.diverged(step, s.Name, source.Name+" on held-out examples", loss, b.IDs)
		}
		sum += loss
	}
	return sum, nil
}

// figure measures the task on the model, which is saved for it as it would be published.
func (r *run) figure(model Trainer) (value float64, err error) {
	folder, err := checkpoint.Saved(r.out.work, r.out.runPath("validation"), model.Save)
	if err != nil {
		return 0, wayOut(err)
	}
	defer func() { err = errors.Join(err, r.out.work.RemoveAll(folder)) }()
	value, err = r.options.Task.Measure(folder)
	return value, wayOut(err)
}
