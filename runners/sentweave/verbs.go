package main

import (
	"slices"

	"sentweave/pipelines/benchmarks"
	"sentweave/pipelines/benchmarks/translation"
	"sentweave/pipelines/corpus"
	"sentweave/pipelines/crosslingual"
	"sentweave/pipelines/dedup"
	"sentweave/pipelines/examples"
	"sentweave/pipelines/memory/fill"
	"sentweave/pipelines/memory/ingest"
	"sentweave/pipelines/pairs"
	"sentweave/pipelines/sample"
	"sentweave/pipelines/verb"
	"sentweave/pipelines/views"
	"sentweave/pipelines/wordcounts"
	"sentweave/runners/models"
)

// allVerbs are those of this program, in the order of help.
var allVerbs = slices.Concat([]verb.Verb{
	pipeline[corpus.Config](corpus.Verb),
	pipeline[dedup.Config](dedup.Verb),
	pipeline[sample.Config](sample.Verb),
	pipeline[wordcounts.Config](wordcounts.Verb),
	vocabVerb,
	pipeline[pairs.Config](pairs.Verb),
	pipeline[examples.Config](examples.Verb),
	mainContentVerb,
	flagsOf[translationsCommand](fill.Verb),
	pipeline[ingest.Config](ingest.Verb),
	flagsOf[benchmarksCommand](benchmarks.Verb),
	pipeline[translation.Config](translation.Verb),
	foldersVerb,
	validateVerb,
	pipeline[crosslingual.Config](crosslingual.Verb),
	flagsOf[viewsCommand](views.Verb),
}, models.Verbs, []verb.Verb{
	pcrVerb,
	distillVerb,
	evaluateVerb,
	reportVerb,
	runVerb,
	statusVerb,
	inspectVerb,
	traceVerb,
	diffVerb,
	exportVerb,
	verifyVerb,
	finalizeVerb,
	doctorVerb,
	jobsVerb,
	workerPoolVerb,
})

// pipeline is the verb of a pipeline whose configuration is C.
func pipeline[C pipelineConfig](v verb.Verb) verb.Verb { return flagsOf[pipelineCommand[C]](v) }

// flagsOf is a verb whose flags are those of T.
func flagsOf[T any](v verb.Verb) verb.Verb {
	v.New = func() any { return new(T) }
	return v
}
