package benchmarks

import "sentweave/pipelines/verb"

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "benchmarks", Group: verb.GroupTranslate,
	Help: "Turn the files of test sets into rows: SentEval, MultiNLI, SNLI, XNLI, PAWS-X, tables.",
	Examples: []string{
		"benchmarks senteval --input downstream --out benchmarks",
		"benchmarks multinli --input multinli_1.0 --out benchmarks",
		"benchmarks snli --input snli_1.0 --out benchmarks",
		"benchmarks xnli --input XNLI-1.0 --out benchmarks",
		"benchmarks xnli-mt --input XNLI-MT-1.0 --out benchmarks",
		"benchmarks paws-x --input x-final --out benchmarks",
		"benchmarks table --input tables --files reviews.tsv --columns text_a=review --task reviews --out benchmarks",
		"benchmarks table --input tables --files reviews.tsv --columns text_a=review,label=stars --task reviews --out benchmarks",
	},
	Makes: verb.Output{Rows: "benchmark", Share: .2},
	Rates: verb.Rates{
		"": {Bytes: 9_000_000}, // SentEval's files
	},
	Imports: true,
}
