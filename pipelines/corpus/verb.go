package corpus

import "sentweave/pipelines/verb"

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "corpus", Group: verb.GroupCorpus,
	Help: "Turn HTML pages, texts, JSONL or web archives into documents: main content, sentences, languages, filters.",
	Examples: []string{
		"corpus --input pages --out documents",
		"corpus --input pages --layout '{language}/{page}.html' --langid lid.176.ftz --languages eng,spa --out documents",
	},
	Makes: verb.Output{Rows: "document", Share: .02},
}
