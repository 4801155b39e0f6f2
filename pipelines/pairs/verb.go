package pairs

import (
	"cmp"

	"sentweave/pipelines/verb"
	"sentweave/schemas"
)

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "pairs", Group: verb.GroupCorpus,
	Help: "Pair texts of documents: neighbouring ones, or blocks of pages that are translations of each other. Or import bitext, and pairs with scores or labels.",
	Examples: []string{
		"pairs --documents documents --out pairs",
		"pairs --kind parallel --documents documents --out pairs",
		"pairs --kind bitext --input opus --out pairs",
	},
	Makes: verb.Output{Rows: "pair", Share: .2},
	Made: func(s verb.Step) verb.Made {
		kind := cmp.Or(s.Value("kind"), schemas.KindConsecutive)
		if kind == Parallel {
			kind = schemas.KindBitext
		}
		return verb.Made{Rows: "pair", Kinds: []string{kind}}
	},
}
