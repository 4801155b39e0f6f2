package examples

import (
	"strings"

	"sentweave/pipelines/pairs"
	"sentweave/pipelines/verb"
	"sentweave/schemas"
	"sentweave/transforms/pairs/pairing"
)

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "examples", Group: verb.GroupCorpus,
	Help: "Turn documents or pairs into training examples: tokens and masks.",
	Examples: []string{
		"examples --documents survivors --vocabulary vocabulary/vocab.txt --out examples",
		"examples --pairs pairs --vocabulary vocabulary/vocab.txt --out pair-examples",
		"examples --benchmarks reviews --splits train --above 3 --vocabulary vocabulary/vocab.txt --out class-examples",
	},
	Makes: verb.Output{Rows: "example", Share: .5},
	Made: func(s verb.Step) verb.Product {
		if input, ok := s.Reads("pairs"); ok {
			return verb.Product{Rows: "example", Kinds: input.Kinds}
		}
		if _, ok := s.Reads("benchmarks"); ok {
			return verb.Product{Rows: "example", Kinds: []string{schemas.KindSingle}}
		}
		return verb.Product{Rows: "example", Kinds: []string{schemas.KindConsecutive}}
	},
	Rates: verb.Rates{
		"":         {Bytes: 7_500_000, Written: 2},
		"of pairs": {Rows: 80_000, Written: 1.7},
	},
	WaysOut: map[string]string{
		pairing.ReasonNoNeighbour: pairs.NoNeighbour,
		ReasonUnknownLabel: "labels of pairs are " + strings.Join(schemas.Labels(), ", ") +
			", and those of benchmarks numbers from 0, which --above makes of others",
	},
}
