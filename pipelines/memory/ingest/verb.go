package ingest

import "sentweave/pipelines/verb"

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "memories", Group: verb.GroupTranslate,
	Help: "Make a translation memory from TMX, Parquet or unfinished translations.",
	Examples: []string{
		"memories --input memory.tmx --out memory",
	},
	Makes: verb.Output{Rows: "translation", Share: .2},
	Rates: verb.Rates{
		"": {Bytes: 22_000_000}, // TMX
	},
	Imports: true, Dangling: true,
	WaysOut: map[string]string{
		ReasonNoSource:      "--source names the language of the texts, and --both takes each pair in both directions",
		ReasonNoTranslation: "their units hold texts in one language only",
	},
}
