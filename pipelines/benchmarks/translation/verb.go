package translation

import "sentweave/pipelines/verb"

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "translate", Group: verb.GroupTranslate,
	Help: "Make test sets in other languages from their source and a translation memory.",
	Examples: []string{
		"translate --benchmarks benchmarks --memory translations --targets spa --out xeval",
	},
	Makes: verb.Output{Rows: "benchmark", Share: .2},
}
