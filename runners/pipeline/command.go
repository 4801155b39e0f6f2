// Package pipeline makes verbs of pipelines: a Command has the flags of a pipeline and those of where it runs, plans it,
// runs it, and shows its progress and its funnel.
package pipeline

import (
	"context"
	"errors"

	"github.com/alecthomas/kong"

	"sentweave/pipelines/flags"
	"sentweave/pipelines/units"
	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// Verb is the verb of a pipeline whose configuration is C, given what the pipeline says of it.
func Verb[C Config](v verb.Verb) verb.Verb {
	v.New = func() any { return new(Command[C]) }
	return v
}

// Command is the verb of a pipeline.
type Command[C Config] struct {
	datasetFlags
	Config C `embed:""`
}

// Validate is called by the parser, so that the faults of flags and
// configuration come at once and before any work.
func (c *Command[C]) Validate() error {
	var fault error
	if c.Out == "" {
		fault = errors.New("out is empty: give the folder of the dataset to make")
	}
	return errors.Join(c.Config.Validate(), fault, c.Settings.Validate(), c.options().Validate(), c.misplaced())
}

// Flags implements flags.Source.
func (c *Command[C]) Flags() []flags.Flag {
	if source, ok := any(&c.Config).(flags.Source); ok {
		return source.Flags()
	}
	return nil
}

// Vars implements flags.Texts.
func (c *Command[C]) Vars() map[string]string {
	if texts, ok := any(&c.Config).(flags.Texts); ok {
		return texts.Vars()
	}
	return nil
}

// Help implements kong.HelpProvider: what --help shows beside the flags.
func (c *Command[C]) Help() string {
	if provider, ok := any(&c.Config).(kong.HelpProvider); ok {
		return provider.Help()
	}
	return ""
}

// Look answers a recipe; see the package engine. Pipelines without a Look of their own are planned: they read datasets,
// which tell what is in them, or files of test sets and memories, which are small.
func (c *Command[C]) Look(ctx context.Context) error {
	output, err := storage.Absolute(c.Out)
	if err != nil {
		return err
	}
	if looker, ok := any(c.Config).(interface {
		Look(ctx context.Context, output string) error
	}); ok {
		return looker.Look(ctx, output)
	}
	_, err = c.Config.Plan(ctx, output, c.Settings)
	return err
}

// Translations answers a recipe; see the package engine.
func (c *Command[C]) Translations() (flag string, languages []string, pivot string) {
	if reader, ok := any(c.Config).(interface {
		Translations() (flag string, languages []string, pivot string)
	}); ok {
		return reader.Translations()
	}
	return "", nil, ""
}

// LookTranslated answers a recipe; see the package engine.
func (c *Command[C]) LookTranslated(ctx context.Context, languages []string, pivot string) error {
	source, ok := any(c.Config).(interface {
		LookTranslated(ctx context.Context, output string, languages []string, pivot string) error
	})
	if !ok {
		return nil
	}
	output, err := storage.Absolute(c.Out)
	if err != nil {
		return err
	}
	return source.LookTranslated(ctx, output, languages, pivot)
}

// Planned answers a recipe; see the package engine.
func (c *Command[C]) Planned(ctx context.Context) (*units.Job, error) {
	output, err := storage.Absolute(c.Out) // a worker may have another working folder
	if err != nil {
		return nil, err
	}
	return c.Config.Plan(ctx, output, c.Settings)
}

// Standing answers a recipe; see the package engine.
func (c *Command[C]) Standing(ctx context.Context) (dataset.Fate, error) {
	job, err := c.Planned(ctx)
	if err != nil {
		return dataset.Fresh, err
	}
	folder, err := job.Folder()
	if err != nil {
		return dataset.Fresh, err
	}
	return job.Plan.Standing(ctx, folder)
}

// Run implements the verb.
func (c *Command[C]) Run(ctx context.Context, p *command.Program) error {
	return runPipeline(ctx, p, c.datasetFlags, c.Config)
}
