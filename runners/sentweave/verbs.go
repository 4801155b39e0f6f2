package main

import (
	"slices"

	"sentweave/pipelines/benchmarks"
	"sentweave/pipelines/benchmarks/translation"
	"sentweave/pipelines/corpus"
	"sentweave/pipelines/crosslingual"
	"sentweave/pipelines/decontaminate"
	"sentweave/pipelines/dedup"
	"sentweave/pipelines/erase"
	"sentweave/pipelines/examples"
	"sentweave/pipelines/index"
	"sentweave/pipelines/memory/fill"
	"sentweave/pipelines/memory/ingest"
	"sentweave/pipelines/pairfilter"
	"sentweave/pipelines/pairnoise"
	"sentweave/pipelines/pairs"
	"sentweave/pipelines/sample"
	"sentweave/pipelines/verb"
	"sentweave/pipelines/views"
	"sentweave/pipelines/wordcounts"
	"sentweave/runners/datasets"
	"sentweave/runners/machine"
	"sentweave/runners/pipeline"
	"sentweave/runners/recipe/engine"
	"sentweave/runners/status"
	"sentweave/runners/torchverbs"
	"sentweave/runners/trials"
)

// allVerbs are those of this program, in the order of help.
var allVerbs = slices.Concat([]verb.Verb{
	pipeline.Verb[corpus.Config](corpus.Verb),
	pipeline.Verb[dedup.Config](dedup.Verb),
	pipeline.Verb[sample.Config](sample.Verb),
	qualityVerb,
	langidVerb,
	pipeline.Verb[wordcounts.Config](wordcounts.Verb),
	vocabVerb,
	pipeline.Verb[pairs.Config](pairs.Verb),
	pipeline.Verb[index.Config](index.Verb),
	pipeline.MineVerb,
	pipeline.Verb[pairfilter.Config](pairfilter.Verb),
	pipeline.Verb[pairnoise.Config](pairnoise.Verb),
	pairTrainVerb,
	pipeline.Verb[decontaminate.Config](decontaminate.Verb),
	flagsOf[pipeline.Erase](erase.Verb),
	pipeline.Verb[examples.Config](examples.Verb),
	mainContentVerb,
	flagsOf[pipeline.Translations](fill.Verb),
	pipeline.Verb[ingest.Config](ingest.Verb),
	flagsOf[benchmarksCommand](benchmarks.Verb),
	pipeline.Verb[translation.Config](translation.Verb),
	foldersVerb,
	validateVerb,
	pipeline.Verb[crosslingual.Config](crosslingual.Verb),
	flagsOf[viewsCommand](views.Verb),
}, torchverbs.Verbs, trials.Verbs, []verb.Verb{
	pcrVerb,
	distillVerb,
	evaluateVerb,
	reportVerb,
	publishVerb,
	engine.Verb,
	status.Verb,
}, datasets.Verbs, machine.Verbs)

// flagsOf is a verb whose flags are those of T.
func flagsOf[T any](v verb.Verb) verb.Verb {
	v.New = func() any { return new(T) }
	return v
}
