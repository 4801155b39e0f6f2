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
	"sentweave/pipelines/memories"
	"sentweave/pipelines/pairs"
	"sentweave/pipelines/translate"
	"sentweave/pipelines/views"
	"sentweave/pipelines/wordcounts"
	"sentweave/runners/command"
)

// commandLine lists the verbs.
type commandLine struct {
	Corpus       pipelineCommand[corpus.Config]       `cmd:"" group:"Pipelines" help:"Make documents of HTML pages, texts, JSONL or web archives: main content, sentences, languages, filters."`
	Dedup        pipelineCommand[dedup.Config]        `cmd:"" group:"Pipelines" help:"Drop exact duplicates from documents, and what stands in other datasets."`
	Wordcounts   pipelineCommand[wordcounts.Config]   `cmd:"" group:"Pipelines" help:"Count the words of documents by language."`
	Pairs        pipelineCommand[pairs.Config]        `cmd:"" group:"Pipelines" help:"Make pairs of texts: consecutive ones, or blocks of pages that translate each other."`
	Memories     pipelineCommand[memories.Config]     `cmd:"" group:"Pipelines" help:"Make a translation memory of those that others made: TMX, or Parquet."`
	Translations translationsCommand                  `cmd:"" group:"Pipelines" help:"Translate the texts of datasets by an engine, each of them once: a translation memory."`
	Benchmarks   pipelineCommand[benchmarks.Config]   `cmd:"" group:"Pipelines" help:"Make rows of the files of test sets: SentEval, MultiNLI, SNLI, XNLI, PAWS-X, tables."`
	Translate    pipelineCommand[translate.Config]    `cmd:"" group:"Pipelines" help:"Make test sets in other languages, of their source and a translation memory."`
	Crosslingual pipelineCommand[crosslingual.Config] `cmd:"" group:"Pipelines" help:"Make cross-lingual pairs of inference: premise and hypothesis in different languages."`
	Views        pipelineCommand[views.Config]        `cmd:"" group:"Pipelines" help:"Make pairs of a text and a view of it: other words with the same meaning."`
	Examples     pipelineCommand[examples.Config]     `cmd:"" group:"Pipelines" help:"Make training examples of documents or pairs: tokens and masks."`

	Vocab    vocabCommand    `cmd:"" group:"Stages" help:"Learn a WordPiece vocabulary from word counts."`
	Folders  foldersCommand  `cmd:"" group:"Stages" help:"Write benchmarks as folders, one for each language: for SentEval, or for Hugging Face's datasets."`
	Validate validateCommand `cmd:"" group:"Stages" help:"Prove translated benchmarks equal to their source in rows, labels, splits, order and encodings. Exits with 1 if they are not."`

	Init     initCommand     `cmd:"" group:"Encoders" help:"Make an encoder with random weights."`
	Train    trainCommand    `cmd:"" group:"Encoders" help:"Train an encoder by CMLM, bitext retrieval, or both."`
	Embed    embedCommand    `cmd:"" group:"Encoders" help:"Turn the texts of a dataset into a dataset of embeddings."`
	Replace  replaceCommand  `cmd:"" group:"Encoders" help:"Make views of texts: a masked language model replaces some of the words."`
	PCR      pcrCommand      `cmd:"" name:"pcr" group:"Encoders" help:"Fit the principal components of each language, which tell the language and not the meaning."`
	Prefix   prefixCommand   `cmd:"" group:"Encoders" help:"Measure what CMLM's prefix tells: its loss with the own, no and another first sentence."`
	Evaluate evaluateCommand `cmd:"" group:"Encoders" help:"Measure encoders: similarity, translations, paragraphs of one's own."`

	Report reportCommand `cmd:"" group:"Encoders" help:"Show results, losses and embeddings on one page."`

	Run      runCommand      `cmd:"" group:"Datasets" help:"Run a recipe: a whole experiment."`
	Status   statusCommand   `cmd:"" group:"Datasets" help:"Say how far a dataset is."`
	Inspect  inspectCommand  `cmd:"" group:"Datasets" help:"Show what a dataset is made of, or its rows."`
	Trace    traceCommand    `cmd:"" group:"Datasets" help:"Show what each step of corpus says of one page."`
	Diff     diffCommand     `cmd:"" group:"Datasets" help:"Compare two datasets: plan, funnel, content. Exits with 1 if their rows differ."`
	Export   exportCommand   `cmd:"" group:"Datasets" help:"Write the rows as JSON lines, one column as text, or translations as TMX."`
	Verify   verifyCommand   `cmd:"" group:"Datasets" help:"Read a dataset whole and check it against its manifest. Prints a line a fault."`
	Finalize finalizeCommand `cmd:"" group:"Datasets" help:"Write the manifest of a dataset whose units are all done."`

	Jobs       jobsCommand       `cmd:"" group:"Machine" help:"List, follow and cancel jobs on Dataflow."`
	WorkerPool workerPoolCommand `cmd:"" group:"Machine" help:"Start workers for the TaskManagers of a Flink cluster on this machine, or in this pod."`

	Doctor doctorCommand `cmd:"" group:"Machine" help:"Say what is installed, what is missing, and how to get it."`

	Version kong.VersionFlag `help:"Print the version and exit."`
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

// Run implements the verb.
func (c *pipelineCommand[C]) Run(ctx context.Context, p *command.Program) error {
	return runPipeline(ctx, p, c.pipelineFlags, c.Config)
}
