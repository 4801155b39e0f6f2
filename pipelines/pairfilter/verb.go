package pairfilter

import (
	"fmt"

	"sentweave/pipelines/verb"
	"sentweave/transforms/pairs/pairfilters"
)

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "pairfilter", Group: verb.GroupCorpus,
	Help: "Drop pairs by the published rules of OpusFilter and bicleaner-hardrules, with reasons; or write what they measure.",
	Examples: []string{
		"pairfilter --pairs pairs --out filtered",
		"pairfilter --pairs pairs --preset opusfilter --langid lid.176.ftz --out filtered",
		"pairfilter --pairs pairs --filters length-ratio,similarity --max-length-ratio 2 --out filtered",
		"pairfilter --pairs pairs --embeddings vectors --preset laser --min-margin 1.02 --out filtered",
		"pairfilter --pairs pairs --scores --out scores",
	},
	Makes: verb.Output{Rows: "pair"},
	Rates: verb.Rates{verb.ByOperations: {Operations: 60e9, PerRow: 50}}, // margins of 40,000 pairs, vectors of 384 dimensions
	Made: func(s verb.Step) verb.Product {
		if s.Value("scores") == "true" {
			return verb.Product{Rows: "pairscore"}
		}
		return verb.AsRead(s)
	},
	WaysOut: waysOut(),
}

// waysOut name the filter of each reason, and the flags of its thresholds.
func waysOut() map[string]string {
	ways := map[string]string{}
	for _, f := range pairfilters.List {
		way := fmt.Sprintf("the filter %s drops %s", f.Name, f.Drops)
		separator := "; see --"
		for _, s := range f.New().Settings {
			way += separator + s.Name
			separator = ", --"
		}
		for _, reason := range f.Reasons {
			ways[reason] = way
		}
	}
	return ways
}
