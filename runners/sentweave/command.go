package main

import (
	"context"
	"errors"

	"github.com/alecthomas/kong"

	"sentweave/pipelines/benchmarks"
	"sentweave/pipelines/flags"
	"sentweave/pipelines/units"
	"sentweave/pipelines/views"
	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// benchmarksCommand lists the formats of test sets.
type benchmarksCommand struct {
	SentEval pipelineCommand[benchmarks.Format[benchmarks.SentEval]] `cmd:"" name:"senteval" help:"SentEval's folder data/downstream."`
	MultiNLI pipelineCommand[benchmarks.Format[benchmarks.MultiNLI]] `cmd:"" name:"multinli" help:"Files of MultiNLI, as .txt or .jsonl."`
	SNLI     pipelineCommand[benchmarks.Format[benchmarks.SNLI]]     `cmd:"" name:"snli" help:"Files of SNLI, as .txt or .jsonl."`
	XNLI     pipelineCommand[benchmarks.Format[benchmarks.XNLI]]     `cmd:"" name:"xnli" help:"XNLI's development and test set, in 15 languages."`
	XNLIMT   pipelineCommand[benchmarks.Format[benchmarks.XNLIMT]]   `cmd:"" name:"xnli-mt" help:"XNLI-MT: MultiNLI's training set, translated into the languages of XNLI."`
	PAWSX    pipelineCommand[benchmarks.Format[benchmarks.PAWSX]]    `cmd:"" name:"paws-x" help:"PAWS-X, in seven languages."`
	Table    pipelineCommand[benchmarks.Format[benchmarks.Table]]    `cmd:"" help:"Your own files: columns between tabs or commas, or a text a line."`
}

// viewsCommand lists the kinds of views.
type viewsCommand struct {
	Synonym         pipelineCommand[views.Kind[views.Synonym]]         `cmd:"" help:"Replace words by synonyms of WordNet."`
	Entailment      pipelineCommand[views.Kind[views.Entailment]]      `cmd:"" help:"Take what premises entail, by the labels of a corpus of inference."`
	BackTranslation pipelineCommand[views.Kind[views.BackTranslation]] `cmd:"" help:"Translate texts there and back."`
	Translation     pipelineCommand[views.Kind[views.Translation]]     `cmd:"" help:"Take the translations of texts."`
}

// pipelineCommand is the verb of a pipeline.
type pipelineCommand[C pipelineConfig] struct {
	pipelineFlags
	Config C `embed:""`
}

// Validate is called by the parser, so that the faults of flags and
// configuration come at once and before any work.
func (c *pipelineCommand[C]) Validate() error {
	var fault error
	if c.Out == "" {
		fault = errors.New("out is empty: give the folder of the dataset to make")
	}
	return errors.Join(c.Config.Validate(), fault, c.Settings.Validate(), c.options().Validate(), c.misplaced())
}

// Flags implements flags.Source.
func (c *pipelineCommand[C]) Flags() []flags.Flag {
	if source, ok := any(&c.Config).(flags.Source); ok {
		return source.Flags()
	}
	return nil
}

// Vars implements flags.Texts.
func (c *pipelineCommand[C]) Vars() map[string]string {
	if texts, ok := any(&c.Config).(flags.Texts); ok {
		return texts.Vars()
	}
	return nil
}

// Help implements kong.HelpProvider: what --help shows beside the flags.
func (c *pipelineCommand[C]) Help() string {
	if provider, ok := any(&c.Config).(kong.HelpProvider); ok {
		return provider.Help()
	}
	return ""
}

// Look implements planner. Pipelines without a Look of their own are planned: they read datasets,
// which tell what is in them, or files of test sets and memories, which are small.
func (c *pipelineCommand[C]) Look(ctx context.Context) error {
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

// Translations implements translationReader.
func (c *pipelineCommand[C]) Translations() (flag string, languages []string, pivot string) {
	if reader, ok := any(c.Config).(translationReader); ok {
		return reader.Translations()
	}
	return "", nil, ""
}

// LookTranslated implements translationSource.
func (c *pipelineCommand[C]) LookTranslated(ctx context.Context, languages []string, pivot string) error {
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

// Planned implements planner.
func (c *pipelineCommand[C]) Planned(ctx context.Context) (*units.Job, error) {
	output, err := storage.Absolute(c.Out) // a worker may have another working folder
	if err != nil {
		return nil, err
	}
	return c.Config.Plan(ctx, output, c.Settings)
}

// Standing implements stander.
func (c *pipelineCommand[C]) Standing(ctx context.Context) (dataset.State, error) {
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
func (c *pipelineCommand[C]) Run(ctx context.Context, p *command.Program) error {
	return runPipeline(ctx, p, c.pipelineFlags, c.Config)
}
