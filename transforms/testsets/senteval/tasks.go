// Package senteval reads and writes the folders of SentEval (Conneau and Kiela 2018),
// in English and translated (XEVAL: Yang et al. 2021, section 4.5.1), as rows of
// schemas.Benchmark.
//
// # Folder
//
// Names are those under SentEval's data/downstream (commit 5d6dc11):
// MR/rt-polarity.pos and so on. Files lists them. A label is the one that SentEval's
// loader makes ("0" to "4"), unless the file has words: TREC keeps "DESC:manner", and
// NLI labels are in lower case. Class returns SentEval's number for each.
//
// SICK is one task with label and score, which SentEval evaluates as SICK-E and
// SICK-R. Tasks that are cut into folds have the split "pool". The splits of STS12 to
// STS16 are their subtasks.
//
// # Encodings
//
// SentEval reads MR, CR, SUBJ, MPQA, TREC and SNLI as Latin-1. Folders in other
// languages cannot be UTF-8 and be read correctly by these loaders. Decoding Latin-1
// never gives characters above U+00FF, so the encoder does not receive the right text.
// UTF-8 also writes "х" as D1 85 and "Р" as D0 A0, where Python's splitlines and split
// cut lines and words, so rows and labels come out wrong as well. Such letters have no
// other UTF-8 spelling and no equivalent sequence in Unicode. Write offers two forms
// that work:
//
//   - FormUTF8: UTF-8, for this package and for SentEval with a few lines of Python
//     (shim, written into the folder) that are imported before it.
//   - FormReferences: ASCII with character references (&#1093;). The unchanged loaders
//     give the right rows, labels and words. The user's own batcher, which SentEval
//     calls with words, must call html.unescape on them.
//
// loaderRows counts the rows that SentEval's loaders see in a file.
package senteval

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"sentweave/schemas"
	"sentweave/transforms/read/texts"
	"sentweave/transforms/testsets/benchmark"
	"sentweave/transforms/testsets/detokenize"
)

// Version of the methods: raised when the same input gives other rows or files.
const Version = 1

// Pool is the split of tasks that are cut into folds.
const Pool = "pool"

// kind is how the files of a task look.
type kind int

const (
	kindLines kind = iota // a text a line, one class a file
	kindSST2              // text, tab, label
	kindSST5              // label, space, text
	kindTREC              // class, colon, subclass, space, text
	kindMRPC              // header; label, id, id, text, text between tabs
	kindSICK              // header; id, text, text, score, label between tabs
	kindSTSB              // genre, file, year, id, score, text, text between tabs
	kindSTS               // text, tab, text; scores in another file
	kindSNLI              // texts, texts, labels in three files
)

// File is a file of a task, with the files that belong to it line by line.
type File struct {
	// Name is the file of the texts under data/downstream: of the first ones, for SNLI.
	Name string
	// Split is its split.
	Split string
	// Rows is how many rows with gold SentEval has there.
	Rows int

	label       string // of all rows, for kindLines
	texts, gold string // the second texts, the labels or scores; "" where they are in Name
}

// Task is one of SentEval's.
type Task struct {
	// Name is in lower case: mr, sick, sts12.
	Name  string
	Files []File
	// Latin1: SentEval's loader reads the texts as Latin-1.
	Latin1 bool
	// Style is how the texts were tokenised; Lowered says that they were lower-cased.
	Style   detokenize.Style
	Lowered bool
	// Classes are the labels by SentEval's number for them; nil for tasks with scores alone.
	Classes []string
	// Low and High bound the scores; both are 0 for tasks without.
	Low, High float64

	kind kind
}

// Pairs says whether an item has two texts.
func (t Task) Pairs() bool { return t.kind >= kindMRPC }

// Trains says whether SentEval trains a classifier, of classes or of bins of scores: on all
// tasks but those of similarity alone.
func (t Task) Trains() bool { return t.kind != kindSTS }

