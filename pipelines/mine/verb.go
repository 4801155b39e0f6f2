package mine

import (
	"sentweave/pipelines/verb"
	"sentweave/schemas"
	"sentweave/transforms/measure/mining"
)

// restricted is the rate of 42,000 vectors a side, of 384 dimensions and 600 hosts.
var restricted = verb.Rate{Rows: 12_000, Exchanged: 1.1, PerRow: 190}

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "mine", Group: verb.GroupCorpus,
	Help: "Find translations among the sentences of two datasets of embeddings by the margin of their cosines, or hard negatives.",
	Examples: []string{
		"mine --source vectors-deu --target vectors-eng --out mined",
		"mine --source vectors --target vectors --languages deu,eng --gold true-pairs --out mined",
		"mine --source vectors-deu --target vectors-eng --within host --source-documents deu --target-documents eng --out mined",
		"mine --source vectors-deu --target vectors-eng --source-index index-deu --target-index index-eng --probes 64 --out mined",
		"mine --source vectors-deu --target vectors-eng --negatives 3 --out negatives",
	},
	Makes: verb.Output{Rows: "pair"},
	Made: func(s verb.Step) verb.Product {
		if n := s.Value("negatives"); n != "" && n != "0" {
			return verb.Product{Rows: "pair", Kinds: []string{schemas.KindNLI}}
		}
		return verb.Product{Rows: "pair", Kinds: []string{schemas.KindBitext}}
	},
	Rates: verb.Rates{
		"":         {Operations: 60e9, PerRow: 190}, // 20,000 and 100,000 vectors a side, of 384 dimensions
		withinHost: restricted, withinDate: restricted, withinPage: restricted,
	},
	WaysOut: map[string]string{
		ReasonThreshold: "--threshold says which scores are high enough; --gold finds it by true pairs",
		reasonLanguage:  "--languages names the languages that are taken",
		reasonUnprobed:  "--probes says how many lists are searched",
		reasonNoKey:     "the documents of these sentences have no address, date or page in the layout: --within takes another one, or leave it out",
		ReasonAlone:     "the other side has nothing of the same host, date or page: --within takes another one, or leave it out",
	},
	Wanted: []string{ReasonRetrieval, ReasonThreshold, reasonMissed, mining.ReasonAbsent, reasonLanguage},
}
