package benchmarks

import (
	"context"
	"errors"
	"fmt"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
)

func (c config) plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.validate(), settings.Validate()); err != nil {
		return nil, err
	}
	c.Languages, _ = language.ParseAll(c.Languages) // which have been validated: de and deu are one plan
	c.Language, _ = language.Parse(c.Language)
	chosen, err := c.choose(ctx)
	if err != nil {
		return nil, err
	}
	list, input, err := chosen.list(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.refuseEmpty(list); err != nil {
		return nil, err
	}
	b := graph.New(settings)
	b.Input(input)
	graph.Write(b, "rows", b.Units(list), &task{Config: c, Input: chosen.root, Partial: c.Partial, Seed: settings.Seed})
	job, err := b.Job(output, dataset.Draft{Pipeline: "benchmarks", PipelineVersion: Version, Schema: schemas.Benchmark{}.Schema(),
		Config: c})
	if err != nil {
		return nil, fmt.Errorf("plan benchmarks: %w", err)
	}
	job.Notes = chosen.notes
	return job, nil
}
