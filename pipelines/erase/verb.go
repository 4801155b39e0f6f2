package erase

import "sentweave/pipelines/verb"

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "erase", Group: verb.GroupCorpus,
	Help: "Take all that comes from listed addresses out of documents or pairs, and certify it.",
	Examples: []string{
		"erase --documents documents --urls takedown.txt --out erased",
		"erase --documents documents --domains domains.txt.gz --search data --out erased",
		"erase --documents documents --pairs pairs --urls takedown.txt --out erased-pairs",
	},
	Makes:  verb.Output{Rows: "document", Rarely: true},
	Made:   verb.AsRead,
	Rates:  verb.Rates{"": {Bytes: 12_000_000, Written: 1}}, // of the Debian handbook, where each shard loses rows; 50 MB/s where none does
	Wanted: []string{ReasonListed},
}
