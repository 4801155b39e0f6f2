package corpus

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/document"
	"sentweave/transforms/langid"
)

// task reads the files of a unit and writes its documents.
type task struct {
	Config Config
	// Input and Langid are absolute; they do not travel in Config, which is what
	// the plan records.
	Input, Langid string

	folder   storage.Folder
	layout   Layout
	builders sync.Pool // of *document.Builder; each has its own identifier
}

func (c Config) task() (*task, error) {
	input, err := filepath.Abs(c.Input)
	if err != nil {
		return nil, err
	}
	t := &task{Config: c, Input: input}
	if c.Langid != "" {
		if t.Langid, err = filepath.Abs(c.Langid); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Setup implements units.Task.
func (t *task) Setup(context.Context) error {
	var err error
	if t.folder, err = storage.At(t.Input); err != nil {
		return err
	}
	if t.layout, err = ParseLayout(t.Config.Layout); err != nil {
		return err
	}
	build, err := t.Config.NewBuilder(t.Langid)
	if err != nil {
		return err
	}
	t.builders.New = func() any { return build() }
	return nil
}

// NewBuilder returns a maker of builders with this configuration: each of them
// for one goroutine, all with the same model.
func (c Config) NewBuilder(model string) (func() *document.Builder, error) {
	config, err := c.document()
	if err != nil {
		return nil, err
	}
	if model == "" {
		b, err := document.NewBuilder(config, nil)
		return func() *document.Builder { return b }, err
	}
	identifier, err := langid.OpenFastText(model)
	if err != nil {
		return nil, err
	}
	if _, err := document.NewBuilder(config, identifier); err != nil {
		return nil, err
	}
	return func() *document.Builder {
		b, _ := document.NewBuilder(config, identifier.Clone()) // the configuration was good a moment ago
		return b
	}, nil
}

// Do implements units.Task.
func (t *task) Do(ctx context.Context, env units.Env, unit dataset.Unit, _ []units.Ref) error {
	attempt, err := dataset.Begin[schemas.Document](env.Folder, env.Plan, unit.Ordinal, document.Chains()...)
	if err != nil {
		return err
	}
	defer attempt.Abort()
	builder := t.builders.Get().(*document.Builder)
	defer t.builders.Put(builder)
	for _, span := range unit.Spans {
		reader := recordReader{config: t.Config, layout: t.layout, folder: t.folder}
		err := reader.records(ctx, span, func(r document.Record, fault document.Verdict) error {
			outcome := &document.Outcome{Verdict: fault}
			if fault.Kept() {
				outcome = builder.Build(r)
			} else {
				outcome.Document = schemas.Document{ID: schemas.ID(r.Source, r.Offset), Source: r.Source, Offset: r.Offset, Language: "und"}
			}
			if err := outcome.Count(attempt.Funnel(), attempt.Rejects()); err != nil {
				return err
			}
			if !outcome.Kept() {
				return nil
			}
			return attempt.Write(ctx, outcome.Document)
		})
		if err != nil {
			return fmt.Errorf("read %s in %s: %w", span.Name, t.folder, err)
		}
	}
	return attempt.Commit(ctx)
}
