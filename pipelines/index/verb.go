package index

import "sentweave/pipelines/verb"

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "index", Group: verb.GroupCorpus,
	Help: "Make an index of embeddings, with which mine compares each sentence with few others and not with all.",
	Examples: []string{
		"index --vectors vectors-eng --out index-eng",
		"index --vectors vectors-eng --lists 1000 --out index-eng",
	},
	Makes: verb.Output{Rows: "invertedlist"},
	Rates: verb.Rates{"": {Operations: 40e9, Exchanged: 1.1, Written: 1}},
}
