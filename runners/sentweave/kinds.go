package main

import (
	"sentweave/pipelines/benchmarks"
	"sentweave/pipelines/views"
	"sentweave/runners/pipeline"
)

// benchmarksCommand lists the formats of test sets.
type benchmarksCommand struct {
	SentEval pipeline.Command[benchmarks.Format[benchmarks.SentEval]] `cmd:"" name:"senteval" help:"SentEval's folder data/downstream."`
	MultiNLI pipeline.Command[benchmarks.Format[benchmarks.MultiNLI]] `cmd:"" name:"multinli" help:"Files of MultiNLI, as .txt or .jsonl."`
	SNLI     pipeline.Command[benchmarks.Format[benchmarks.SNLI]]     `cmd:"" name:"snli" help:"Files of SNLI, as .txt or .jsonl."`
	XNLI     pipeline.Command[benchmarks.Format[benchmarks.XNLI]]     `cmd:"" name:"xnli" help:"XNLI's development and test set, in 15 languages."`
	XNLIMT   pipeline.Command[benchmarks.Format[benchmarks.XNLIMT]]   `cmd:"" name:"xnli-mt" help:"XNLI-MT: MultiNLI's training set, translated into the languages of XNLI."`
	PAWSX    pipeline.Command[benchmarks.Format[benchmarks.PAWSX]]    `cmd:"" name:"paws-x" help:"PAWS-X, in seven languages."`
	Table    pipeline.Command[benchmarks.Format[benchmarks.Table]]    `cmd:"" help:"Your own files: columns between tabs or commas, or a text a line."`
}

// viewsCommand lists the kinds of views.
type viewsCommand struct {
	Synonym         pipeline.Command[views.Kind[views.Synonym]]         `cmd:"" help:"Replace words by synonyms of WordNet."`
	Entailment      pipeline.Command[views.Kind[views.Entailment]]      `cmd:"" help:"Take what premises entail, by the labels of a corpus of inference."`
	BackTranslation pipeline.Command[views.Kind[views.BackTranslation]] `cmd:"" help:"Translate texts there and back."`
	Translation     pipeline.Command[views.Kind[views.Translation]]     `cmd:"" help:"Take the translations of texts."`
}
