package wordcounts

import "sentweave/pipelines/verb"

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "wordcounts", Group: verb.GroupCorpus,
	Help: "Count the words of documents or pairs by language.",
	Examples: []string{
		"wordcounts --documents survivors --out wordcounts",
		"wordcounts --documents documents --extend earlier-wordcounts --out wordcounts",
	},
	Makes: verb.Output{Rows: "wordcount", Share: .1},
	Rates: verb.Rates{
		"":         {Bytes: 8_500_000, Exchanged: .46},
		"of pairs": {Rows: 95_000, Exchanged: .75},
	},
}
