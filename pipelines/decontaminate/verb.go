package decontaminate

import "sentweave/pipelines/verb"

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "decontaminate", Group: verb.GroupCorpus,
	Help: "Drop documents or pairs in which texts of test sets are, or write both side by side.",
	Examples: []string{
		"decontaminate --documents documents --against benchmarks --out clean",
		"decontaminate --pairs pairs --against benchmarks,tatoeba --out clean",
		"decontaminate --pairs pairs --against benchmarks --hits --out hits",
	},
	Makes: verb.Output{Rows: "document", Rarely: true, Share: .6},
	Rates: verb.Rates{"": {Bytes: 9_000_000, Written: 1}, "of pairs": {Rows: 130_000, Written: 1}},
	Made: func(s verb.Step) verb.Product {
		if s.Value("hits") == "true" {
			return verb.Product{Rows: "contamination"}
		}
		return verb.AsRead(s)
	},
}
