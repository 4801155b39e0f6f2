// Package nli reads corpora of natural language inference. It also makes the
// cross-lingual corpus on which CMLM is fine-tuned (X-NLI: Yang et al. 2021, section
// 4.3): a premise in one language with its hypothesis in another.
//
// # Files
//
// MultiNLI 1.0 and SNLI 1.0 (tab-separated and JSON lines), XNLI 1.0 (all languages in
// one file), XNLI-MT (machine translations of MultiNLI, a file a language), PAWS-X.
// Other tables separated by tabs or commas are read as benchmark.Table.
//
// # Labels
//
// Labels are entailment, neutral and contradiction everywhere; XNLI-MT writes
// "contradictory". An item on which the annotators did not agree ("-") is kept and
// marked Skip, so that rows keep their places.
//
// # Identity
//
// Versions of an item in several languages have one id: its pairID in XNLI, and its
// row in XNLI-MT, whose files are parallel.
package nli

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strconv"

	"sentweave/schemas"
	"sentweave/transforms/read/jsonfields"
	"sentweave/transforms/testsets/benchmark"
)

// Version of the methods: raised when the same input gives other rows.
const Version = 2

// Labels of natural language inference.
const (
	Entailment    = "entailment"
	Neutral       = "neutral"
	Contradiction = "contradiction"
)

// Numbers of rows with gold that the corpora have, by their papers and READMEs.
const (
	RowsMultiNLITrain      = 392_702
	RowsMultiNLIMatched    = 9_815
	RowsMultiNLIMismatched = 9_832
	RowsSNLITrain          = 549_367
	RowsSNLIDev            = 9_842
	RowsSNLITest           = 9_824
	RowsXNLIDev            = 2_490 // of each language
	RowsXNLITest           = 5_010
)

// Labels lists the labels.
func Labels() []string { return []string{Entailment, Neutral, Contradiction} }

// labels are all ways to write one.
func labels() map[string]string {
	return map[string]string{Entailment: Entailment, Neutral: Neutral, Contradiction: Contradiction, "contradictory": Contradiction}
}

// noGold marks items without agreement.
var noGold = []string{"-"}

// Corpus is the table of a tab-separated file of MultiNLI or SNLI 1.0 in English, such
// as multinli_1.0_dev_matched.txt: columns gold_label, sentence1 and sentence2, found by
// the header. The TSV files of GLUE have the same names for them. Rows, if not 0, is the
// number of rows with gold that there must be.
func Corpus(task, split, file string, rows int) benchmark.Table {
	return benchmark.Table{
		Task: task, Split: split, File: file, Header: true, TextA: "sentence1", TextB: "sentence2", Label: "gold_label",
		LanguageA: "eng", Labels: labels(), NoGold: noGold, Rows: rows,
	}
}

// XNLI is the table of xnli.dev.tsv or xnli.test.tsv, with the rows of all languages.
// Rows is that of each language.
func XNLI(split, file string, rows int) benchmark.Table {
	t := Corpus("xnli", split, file, rows)
	t.LanguageA, t.Language, t.Key = "", "language", "pairID"
	return t
}

// XNLITranslated is the table of a file of XNLI-MT, multinli.train.LANGUAGE.tsv: columns
// premise, hypo, label. The texts are tokenised. Files are parallel, so the id of a row
// is that of its place.
func XNLITranslated(languageCode, split, file string, rows int) benchmark.Table {
	return benchmark.Table{
		Task: "xnli-mt", Split: split, File: file, Header: true, TextA: "premise", TextB: "hypo", Label: "label",
		LanguageA: languageCode, Labels: labels(), NoGold: noGold, Rows: rows, Parallel: true,
	}
}

// PAWSX is the table of a file of PAWS-X: columns id, sentence1, sentence2, label, which
// is 1 for paraphrases. Some translations are missing: an empty text, or "NS".
func PAWSX(languageCode, split, file string, rows int) benchmark.Table {
	return benchmark.Table{
		Task: "paws-x", Split: split, File: file, Header: true, TextA: "sentence1", TextB: "sentence2", Label: "label", Key: "id",
		LanguageA: languageCode, Labels: map[string]string{"0": "0", "1": "1"}, NoText: []string{"", "NS"}, Rows: rows,
	}
}

// ReadJSONL yields the records of a JSON lines file of MultiNLI or SNLI 1.0, which are
// those of the tab-separated file: same rows, same order. Ids differ by the file's name.
// Errors: one of the reader, and a wrong number of rows with gold where rows is not 0.
func ReadJSONL(r io.Reader, task, split, file string, rows int) iter.Seq2[benchmark.Record, error] {
	return func(yield func(benchmark.Record, error) bool) {
		gold, last := 0, 0
		classes := labels()
		picker := jsonfields.New("gold_label", "sentence1", "sentence2")
		for l, err := range benchmark.Lines(bufio.NewReader(r), file, benchmark.UTF8) {
			if err != nil {
				yield(benchmark.Record{}, err)
				return
			}
			row := schemas.Benchmark{Task: task, Split: split, File: file, Row: int32(last), LanguageA: "eng", LanguageB: "eng"}
			row.ID = benchmark.ID(task, file, row.Row)
			record := benchmark.Record{Line: l.Number}
			record.Reason, record.Detail = parse(&row, l, picker, classes)
			record.Row = row
			last = l.Number
			if record.Reason == "" && !row.Skip {
				gold++
			}
			if !yield(record, nil) {
				return
			}
		}
		if rows > 0 && gold != rows {
			yield(benchmark.Record{}, fmt.Errorf("read %s: it ends at line %d with %d rows that have gold, want %d", file, last, gold,
				rows))
		}
	}
}

func parse(row *schemas.Benchmark, l benchmark.Line, picker *jsonfields.Picker, classes map[string]string) (reason, detail string) {
	if !l.Valid {
		return benchmark.ReasonEncoding, "not UTF-8"
	}
	if err := picker.Pick([]byte(l.Text)); err != nil {
		return benchmark.ReasonFields, err.Error()
	}
	var texts [3]string
	for i := range texts {
		v := picker.Value(i)
		if v.Repeated || v.Kind != jsonfields.String {
			return benchmark.ReasonFields, "no gold_label, sentence1 or sentence2, or one of them twice"
		}
		text, valid := picker.Text(v.Raw)
		if texts[i] = string(text); !valid {
			return benchmark.ReasonEncoding, "half of a surrogate pair"
		}
	}
	gold := texts[0]
	row.TextA, row.TextB = benchmark.Trim(texts[1]), benchmark.Trim(texts[2])
	label, ok := classes[gold]
	switch {
	case gold == "-" || gold == "":
		row.Skip = true
	case !ok:
		return benchmark.ReasonLabel, "label " + strconv.Quote(gold) + " is not one of the task's"
	}
	row.Label = label
	if row.TextB == "" {
		row.LanguageB = ""
	}
	if (row.TextA == "" || row.TextB == "") && !row.Skip {
		return benchmark.ReasonEmpty, "a text is empty"
	}
	return "", ""
}
