package dedup

import "sentweave/pipelines/verb"

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "dedup", Group: verb.GroupCorpus,
	Help: "Remove exact and near duplicates from documents, exact ones from pairs, and texts that occur in other datasets.",
	Examples: []string{
		"dedup --documents documents --out survivors",
		"dedup --documents documents --against heldout --out survivors",
		"dedup --documents documents --near datatrove --out survivors",
		"dedup --documents documents --extend earlier-survivors --out survivors",
	},
	Makes: verb.Output{Rows: "document", Share: .6},
	Made:  verb.AsRead,
	Rates: verb.Rates{
		"": {Bytes: 8_000_000, Exchanged: .02, Written: 1},
		// What --extend knows is copied; two thirds of the shards lose a document, and are written anew.
		"document adopted": {Bytes: 30_000_000, Written: 1},
		"of pairs":         {Rows: 68_000, PerRow: 69, Written: 1},
		"sentence":         {Bytes: 7_500_000, Exchanged: .73, Written: 1},
		"paragraph":        {Bytes: 7_500_000, Exchanged: .42, Written: 1},
		"span":             {Bytes: 7_500_000, Exchanged: .76, Written: 1},
		// Near duplicates, in the handbook and 100,000 texts of 300 words.
		"datatrove": {Bytes: 5_000_000, PerRow: 580, Written: 1},
		"nemo":      {Bytes: 1_300_000, PerRow: 800, Written: 1},
	},
	WaysOut: map[string]string{
		ReasonElsewhere: "what --against names holds all of it: hold more texts out, or give more of them",
	},
}
