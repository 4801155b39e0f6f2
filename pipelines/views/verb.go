package views

import (
	"sentweave/pipelines/verb"
	"sentweave/schemas"
)

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "views", Group: verb.GroupTranslate,
	Help: "Pair each text with a view of it: other words with the same meaning.",
	Examples: []string{
		"views synonym --texts documents --wordnet /usr/share/wordnet --out views",
		"views entailment --texts benchmarks --out views",
		"views translation --texts pairs --there translations --targets spa --out views",
		"views back-translation --texts pairs --there there --back back --through spa --out views",
	},
	Makes: verb.Output{Rows: "pair", Share: .5},
	Made:  verb.Making("pair", schemas.KindView, schemas.KindBitext), // of another language they are translations
	WaysOut: map[string]string{
		ReasonLanguage: "--language names that of the texts",
		ReasonSplit:    "--splits names those to take",
	},
}
