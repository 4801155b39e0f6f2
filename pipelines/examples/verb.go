package examples

import "sentweave/pipelines/verb"

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "examples", Group: verb.GroupCorpus,
	Help: "Turn documents or pairs into training examples: tokens and masks.",
	Examples: []string{
		"examples --documents survivors --vocabulary vocabulary/vocab.txt --out examples",
		"examples --pairs pairs --vocabulary vocabulary/vocab.txt --out pair-examples",
		"examples --benchmarks reviews --splits train --above 3 --vocabulary vocabulary/vocab.txt --out class-examples",
	},
}
