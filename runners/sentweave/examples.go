package main

import (
	"maps"

	"sentweave/runners/models"
)

// exampleLines are command lines of all verbs; see command.Program. The first of a verb has
// the flags that it cannot do without.
func exampleLines() map[string][]string {
	all := map[string][]string{
		"corpus":     {"corpus --input pages --out documents", "corpus --input pages --layout '{language}/{page}.html' --langid lid.176.ftz --languages eng,spa --out documents"},
		"dedup":      {"dedup --documents documents --out survivors", "dedup --documents documents --against heldout --out survivors"},
		"wordcounts": {"wordcounts --documents survivors --out wordcounts"},
		"vocab":      {"vocab --wordcounts wordcounts --out vocabulary", "vocab --wordcounts wordcounts --size 16000 --out vocabulary"},
		"pairs":      {"pairs --documents documents --out pairs", "pairs --kind parallel --documents documents --out pairs", "pairs --kind bitext --input opus --out pairs"},
		"examples":   {"examples --documents survivors --vocabulary vocabulary/vocab.txt --out examples", "examples --pairs pairs --vocabulary vocabulary/vocab.txt --out pair-examples", "examples --benchmarks reviews --splits train --above 3 --vocabulary vocabulary/vocab.txt --out class-examples"},

		"maincontent train":    {"maincontent train --data wcxb --out wcxb.model"},
		"maincontent evaluate": {"maincontent evaluate --data wcxb", "maincontent evaluate --data wcxb --bare"},
		"maincontent extract":  {"maincontent extract --input pages --out pages.jsonl"},
		"maincontent explain":  {"maincontent explain page.html", "maincontent explain page.html --model wcxb.model --parts 5"},

		"translations":           {"translations --texts pairs --targets spa --engine apertium --out translations", "translations --texts benchmarks --targets spa,deu --engine google --google-project PROJECT --budget 20USD --estimate --out translations"},
		"memories":               {"memories --input memory.tmx --out memory"},
		"benchmarks senteval":    {"benchmarks senteval --input downstream --out benchmarks"},
		"benchmarks multinli":    {"benchmarks multinli --input multinli_1.0 --out benchmarks"},
		"benchmarks snli":        {"benchmarks snli --input snli_1.0 --out benchmarks"},
		"benchmarks xnli":        {"benchmarks xnli --input XNLI-1.0 --out benchmarks"},
		"benchmarks xnli-mt":     {"benchmarks xnli-mt --input XNLI-MT-1.0 --out benchmarks"},
		"benchmarks paws-x":      {"benchmarks paws-x --input x-final --out benchmarks"},
		"benchmarks table":       {"benchmarks table --input tables --files reviews.tsv --columns text_a=review --task reviews --out benchmarks", "benchmarks table --input tables --files reviews.tsv --columns text_a=review,label=stars --task reviews --out benchmarks"},
		"translate":              {"translate --benchmarks benchmarks --memory translations --targets spa --out xeval"},
		"folders":                {"folders --benchmarks xeval --out senteval"},
		"validate":               {"validate --source benchmarks --translated xeval"},
		"crosslingual":           {"crosslingual --benchmarks xnli --out pairs"},
		"views synonym":          {"views synonym --texts documents --wordnet /usr/share/wordnet --out views"},
		"views entailment":       {"views entailment --texts benchmarks --out views"},
		"views translation":      {"views translation --texts pairs --there translations --targets spa --out views"},
		"views back-translation": {"views back-translation --texts pairs --there there --back back --through spa --out views"},

		"distill":  {"distill --embeddings embeddings --out distilled"},
		"pcr":      {"pcr --embeddings embeddings --out components"},
		"evaluate": {"evaluate --model encoder --data tests --tasks stsb --out results", "evaluate --model encoder --texts heldout-pairs --tasks retrieval --baseline char3 --out results", "evaluate --model mine=encoder --distilled mine=distilled --data data --tasks all --out results"},
		"report":   {"report --results results --out report", "report --results results --training encoder=encoder --out report"},

		"run":      {"run pages --out data --set input=pages", "run --list", "run pages --list"},
		"status":   {"status data", "status data/documents --follow"},
		"inspect":  {"inspect documents", "inspect documents --where 'language == \"eng\"' --columns id,sentences.text --sample 3"},
		"trace":    {"trace documents eng/index.html --input pages"},
		"diff":     {"diff documents documents-before", "diff results results-before --limit 20"},
		"export":   {"export pairs", "export pairs --out pairs.jsonl", "export documents --format text --column sentences.text"},
		"verify":   {"verify documents"},
		"finalize": {"finalize documents"},

		"doctor":      {"doctor", "doctor --dir data", "doctor --install langid"},
		"jobs list":   {"jobs list --project PROJECT --region us-central1"},
		"jobs follow": {"jobs follow JOB --project PROJECT --region us-central1"},
		"jobs cancel": {"jobs cancel JOB --project PROJECT --region us-central1"},
		"worker-pool": {"worker-pool --token-file token"},
	}
	maps.Copy(all, models.Examples)
	return all
}