// hasHeader says whether the first line of its files is not one of a row.
func (t Task) hasHeader() bool { return headers[t.kind] != "" }

// strips says whether SentEval's loader strips lines before it cuts them into fields.
func (t Task) strips() bool { return t.kind >= kindSST2 && t.kind <= kindSTSB }

// takesEmpty says whether a text may be empty: where it has a line for itself. CR has
// four such rows, which SentEval counts; it gives the encoder a full stop for them.
func (t Task) takesEmpty() bool { return t.kind == kindLines || t.kind == kindSNLI }

// fill puts a full stop for a text of a row that may not be empty in a file.
func (t Task) fill(r schemas.Benchmark, a, b string) (string, string) {
	if t.takesEmpty() || r.Skip && t.kind == kindSTS {
		return a, b
	}
	if b == "" && t.Pairs() {
		b = texts.EmptySentence
	}
	return cmp.Or(a, texts.EmptySentence), b
}

// InFolder returns a source's row as a folder of its translation is compared with it:
// without the fold, which folders do not keep, and with the full stop that Write puts
// for an empty text where SentEval's loader needs one.
func (t Task) InFolder(r schemas.Benchmark) schemas.Benchmark {
	r.Fold = nil
	r.TextA, r.TextB = t.fill(r, r.TextA, r.TextB)
	if r.TextB != "" {
		r.LanguageB = cmp.Or(r.LanguageB, r.LanguageA)
	}
	return r
}

// Class returns SentEval's number for a label.
func (t Task) Class(label string) (int, bool) {
	if t.kind == kindTREC {
		label, _, _ = strings.Cut(label, ":")
	}
	n := slices.Index(t.Classes, label)
	return n, n >= 0
}

// Rows is how many rows with gold SentEval has of the task.
func (t Task) Rows() (n int) {
	for _, f := range t.Files {
		n += f.Rows
	}
	return n
}

// FileNames lists all files of the task, those of second texts, labels and scores too.
func (t Task) FileNames() (names []string) {
	for _, f := range t.Files {
		names = append(names, f.names()...)
	}
	return names
}

// encoding is that of the source's files.
func (t Task) encoding() benchmark.Encoding {
	if t.Latin1 {
		return benchmark.Western
	}
	return benchmark.UTF8
}

var (
	binary   = []string{"0", "1"}
	fine     = []string{"0", "1", "2", "3", "4"}
	question = []string{"ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"}
	sick     = []string{"contradiction", "neutral", "entailment"}
	snli     = []string{"entailment", "neutral", "contradiction"}
)

