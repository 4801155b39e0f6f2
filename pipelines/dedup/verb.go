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
	Made:  verb.AsRead,
	Rates: verb.Rates{
		"":         {Bytes: 8_000_000, Exchanged: .02, Written: 1},
		"of pairs": {Rows: 68_000, PerRow: 69, Written: 1},
		"sentence": {Bytes: 7_500_000, Exchanged: .73, Written: 1},
	},
	WaysOut: map[string]string{
		ReasonElsewhere: "what --against names holds all of it: hold more texts out, or give more of them",
	},
}
