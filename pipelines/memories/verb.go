package memories

import "sentweave/pipelines/verb"

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "memories", Group: verb.GroupTranslate,
	Help: "Make a translation memory from TMX, Parquet or unfinished translations.",
	Examples: []string{
		"memories --input memory.tmx --out memory",
	},
	Makes: verb.Output{Rows: "translation", Share: .2},
}