// Tasks lists the tasks in SentEval's order. Row counts are those of SentEval's README
// and of its loaders on the published files.
func Tasks() []Task {
	lines := func(name, folder, positive, negative string, positives, negatives int) Task {
		return Task{Name: name, kind: kindLines, Latin1: true, Style: detokenize.PTB, Lowered: true, Classes: binary, Files: []File{
			{Name: folder + "/" + positive, Split: Pool, Rows: positives, label: "1"},
			{Name: folder + "/" + negative, Split: Pool, Rows: negatives, label: "0"},
		}}
	}
	splits := func(pattern string, names, splits []string, rows []int) (files []File) {
		for i, name := range names {
			files = append(files, File{Name: strings.ReplaceAll(pattern, "*", name), Split: splits[i], Rows: rows[i]})
		}
		return files
	}
	three := []string{"train", "dev", "test"}
	tasks := []Task{
		lines("mr", "MR", "rt-polarity.pos", "rt-polarity.neg", 5331, 5331),
		lines("cr", "CR", "custrev.pos", "custrev.neg", 2407, 1368),
		lines("mpqa", "MPQA", "mpqa.pos", "mpqa.neg", 3312, 7294),
		lines("subj", "SUBJ", "subj.objective", "subj.subjective", 5000, 5000),
		{Name: "sst2", kind: kindSST2, Style: detokenize.PTB, Lowered: true, Classes: binary,
			Files: splits("SST/binary/sentiment-*", three, three, []int{67349, 872, 1821})},
		{Name: "sst5", kind: kindSST5, Style: detokenize.PTB, Lowered: true, Classes: fine,
			Files: splits("SST/fine/sentiment-*", three, three, []int{8544, 1101, 2210})},
		{Name: "trec", kind: kindTREC, Latin1: true, Style: detokenize.PTBUnquoted, Classes: question,
			Files: splits("TREC/*.label", []string{"train_5500", "TREC_10"}, []string{"train", "test"}, []int{5452, 500})},
		{Name: "mrpc", kind: kindMRPC, Style: detokenize.None, Classes: binary,
			Files: splits("MRPC/msr_paraphrase_*.txt", []string{"train", "test"}, []string{"train", "test"}, []int{4076, 1725})},
		{Name: "sick", kind: kindSICK, Style: detokenize.Moses, Classes: sick, Low: 1, High: 5,
			Files: splits("SICK/SICK_*.txt", []string{"train", "trial", "test_annotated"}, three, []int{4500, 500, 4927})},
		{Name: "stsb", kind: kindSTSB, Style: detokenize.Moses, Lowered: true, High: 5,
			Files: splits("STS/STSBenchmark/sts-*.csv", three, three, []int{5749, 1500, 1379})},
	}
	for _, year := range stsYears {
		t := Task{Name: "sts" + year.year, kind: kindSTS, Style: detokenize.Moses, Lowered: true, High: 5}
		for _, s := range year.subtasks {
			folder := "STS/STS" + year.year + "-en-test/STS."
			t.Files = append(t.Files, File{Name: folder + "input." + s.name + ".txt", gold: folder + "gs." + s.name + ".txt", Split: s.name,
				Rows: s.rows})
		}
		tasks = append(tasks, t)
	}
	t := Task{Name: "snli", kind: kindSNLI, Latin1: true, Style: detokenize.PTB, Classes: snli}
	for i, split := range three {
		t.Files = append(t.Files, File{Name: "SNLI/s1." + split, texts: "SNLI/s2." + split, gold: "SNLI/labels." + split,
			Split: split, Rows: []int{549367, 9842, 9824}[i]})
	}
	return append(tasks, t)
}

type stsSubtask struct {
	name string
	rows int // with gold
}

// stsYears are the subtasks in SentEval's order. The SMT part of 2013 is not free.
var stsYears = []struct {
	year     string
	subtasks []stsSubtask
}{
	{"12", []stsSubtask{{"MSRpar", 750}, {"MSRvid", 750}, {"SMTeuroparl", 459}, {"surprise.OnWN", 750}, {"surprise.SMTnews", 399}}},
	{"13", []stsSubtask{{"FNWN", 189}, {"headlines", 750}, {"OnWN", 561}}},
	{"14", []stsSubtask{{"deft-forum", 450}, {"deft-news", 300}, {"headlines", 750}, {"images", 750}, {"OnWN", 750}, {"tweet-news", 750}}},
	{"15", []stsSubtask{{"answers-forums", 375}, {"answers-students", 750}, {"belief", 375}, {"headlines", 750}, {"images", 750}}},
	{"16", []stsSubtask{{"answer-answer", 254}, {"headlines", 249}, {"plagiarism", 230}, {"postediting", 244}, {"question-question", 209}}},
}

// TaskByName returns a task, or false.
func TaskByName(name string) (Task, bool) {
	tasks := Tasks()
	i := slices.IndexFunc(tasks, func(t Task) bool { return t.Name == name })
	if i < 0 {
		return Task{}, false
	}
	return tasks[i], true
}

// names lists the files of a task that hold a line for each row.
func (f File) names() []string {
	return slices.DeleteFunc([]string{f.Name, f.texts, f.gold}, func(s string) bool { return s == "" })
}

// number writes a score as short as it can be read back.
func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
