package main

import (
	"context"
	"errors"

	"github.com/alecthomas/kong"

	"sentweave/pipelines/benchmarks"
	"sentweave/pipelines/corpus"
	"sentweave/pipelines/crosslingual"
	"sentweave/pipelines/dedup"
	"sentweave/pipelines/examples"
	"sentweave/pipelines/flags"
	"sentweave/pipelines/memories"
	"sentweave/pipelines/pairs"
	"sentweave/pipelines/translate"
	"sentweave/pipelines/units"
	"sentweave/pipelines/views"
	"sentweave/pipelines/wordcounts"
	"sentweave/runners/command"
	"sentweave/schemas/storage"
)

// commandLine lists the verbs.
type commandLine struct {
	Corpus     pipelineCommand[corpus.Config]     `cmd:"" group:"Build a corpus" help:"Turn HTML pages, texts, JSONL or web archives into documents: main content, sentences, languages, filters."`
	Dedup      pipelineCommand[dedup.Config]      `cmd:"" group:"Build a corpus" help:"Remove exact duplicates from documents or pairs, and texts that occur in other datasets."`
	Wordcounts pipelineCommand[wordcounts.Config] `cmd:"" group:"Build a corpus" help:"Count the words of documents or pairs by language."`
	Vocab      vocabCommand                       `cmd:"" group:"Build a corpus" help:"Learn a WordPiece vocabulary from word counts."`
	Pairs      pipelineCommand[pairs.Config]      `cmd:"" group:"Build a corpus" help:"Pair texts of documents: neighbouring ones, or blocks of pages that are translations of each other. Or import bitext, and pairs with scores or labels."`
	Examples   pipelineCommand[examples.Config]   `cmd:"" group:"Build a corpus" help:"Turn documents or pairs into training examples: tokens and masks."`

	MainContent mainContentCommand `cmd:"" name:"maincontent" group:"Build a corpus" help:"Train, measure and use models that tell the main content of pages from the rest."`

	Translations translationsCommand                  `cmd:"" group:"Translate test sets, make views" help:"Translate the texts of datasets with an engine, each text once: a translation memory."`
	Memories     pipelineCommand[memories.Config]     `cmd:"" group:"Translate test sets, make views" help:"Make a translation memory from TMX, Parquet or unfinished translations."`
	Benchmarks   benchmarksCommand                    `cmd:"" group:"Translate test sets, make views" help:"Turn the files of test sets into rows: SentEval, MultiNLI, SNLI, XNLI, PAWS-X, tables."`
	Translate    pipelineCommand[translate.Config]    `cmd:"" group:"Translate test sets, make views" help:"Make test sets in other languages from their source and a translation memory."`
	Folders      foldersCommand                       `cmd:"" group:"Translate test sets, make views" help:"Write benchmarks as folders, one for each language: for SentEval, or for Hugging Face's datasets."`
	Validate     validateCommand                      `cmd:"" group:"Translate test sets, make views" help:"Prove that translated benchmarks equal their source in rows, labels, splits, order and encodings. Exits with 1 if they do not."`
	Crosslingual pipelineCommand[crosslingual.Config] `cmd:"" group:"Translate test sets, make views" help:"Make cross-lingual pairs of inference: premise and hypothesis in different languages."`
	Views        viewsCommand                         `cmd:"" group:"Translate test sets, make views" help:"Pair each text with a view of it: other words with the same meaning."`

	Init    initCommand    `cmd:"" group:"Train an encoder" help:"Make an encoder with random weights, a copy of one, or one that begins as a bag of embeddings."`
	Train   trainCommand   `cmd:"" group:"Train an encoder" help:"Train an encoder by CMLM, bitext retrieval and other objectives, alone or together."`
	States  statesCommand  `cmd:"" group:"Train an encoder" help:"Compute the vectors of the tokens of examples once, for lenses on an encoder that stays as it is."`
	Replace replaceCommand `cmd:"" group:"Train an encoder" help:"Make views of texts: a masked language model replaces some of the words."`
	Prefix  prefixCommand  `cmd:"" group:"Train an encoder" help:"Measure what CMLM's prefix carries: the loss with the right, no, and a wrong first sentence."`

	Embed    embedCommand    `cmd:"" group:"Evaluate an encoder" help:"Turn the texts of a dataset into embeddings."`
	PCR      pcrCommand      `cmd:"" name:"pcr" group:"Evaluate an encoder" help:"Fit the principal components of each language, which carry the language and not the meaning."`
	Distill  distillCommand  `cmd:"" group:"Evaluate an encoder" help:"Learn from embeddings of translations to draw the meaning out of vectors, without the language."`
	Evaluate evaluateCommand `cmd:"" group:"Evaluate an encoder" help:"Measure encoders: similarity, retrieval of translations, retrieval in your own texts."`
	Report   reportCommand   `cmd:"" group:"Evaluate an encoder" help:"Show results, losses and embeddings on one page."`

	Run      runCommand      `cmd:"" group:"Run, and look at datasets" help:"Run a recipe: a whole experiment."`
	Status   statusCommand   `cmd:"" group:"Run, and look at datasets" help:"Say how far a recipe, a training or a dataset is: running, stopped, failed or whole."`
	Inspect  inspectCommand  `cmd:"" group:"Run, and look at datasets" help:"Show what a dataset is made of, or its rows."`
	Trace    traceCommand    `cmd:"" group:"Run, and look at datasets" help:"Show what each step of corpus says of one page."`
	Diff     diffCommand     `cmd:"" group:"Run, and look at datasets" help:"Compare two datasets: plan, funnel, content. Exits with 1 if their rows differ."`
	Export   exportCommand   `cmd:"" group:"Run, and look at datasets" help:"Write the rows as JSON lines, one column as text, or translations as TMX."`
	Verify   verifyCommand   `cmd:"" group:"Run, and look at datasets" help:"Read a whole dataset and check it against its manifest. Prints one line for each fault."`
	Finalize finalizeCommand `cmd:"" group:"Run, and look at datasets" help:"Write the manifest of a dataset whose units are all done."`

	Doctor     doctorCommand     `cmd:"" group:"This machine and clusters" help:"Say what is installed, what is missing, and how to get it."`
	Jobs       jobsCommand       `cmd:"" group:"This machine and clusters" help:"List, follow and cancel jobs on Dataflow."`
	WorkerPool workerPoolCommand `cmd:"" group:"This machine and clusters" help:"Start workers for the TaskManagers of a Flink cluster on this machine, or in this pod."`

	Version kong.VersionFlag `help:"Print the version and exit."`
}

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
	var out error
	if c.Out == "" {
		out = errors.New("out is empty: give the folder of the dataset to make")
	}
	return errors.Join(c.Config.Validate(), out, c.Settings.Validate(), c.options().Validate(), c.misplaced())
}

// Flags implements flags.Source.
func (c *pipelineCommand[C]) Flags() []flags.Flag {
	if source, ok := any(&c.Config).(flags.Source); ok {
		return source.Flags()
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

// Planned implements planner.
func (c *pipelineCommand[C]) Planned(ctx context.Context) (*units.Job, error) {
	output, err := storage.Absolute(c.Out) // a worker may have another working folder
	if err != nil {
		return nil, err
	}
	job, err := c.Config.Plan(ctx, output, c.Settings)
	if err != nil || c.Overwrite {
		return job, err
	}
	folder, err := job.Folder()
	if err != nil {
		return job, err
	}
	return job, job.Plan.Refused(ctx, folder)
}

// Run implements the verb.
func (c *pipelineCommand[C]) Run(ctx context.Context, p *command.Program) error {
	return runPipeline(ctx, p, c.pipelineFlags, c.Config)
}
