package dedup

import "sentweave/pipelines/verb"

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "dedup", Group: verb.GroupCorpus,
	Help: "Remove exact duplicates from documents or pairs, and texts that occur in other datasets.",
	Examples: []string{
		"dedup --documents documents --out survivors",
		"dedup --documents documents --against heldout --out survivors",
	},
	Makes: verb.Output{Rows: "document", Share: .6},
	Made: func(s verb.Step) verb.Made { // what it reads
		if pairs, ok := s.Reads("pairs"); ok {
			return verb.Made{Rows: "pair", Kinds: pairs.Kinds}
		}
		return verb.Made{Rows: "document", Kinds: []string{"document"}}
	},
}
