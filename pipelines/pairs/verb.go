package pairs

import (
	"cmp"
	"fmt"

	"sentweave/pipelines/bitext"
	"sentweave/pipelines/verb"
	"sentweave/schemas"
	"sentweave/schemas/language"
	"sentweave/transforms/pairs/pairing"
	"sentweave/transforms/pairs/parallel"
	linebitext "sentweave/transforms/read/bitext"
)

// Ways out of several reasons. NoNeighbour is that of examples, too.
const (
	NoNeighbour = "the documents hold too few sides to pair: --mode=sentence, --sliding or fewer tokens a side give more pairs"
	BadLayout   = "--layout, when the documents are made, has to tell page and language"
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
	Made: func(s verb.Step) verb.Product {
		kind := cmp.Or(s.Value("kind"), schemas.KindConsecutive)
		if kind == Parallel {
			kind = schemas.KindBitext
		}
		return verb.Product{Rows: "pair", Kinds: []string{kind}}
	},
	Rates: verb.Rates{
		"":                   {Bytes: 12_000_000, Written: 1.4},
		"parallel":           {Bytes: 1_200_000},
		"bitext":             {Bytes: 35_000_000, Exchanged: .12, Written: .6}, // lines of 100 bytes
		"bitext by language": {Bytes: 16_000_000, Exchanged: .12, Written: .6},
		// Formats of bitext with a rate of their own. Their markup takes a part of the bytes.
		"bitext jsonl":             {Bytes: 12_000_000, Exchanged: .11, Written: .52},
		"bitext jsonl by language": {Bytes: 9_000_000, Exchanged: .11, Written: .52},
		"bitext tmx":               {Bytes: 25_000_000, Exchanged: .09, Written: .43},
		"bitext tmx by language":   {Bytes: 15_000_000, Exchanged: .09, Written: .43},
	},
	Imports: true, Dangling: true,
	WaysOut: map[string]string{
		pairing.ReasonNoNeighbour:   NoNeighbour,
		ReasonAlone:                 BadLayout,
		ReasonRepeated:              BadLayout,
		parallel.ReasonUntranslated: "both sides have mostly the same words: nobody may have translated the pages, or too few are given; --max-overlap allows more",
		parallel.ReasonMismatched:   "the pages have different numbers of blocks, for which --align aligns their sentences; or, with --align, too few of these have a translation",
		ReasonNoPivot:               "--pivot names a language of the pages",
		bitext.ReasonOtherPart:      "--heldout-share says how much is held out",
		bitext.ReasonEqual:          "the same file may stand for both languages",
		bitext.ReasonRatio:          "the sides may not be aligned; --max-ratio sets how much longer one may be",
		linebitext.Number:           "scores are decimal numbers, with a comma in the place of the point only where tabs or semicolons part the values, and none in which a comma or point may part thousands",
		linebitext.Columns:          "tabs part the values of .tsv, and commas, semicolons or tabs those of .csv, in all rows alike",
		linebitext.InvalidEncoding:  "`iconv -f CHARSET -t UTF-8` converts files in another character set, such as latin1",
		language.ReasonTooMany: fmt.Sprintf("texts in up to %d languages are joined: keep some by --languages, of corpus for pages",
			language.MostTogether),
		bitext.ReasonLanguage: "the names of the files may tell other languages than their texts are in",
	},
	Wanted: []string{bitext.ReasonOtherPart},
}
