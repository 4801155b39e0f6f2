package corpus

import (
	"sentweave/pipelines/verb"
	"sentweave/transforms/clean/personal"
	"sentweave/transforms/clean/text"
	"sentweave/transforms/document"
)

// Verb is what the programs know of the verb of this pipeline.
var Verb = verb.Verb{
	Name: "corpus", Group: verb.GroupCorpus,
	Help: "Turn HTML pages, texts, JSONL or web archives into documents: main content, sentences, languages, filters.",
	Examples: []string{
		"corpus --input pages --out documents",
		"corpus --input pages --layout '{language}/{page}.html' --langid lid.176.ftz --languages eng,spa --out documents",
		"corpus --input https://data.commoncrawl.org --paths wet.paths.gz --sample .01 --out documents",
	},
	Makes: verb.Output{Rows: "document", Share: .02},
	Rates: verb.Rates{
		"":            {Bytes: 13_000_000, Written: .11}, // HTML
		"by language": {Bytes: 7_000_000, Written: .11},
		// 122 pages a second, and 1,060 texts, of 28 and 2.9 kB each as Common Crawl stores
		// them (CC-MAIN-2018-34: 2.65 billion in 67.79 and 6.92 TiB).
		"warc": {Bytes: 3_400_000},
		"wet":  {Bytes: 3_000_000},
		// What --extend takes over: its files are hashed, and its shards copied.
		"adopted":             {Bytes: 120_000_000, Written: .11},
		"adopted by language": {Bytes: 120_000_000, Written: .11},
		"warc adopted":        {Bytes: 120_000_000},
		"wet adopted":         {Bytes: 120_000_000},
	},
	Wanted:   append(personal.Kinds(), document.ReasonBlocked, reasonOtherPart, reasonNotSampled, reasonHeaderLanguage),
	Imports:  true,
	Dangling: true,
	WaysOut: map[string]string{
		text.FieldMissing:               "--text-field names the field of the text",
		text.JSONSyntax:                 "each line must be one JSON object; `jq -c '.[]'` makes such lines of an array, `jq -c .` of objects of several lines, and `tr '\\r' '\\n'` of lines that end with only a carriage return",
		text.InvalidUTF8:                "--encoding names another character set than UTF-8",
		text.InvalidEncoding:            "--encoding names another character set than UTF-8",
		text.Binary:                     "lines and paragraphs in UTF-16 need to be converted to UTF-8",
		document.ReasonUnwantedLanguage: "--languages names those to keep",
		document.ReasonUnknownLanguage:  "--langid embedded identifies languages",
	},
}
