// Package benchmarks is the pipeline from the files of test sets to rows: SentEval's
// folder, MultiNLI, SNLI, XNLI, XNLI-MT, PAWS-X, and any table between tabs or commas.
//
// A unit is a task of SentEval with all its files, or a file of the others. Files are
// known by their names, wherever they lie below the input folder, and have as many rows
// as they were published with, unless Partial.
//
// Texts of SentEval in English were tokenised, and most of them lower-cased: a
// translator gets them without that, and the file's text stays beside (original_a,
// original_b).
package benchmarks

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/benchmark"
	"sentweave/transforms/detokenize"
	"sentweave/transforms/senteval"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 3

func init() { graph.RegisterWriter[schemas.Benchmark, *task]() }

// Formats of test sets.
const (
	FormatSentEval = "senteval"
	FormatMultiNLI = "multinli"
	FormatSNLI     = "snli"
	FormatXNLI     = "xnli"
	FormatXNLIMT   = "xnli-mt"
	FormatPAWSX    = "paws-x"
	FormatTable    = "table"
)

// FormOriginal is that of SentEval's own files, with their encodings.
const FormOriginal = "original"

// Config is the configuration of the pipeline. The tags are read by the command
// line; the json names stand in plan and manifest.
type Config struct {
	Input     string   `help:"Folder of the test sets: for senteval SentEval's data/downstream, or a folder above it." required:"" placeholder:"DIR" group:"Input" json:"-"`
	Format    string   `help:"What lies there (${enum})." default:"senteval" enum:"senteval,multinli,snli,xnli,xnli-mt,paws-x,table" group:"Input" json:"format"`
	Tasks     []string `help:"senteval: tasks to take, such as mr,sst2,sts12, or to leave out, as in -snli; all that are there by default." placeholder:"TASK,…" group:"Input" json:"tasks,omitempty"`
	Language  string   `help:"senteval and table: language of the texts." default:"eng" placeholder:"CODE" group:"Input" json:"language"`
	Languages []string `help:"xnli, xnli-mt and paws-x: languages to take; all by default." placeholder:"CODE,…" group:"Input" json:"languages,omitempty"`
	Form      string   `help:"senteval: how characters beyond ASCII stand in the files (${enum}): original is SentEval's own, the others are those of folders." default:"original" enum:"original,utf-8,references" group:"Input" json:"form"`
	Spacing   string   `help:"senteval: how scripts without spaces are written (${enum}), as folders was told." default:"text" enum:"text,characters" group:"Input" json:"spacing"`
	Partial   bool     `help:"Take files with other numbers of rows than they were published with, and leave out lines that are no rows." group:"Input" json:"-"` // it decides what is refused, not what is made

	Files     []string `help:"table: names of the files below --input, each with its own rows; a comma in a name is written \\,." placeholder:"FILE,…" group:"Table" json:"files,omitempty"`
	Columns   []string `help:"table: columns by the header's name or by number from 1, as in text_a=premise,text_b=hypothesis,label=gold; there are text_a, text_b, label, target (a score), language and key, by which versions of an item in several files are known. Without label and target the rows are texts alone, without gold." placeholder:"COLUMN=NAME,…" group:"Table" json:"columns,omitempty"`
	Task      string   `help:"table: name of the task." placeholder:"NAME" group:"Table" json:"task,omitempty"`
	Split     string   `help:"table: split of the rows; the file's name without its extension by default." placeholder:"NAME" group:"Table" json:"split,omitempty"`
	Separator string   `help:"table: what stands between fields (${enum}); auto is a comma in files named .csv, else a tab, and none where no columns are given for files not named .csv or .tsv. With comma and quoted-tab, which pandas writes, fields may be quoted; with tab quotes are characters; with none each line is a text." default:"auto" enum:"auto,tab,comma,quoted-tab,none" group:"Table" json:"separator"`
	Header    bool     `help:"table: the first line names the columns." default:"true" negatable:"" group:"Table" json:"header"`

	Tokenized string `help:"table: how the English texts were tokenised, which is undone (${enum}); texts in lower case get capitals." default:"none" enum:"none,ptb,moses" group:"Table" json:"tokenized,omitempty"`

	Detokenize bool `help:"senteval: undo the tokenising and lower-casing of the English texts." default:"true" negatable:"" group:"Rows" json:"detokenize"`
	Folds      int  `help:"senteval: deal the rows of tasks without splits into that many folds, the same in every language; 0 for none." default:"0" group:"Rows" json:"folds,omitempty"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	errs := fault.List{
		units.OneOf("format", c.Format, FormatSentEval, FormatMultiNLI, FormatSNLI, FormatXNLI, FormatXNLIMT, FormatPAWSX, FormatTable),
		units.OneOf("form", c.Form, FormOriginal, string(senteval.FormUTF8), string(senteval.FormReferences)),
		units.OneOf("spacing", c.Spacing, string(senteval.SpacingText), string(senteval.SpacingCharacters)),
		units.OneOf("separator", c.Separator, "auto", "tab", "comma", "quoted-tab", "none"),
		units.OneOf("tokenized", c.Tokenized, string(detokenize.None), string(detokenize.PTB), string(detokenize.Moses)),
	}
	only := func(set bool, setting string, formats ...string) {
		errs.Check(!set || slices.Contains(formats, c.Format), "%s is for --format %s, and has no effect on %s", setting, strings.Join(formats, ", "), c.Format)
	}
	errs.Check(c.Input != "", "input is empty: give the folder of the test sets")
	only(len(c.Tasks) > 0, "tasks", FormatSentEval)
	only(c.Language != "eng", "language", FormatSentEval, FormatTable)
	only(len(c.Languages) > 0, "languages", FormatXNLI, FormatXNLIMT, FormatPAWSX)
	only(c.Form != FormOriginal, "form", FormatSentEval)
	only(c.Spacing != string(senteval.SpacingText), "spacing", FormatSentEval)
	only(c.Folds != 0, "folds", FormatSentEval)
	only(len(c.Files) > 0, "files", FormatTable)
	only(len(c.Columns) > 0, "columns", FormatTable)
	only(c.Task != "", "task", FormatTable)
	only(c.Split != "", "split", FormatTable)
	only(c.Separator != "auto", "separator", FormatTable)
	only(!c.Header, "no-header", FormatTable)
	only(c.Tokenized != string(detokenize.None), "tokenized", FormatTable)
	errs.Check(c.Tokenized == string(detokenize.None) || language.Base(c.source().Language) == "eng", "tokenized: only English texts can be put together again, the language is %s", c.Language)
	errs.Check(c.Folds >= 0 && c.Folds != 1, "folds %d: want at least 2, or 0 for none", c.Folds)
	for i, name := range c.Tasks {
		errs.Check(strings.HasPrefix(name, "-") == strings.HasPrefix(c.Tasks[0], "-"), "tasks: name those to take or those to leave out, not both: %s", strings.Join(c.Tasks, ","))
		if _, ok := senteval.TaskByName(strings.TrimPrefix(name, "-")); !ok {
			errs.Addf("task %q is not one of %s", name, strings.Join(taskNames(), ", "))
		}
		errs.Check(!slices.Contains(c.Tasks[:i], name), "task %s stands twice", name)
	}
	_, err := c.codes()
	errs.Add(err)
	if _, err := language.Parse(c.Language); err != nil {
		errs.Add(err)
	}
	if c.Format == FormatTable {
		errs.Add(c.validateTable())
	}
	return errs.Err()
}

func taskNames() (names []string) {
	for _, t := range senteval.Tasks() {
		names = append(names, t.Name)
	}
	return names
}

// codes are the wanted languages in our form.
func (c Config) codes() (codes []string, err error) {
	var errs []error
	for _, name := range c.Languages {
		code, err := language.Parse(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		codes = append(codes, code)
	}
	return codes, errors.Join(errs...)
}

// wants says whether rows in a language are taken.
func (c Config) wants(code string) bool {
	codes, _ := c.codes() // they have been validated
	return len(codes) == 0 || slices.ContainsFunc(codes, func(wanted string) bool { return language.Matches(code, wanted) })
}

func (c Config) validateTable() error {
	var errs fault.List
	errs.Check(len(c.Files) != 0, "format table needs files: their names below --input")
	for i, name := range c.Files {
		errs.Check(!slices.Contains(c.Files[:i], name), "file %s stands twice", name)
	}
	errs.Check(c.Task != "", "format table needs task: a name for what the rows measure")
	columns, err := c.columns()
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	for _, name := range c.Files {
		if err := c.table(name, columns).Validate(); err != nil && len(errs) == 0 {
			errs.Add(err)
		}
	}
	return errs.Err()
}

var columnNames = []string{"text_a", "text_b", "label", "target", "language", "key"}

// columns reads the assignments of columns.
func (c Config) columns() (map[string]string, error) {
	var errs fault.List
	columns := map[string]string{}
	for _, assignment := range c.Columns {
		column, name, _ := strings.Cut(assignment, "=")
		switch {
		case !slices.Contains(columnNames, column) || name == "":
			errs.Addf("columns: %q is not COLUMN=NAME with one of the columns %s", assignment, strings.Join(columnNames, ", "))
		case columns[column] != "":
			errs.Addf("columns: %s stands twice", column)
		}
		columns[column] = name
	}
	return columns, errs.Err()
}

// source is how SentEval's folder is read. Its rows are counted by the task, which can say
// more than that the number is wrong.
func (c Config) source() senteval.Source {
	code, _ := language.Parse(c.Language) // it has been validated
	s := senteval.Source{Language: code, Spacing: senteval.Spacing(c.Spacing), Partial: true}
	if c.Form != FormOriginal {
		s.Form = senteval.Form(c.Form)
	}
	return s
}

// detokenizes says whether the texts are SentEval's own.
func (c Config) detokenizes() bool {
	return c.Detokenize && c.Format == FormatSentEval && c.Form == FormOriginal && language.Base(c.source().Language) == "eng"
}

// isLines says whether each line of a file of the user's is a text.
func (c Config) isLines(name string) bool {
	extension := strings.ToLower(path.Ext(name))
	return c.Separator == "none" || c.Separator == "auto" && len(c.Columns) == 0 && extension != ".csv" && extension != ".tsv"
}

// table describes a file of the user's.
func (c Config) table(name string, columns map[string]string) benchmark.Table {
	t := benchmark.Table{
		Task: c.Task, Split: c.Split, File: name, Header: c.Header, TextA: columns["text_a"], TextB: columns["text_b"],
		Label: columns["label"], Target: columns["target"], Language: columns["language"], Key: columns["key"], Unique: columns["key"] != "",
	}
	switch {
	case c.isLines(name):
		t.Lines, t.Header, t.TextA = true, false, cmp.Or(t.TextA, "1")
	case c.Separator == "quoted-tab":
		t.Quoted = '\t'
	case c.Separator == "comma", c.Separator == "auto" && strings.EqualFold(path.Ext(name), ".csv"):
		t.Quoted = ','
	}
	if t.Split == "" {
		t.Split = strings.TrimSuffix(path.Base(name), path.Ext(name))
	}
	if t.Language == "" {
		t.LanguageA = c.source().Language
	}
	return t
}
