package sample

import "sentweave/pipelines/verb"

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "sample", Group: verb.GroupCorpus,
	Help: "Draw a sample of documents or pairs, of all or of each language. Smaller samples lie within larger ones.",
	Examples: []string{
		"sample --documents documents --rows 10000 --out sample",
		"sample --pairs pairs --rows 100000 --by language --out sample",
		"sample --documents documents --share 0.1 --by language --alpha 0.3 --out sample",
	},
	Makes: verb.Output{Rows: "document"},
	Made:  verb.AsRead,
	Rates: verb.Rates{ // of the Debian handbook in 26 languages, 6 and 19 MB
		"":         {Bytes: 4_500_000, PerRow: 22},
		"of pairs": {Rows: 45_000, PerRow: 22},
	},
	Wanted: []string{ReasonNotDrawn},
}
