package evaluate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/encoder"
)

// Version of the stage: raised when the same models and data give other results.
const Version = 5

// Opener opens an encoder that is neither a baseline nor a dataset of embeddings.
type Opener func(ctx context.Context, location string) (encoder.Encoder, error)

// Options say how the stage runs. They do not change its results.
type Options struct {
	Overwrite bool
	// Open opens the folders of encoders; nil if that is not possible here.
	Open Opener
	// Observe is called before each model is measured.
	Observe func(model string)
}

// Chain and step of the funnel.
const (
	chainResults = "results"
	stepMeasure  = "measure"
)

// Make measures models and writes the results as a dataset, with a unit for each
// model. If it is interrupted, the next call continues. Done says that the dataset was
// already complete. Memory is that of the test data and one model's vectors of a task.
func Make(ctx context.Context, output string, c Config, models Models, o Options) (m *dataset.Manifest, done bool, err error) {
	if err := errors.Join(c.Validate(), models.Validate()); err != nil {
		return nil, false, err
	}
	folder, err := storage.At(output)
	if err != nil {
		return nil, false, err
	}
	tasks, err := load(ctx, c)
	if err != nil {
		return nil, false, err
	}
	specs := models.list()
	plan, units, err := draft(ctx, c, models, tasks)
	if err != nil {
		return nil, false, err
	}
	return plan.Complete(ctx, folder, units, o.Overwrite, func(unit dataset.Unit) error {
		spec := specs[unit.Ordinal]
		if o.Observe != nil {
			o.Observe(spec.name)
		}
		if err := measure(ctx, folder, plan, unit.Ordinal, tasks, func() (encoder.Encoder, error) { return models.open(ctx, spec, o.Open) }); err != nil {
			return fmt.Errorf("model %s: %w", spec.name, err)
		}
		return nil
	})
}

// draft plans a unit for each model.
func draft(ctx context.Context, c Config, models Models, tasks []loaded) (*dataset.Plan, []dataset.Unit, error) {
	config := struct {
		Tasks         []string       `json:"tasks"`
		Languages     []string       `json:"languages,omitempty"`
		Split         string         `json:"split"`
		Probe         string         `json:"probe,omitempty"`
		Seeds         int            `json:"seeds,omitempty"`
		Models        []string       `json:"models"`
		FitComponents map[string]int `json:"fit_components,omitempty"`
		Pooling       string         `json:"pooling,omitempty"`
		Prompt        string         `json:"prompt,omitempty"`
		NoPrompt      bool           `json:"no_prompt,omitempty"`
		Precision     string         `json:"precision"`
	}{c.Tasks, c.Languages, c.Split, "", 0, nil, models.FitComponents, models.Pooling, models.Prompt, models.NoPrompt, models.Precision}
	if slices.ContainsFunc(c.Tasks, func(name string) bool { t, _ := find(name); return t.trains }) {
		config.Probe, config.Seeds = c.Probe, c.Seeds
	}
	var inputs []dataset.Input
	for _, t := range tasks {
		inputs = append(inputs, dataset.Input{Role: "task " + t.name, XXH3: t.hash})
	}
	specs := models.list()
	units := make([]dataset.Unit, len(specs))
	for i, s := range specs {
		units[i].Ordinal = i
		name := s.name
		if encoder.IsBaseline(s.location) {
			name += "=" + encoder.BaselineKind(s.location)
		}
		config.Models = append(config.Models, name)
		in, err := models.inputs(ctx, s)
		if err != nil {
			return nil, nil, fmt.Errorf("model %s: %w", s.name, err)
		}
		inputs = append(inputs, in...)
	}
	plan, err := dataset.Draft{
		Pipeline: "evaluate", PipelineVersion: Version, Schema: schemas.Result{}.Schema(), Config: config, ShardBytes: 1, Inputs: inputs, Units: units,
	}.Plan()
	return plan, units, err
}

// measure runs all tasks with one model.
func measure(ctx context.Context, folder storage.Folder, plan *dataset.Plan, unit int, tasks []loaded, open func() (encoder.Encoder, error)) (err error) {
	e, err := open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, encoder.Close(e)) }()
	out, err := dataset.Begin[schemas.Result](folder, plan, unit, dataset.NewChain(chainResults, stepMeasure))
	if err != nil {
		return err
	}
	defer out.Abort()
	for r, err := range measureAll(ctx, tasks, e) {
		if err != nil {
			return err
		}
		if err := errors.Join(out.Write(ctx, r), out.Funnel().Keep(chainResults, "und", 1)); err != nil {
			return err
		}
	}
	return out.Commit(ctx)
}
