package fill

import "sentweave/pipelines/verb"

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "translations", Group: verb.GroupTranslate,
	Help: "Translate the texts of datasets with an engine, each text once: a translation memory.",
	Examples: []string{
		"translations --texts pairs --targets spa --engine apertium --out translations",
		"translations --texts benchmarks --targets spa,deu --engine google --google-project PROJECT --budget 20USD --estimate --out translations",
	},
	Makes: verb.Output{Rows: "translation", Share: .2},
}
