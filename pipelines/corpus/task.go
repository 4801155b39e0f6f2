package corpus

import (
	"context"
	"fmt"
	"sync"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/identifier"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/clean/langid"
	"sentweave/transforms/document"
	"sentweave/transforms/read/layout"
)

// task reads the files of a unit and writes its documents.
type task struct {
	Config Config
	// Input is absolute, and the others are empty where no model or list is used; they do not
	// travel in Config, which is what the plan records.
	Input                  string
	Langid, Block, Quality units.File
	// Named are the files of languages that flags name.
	Named []LanguageFile
	// Extended is the dataset of which units are taken over, nil for none.
	Extended *units.Dataset

	folder   storage.Folder
	layout   layout.Layout
	builders sync.Pool // of *document.Builder; each has its own identifier
}

// Setup implements graph.Task.
func (t *task) Setup(ctx context.Context) error {
	var err error
	if t.folder, err = storage.Locate(t.Input); err != nil {
		return err
	}
	if t.layout, err = layout.Parse(t.Config.Layout); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		units.File
	}{{"block", t.Block}, {"quality-model", t.Quality}} {
		if f.Location != "" {
			if err := f.Verify(ctx); err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
		}
	}
	for _, f := range t.Named {
		if err := f.Verify(ctx); err != nil {
			return fmt.Errorf("%s: %w", f.Flag, err)
		}
	}
	if err := units.ReopenExtended[schemas.Document](ctx, t.Extended); err != nil {
		return err
	}
	blocks, err := readBlocked(ctx, t.Block.Location)
	if err != nil {
		return err
	}
	classifier, err := t.Config.openQuality(ctx, t.Quality.Location)
	if err != nil {
		return err
	}
	var named document.Config
	if err := openLanguageFiles(ctx, t.Named, &named); err != nil {
		return err
	}
	model, err := identifier.Load(ctx, t.Langid)
	if err != nil {
		return err
	}
	build, err := t.Config.newBuilder(model, func(d *document.Config) {
		d.Blocks, d.Quality, d.Models, d.Words = blocks, classifier, named.Models, named.Words
	})
	if err != nil {
		return err
	}
	t.builders.New = func() any { return build() }
	return nil
}

// newBuilder returns a maker of builders with this configuration, which adapt may change: each of them
// for one goroutine, all with the same model, nil for none.
func (c Config) newBuilder(model *langid.FastText, adapt func(*document.Config)) (func() *document.Builder, error) {
	config, err := c.document()
	if err != nil {
		return nil, err
	}
	adapt(&config)
	if model == nil {
		b, err := document.NewBuilder(config, nil)
		return func() *document.Builder { return b }, err
	}
	b, err := document.NewBuilder(config, model)
	if err != nil {
		return nil, err
	}
	return func() *document.Builder { return b.WithIdentifier(model.Clone()) }, nil
}

// Chains implements graph.Task.
func (t *task) Chains() []dataset.Chain {
	return document.Chains(!t.layout.IsZero() && t.Langid.Location != "", len(t.Config.MaskPII) > 0)
}

// Write implements graph.Writer.
func (t *task) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Document]) error {
	if unit.Adopts != nil {
		return t.adopt(ctx, unit, attempt)
	}
	builder := t.builders.Get().(*document.Builder)
	defer t.builders.Put(builder)
	reader := recordReader{config: t.Config, layout: t.layout, folder: t.folder, shardBytes: unit.Plan.ShardBytes}
	gauge, offset := units.GaugeOf(ctx), int64(0)
	gauge.Expect(bytesOf(unit.Spans))
	for _, span := range unit.Spans {
		err := reader.records(ctx, span, func(r document.Record) error {
			if err := ctx.Err(); err != nil { // a page may take long
				return err
			}
			gauge.Item()
			gauge.Set(offset + min(reader.read(span, r), span.To-span.From))
			outcome := builder.Build(r)
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
		offset += span.To - span.From
		gauge.Set(offset)
	}
	return nil
}

// adopt takes a unit over from the dataset that is extended.
func (t *task) adopt(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Document]) error {
	gauge, bytes := units.GaugeOf(ctx), bytesOf(unit.Spans)
	gauge.Expect(bytes)
	defer gauge.Set(bytes)
	return units.Adopt(ctx, t.Extended, unit.Unit, attempt)
}

func bytesOf(spans []dataset.Span) (n int64) {
	for _, span := range spans {
		n += span.To - span.From
	}
	return n
}
