package pairs

import "sentweave/pipelines/verb"

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "pairs", Group: verb.GroupCorpus,
	Help: "Pair texts of documents: neighbouring ones, or blocks of pages that are translations of each other. Or import bitext, and pairs with scores or labels.",
	Examples: []string{
		"pairs --documents documents --out pairs",
		"pairs --kind parallel --documents documents --out pairs",
		"pairs --kind bitext --input opus --out pairs",
	},
}
