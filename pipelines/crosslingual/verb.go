package crosslingual

import (
	"sentweave/pipelines/verb"
	"sentweave/schemas"
)

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "crosslingual", Group: verb.GroupTranslate,
	Help: "Make cross-lingual pairs of inference: premise and hypothesis in different languages.",
	Examples: []string{
		"crosslingual --benchmarks xnli --out pairs",
	},
	Makes: verb.Output{Rows: "pair", Share: .5},
	Made:  verb.Making("pair", schemas.KindNLI),
	WaysOut: map[string]string{
		ReasonSplit: "--splits names those to take",
	},
}
