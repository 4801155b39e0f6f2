// Package benchmarks is the pipeline from the files of test sets to rows. It reads
// SentEval's folder, MultiNLI, SNLI, XNLI, XNLI-MT, PAWS-X, and any table with columns
// separated by tabs or commas.
//
// A unit is one task of SentEval with all its files, or one file of another test set.
// Files are recognised by their names anywhere below the input folder. A file must
// have as many rows as the published one, unless Partial is set.
//
// The English texts of SentEval are tokenised, and most are lower-cased. The rows undo
// this for translators and keep the file's text beside it (original_a, original_b).
package benchmarks

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/read/compressed"
	"sentweave/transforms/testsets/benchmark"
	"sentweave/transforms/testsets/detokenize"
	"sentweave/transforms/testsets/senteval"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 6

func init() { graph.RegisterWriter[schemas.Benchmark, *task]() }

// Names of the formats of test sets.
const (
	formatSentEval = "senteval"
	formatMultiNLI = "multinli"
	formatSNLI     = "snli"
	formatXNLI     = "xnli"
	formatXNLIMT   = "xnli-mt"
	formatPAWSX    = "paws-x"
	formatTable    = "table"
)

// formOriginal is that of SentEval's own files, with their encodings.
const formOriginal = "original"

// Folder is what all formats have.
type Folder struct {
	Input   string `help:"Folder of the test sets; SentEval's is data/downstream, or a folder above it." required:"" placeholder:"DIR" group:"Input" json:"-"`
	Partial bool   `help:"Take files with other numbers of rows than they were published with, and leave out lines that are no rows." group:"Input" json:"-"` // it decides what is refused, not what is made
}

// TextLanguage is for files that do not tell their language.
type TextLanguage struct {
	Language string `help:"Language of the texts." default:"eng" placeholder:"CODE" group:"Input" json:"language"`
}

// Versions is for test sets in several languages.
type Versions struct {
	Languages []string `help:"Languages to take; all by default." placeholder:"CODE,…" group:"Input" json:"languages,omitempty"`
}

// SentEvalSettings say how SentEval's files are read.
type SentEvalSettings struct {
	Tasks      []string `help:"Tasks to take, such as mr,sst2,sts12, or to leave out, as in -snli; all that are there by default." placeholder:"TASK,…" group:"Input" json:"tasks,omitempty"`
	Form       string   `help:"How characters beyond ASCII are in the files (${enum}): original is SentEval's own, the others are those of folders." default:"original" enum:"original,utf-8,references" group:"Input" json:"form"`
	Spacing    string   `help:"How scripts without spaces are written (${enum}), as folders was told." default:"text" enum:"text,characters" group:"Input" json:"spacing"`
	Detokenize bool     `help:"Undo the tokenising and lower-casing of the English texts." default:"true" negatable:"" group:"Rows" json:"detokenize"`
	Folds      int      `help:"Deal the rows of tasks without splits into that many folds, the same in every language; 0 for none." default:"0" group:"Rows" json:"folds,omitempty"`
}

// TableSettings say how files of the user's are read.
type TableSettings struct {
	Files     []string `help:"Names of the files below --input, each with its own rows; a comma in a name is written \\,." placeholder:"FILE,…" group:"Table" json:"files,omitempty"`
	Columns   []string `help:"Columns by the header's name or by number from 1, as in text_a=premise,text_b=hypothesis,label=gold; there are text_a, text_b, label, target (a score), language and key, by which versions of an item in several files are known. Without label and target the rows are texts alone, without gold." placeholder:"COLUMN=NAME,…" group:"Table" json:"columns,omitempty"`
	Task      string   `help:"Name of the task." placeholder:"NAME" group:"Table" json:"task,omitempty"`
	Split     string   `help:"Split of the rows; the file's name without its extension by default." placeholder:"NAME" group:"Table" json:"split,omitempty"`
	Separator string   `help:"What stands between fields (${enum}); auto is a comma, a semicolon or a tab in files named .csv, as the beginning of the file or a line such as sep=; tells, else a tab, and none where no columns are given for files not named .csv or .tsv. With comma and quoted-tab, which pandas writes, fields may be quoted; with tab quotes are characters; auto looks which of both a file has. With none each line is a text." default:"auto" enum:"auto,tab,comma,quoted-tab,none" group:"Table" json:"separator"`
	Header    bool     `help:"The first line names the columns." default:"true" negatable:"" group:"Table" json:"header"`
	Tokenized string   `help:"How the English texts were tokenised, which is undone (${enum}); texts in lower case get capitals." default:"none" enum:"none,ptb,moses" group:"Table" json:"tokenized,omitempty"`
}

// The formats with their settings. The tags are read by the command line.
type (
	// SentEval is SentEval's folder.
	SentEval struct {
		Folder
		TextLanguage
		SentEvalSettings
	}
	// MultiNLI is a folder with files of MultiNLI.
	MultiNLI struct{ Folder }
	// SNLI is a folder with files of SNLI.
	SNLI struct{ Folder }
	// XNLI is a folder with files of XNLI.
	XNLI struct {
		Folder
		Versions
	}
	// XNLIMT is a folder with MultiNLI's training set in the languages of XNLI.
	XNLIMT struct {
		Folder
		Versions
	}
	// PAWSX is a folder with files of PAWS-X.
	PAWSX struct {
		Folder
		Versions
	}
	// Table is a folder with files of the user's.
	Table struct {
		Folder
		TextLanguage
		TableSettings
	}
)

// Format is the pipeline for one of the formats.
type Format[S interface{ config() config }] struct {
	Settings S `embed:""`
}

// Validate returns all faults at once.
func (f Format[S]) Validate() error { return f.Settings.config().validate() }

// Plan lists the input folder and makes a unit of each task or file, whatever the size
// of shards: the rows of a task are counted, and dealt into folds, together.
func (f Format[S]) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	return f.Settings.config().plan(ctx, output, settings)
}

// config is a format with its settings, and with those of all others at their defaults.
// The json names are in plan and manifest.
type config struct {
	Format string `json:"format"`
	Folder
	TextLanguage
	Versions
	SentEvalSettings
	TableSettings
}

func defaults(format string, folder Folder) config {
	return config{
		Format: format, Folder: folder, TextLanguage: TextLanguage{"eng"},
		SentEvalSettings: SentEvalSettings{Form: formOriginal, Spacing: string(senteval.SpacingText), Detokenize: true},
		TableSettings:    TableSettings{Separator: "auto", Header: true, Tokenized: string(detokenize.None)},
	}
}

func (s SentEval) config() config {
	c := defaults(formatSentEval, s.Folder)
	c.TextLanguage, c.SentEvalSettings = s.TextLanguage, s.SentEvalSettings
	return c
}

func (s MultiNLI) config() config { return defaults(formatMultiNLI, s.Folder) }

func (s SNLI) config() config { return defaults(formatSNLI, s.Folder) }

func (s XNLI) config() config { return s.Versions.of(defaults(formatXNLI, s.Folder)) }

func (s XNLIMT) config() config { return s.Versions.of(defaults(formatXNLIMT, s.Folder)) }

func (s PAWSX) config() config { return s.Versions.of(defaults(formatPAWSX, s.Folder)) }

func (v Versions) of(c config) config {
	c.Versions = v
	return c
}

func (s Table) config() config {
	c := defaults(formatTable, s.Folder)
	c.TextLanguage, c.TableSettings = s.TextLanguage, s.TableSettings
	return c
}

// validate returns all faults at once.
func (c config) validate() error {
	errs := fault.List{
		units.OneOf("form", c.Form, formOriginal, string(senteval.FormUTF8), string(senteval.FormReferences)),
		units.OneOf("spacing", c.Spacing, string(senteval.SpacingText), string(senteval.SpacingCharacters)),
		units.OneOf("separator", c.Separator, "auto", "tab", "comma", "quoted-tab", "none"),
		units.OneOf("tokenized", c.Tokenized, string(detokenize.None), string(detokenize.PTB), string(detokenize.Moses)),
	}
	errs.Check(c.Input != "", "input is empty: give the folder of the test sets")
	errs.Check(c.Tokenized == string(detokenize.None) || language.Base(c.source().Language) == "eng",
		"tokenized: only English texts can be put together again, the language is %s", c.Language)
	errs.Check(c.Folds >= 0 && c.Folds != 1, "folds %d: want at least 2, or 0 for none", c.Folds)
	for i, name := range c.Tasks {
		errs.Check(strings.HasPrefix(name, "-") == strings.HasPrefix(c.Tasks[0], "-"),
			"tasks: name those to take or those to leave out, not both: %s", strings.Join(c.Tasks, ","))
		if _, ok := senteval.TaskByName(strings.TrimPrefix(name, "-")); !ok {
			errs.Addf("task %q is not one of %s", name, strings.Join(taskNames(), ", "))
		}
		errs.Check(!slices.Contains(c.Tasks[:i], name), "task %s occurs twice", name)
	}
	_, err := language.ParseAll(c.Languages)
	errs.Add(err)
	if _, err := language.Parse(c.Language); err != nil {
		errs.Add(err)
	}
	if c.Format == formatTable {
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

// wants says whether rows in a language are taken.
func (c config) wants(code string) bool {
	codes, _ := language.ParseAll(c.Languages) // they have been validated
	return len(codes) == 0 || language.MatchesAny(code, codes)
}

func (c config) validateTable() error {
	var errs fault.List
	errs.Check(len(c.Files) != 0, "files is empty: give their names below --input")
	for i, name := range c.Files {
		errs.Check(!slices.Contains(c.Files[:i], name), "file %s occurs twice", name)
	}
	errs.Check(c.Task != "", "task is empty: give a name for what the rows measure")
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
func (c config) columns() (map[string]string, error) {
	var errs fault.List
	columns := map[string]string{}
	for _, assignment := range c.Columns {
		column, name, _ := strings.Cut(assignment, "=")
		switch {
		case !slices.Contains(columnNames, column) || name == "":
			errs.Addf("columns: %q is not COLUMN=NAME with one of the columns %s", assignment, strings.Join(columnNames, ", "))
		case columns[column] != "":
			errs.Addf("columns: %s occurs twice", column)
		}
		columns[column] = name
	}
	return columns, errs.Err()
}

// source is how SentEval's folder is read. Its rows are counted by the task, which can say
// more than that the number is wrong.
func (c config) source() senteval.Source {
	code, _ := language.Parse(c.Language) // it has been validated
	s := senteval.Source{Language: code, Spacing: senteval.Spacing(c.Spacing), Partial: true}
	if c.Form != formOriginal {
		s.Form = senteval.Form(c.Form)
	}
	return s
}

// detokenizes says whether the texts are SentEval's own.
func (c config) detokenizes() bool {
	return c.Detokenize && c.Format == formatSentEval && c.Form == formOriginal && language.Base(c.source().Language) == "eng"
}

// isLines says whether each line of a file of the user's is a text.
func (c config) isLines(name string) bool {
	name, _ = compressed.Cut(name)
	extension := strings.ToLower(path.Ext(name))
	return c.Separator == "none" || c.Separator == "auto" && len(c.Columns) == 0 && extension != ".csv" && extension != ".tsv"
}

// table describes a file of the user's.
func (c config) table(name string, columns map[string]string) benchmark.Table {
	t := benchmark.Table{
		Task: c.Task, Split: c.Split, File: name, Header: c.Header, TextA: columns["text_a"], TextB: columns["text_b"],
		Label: columns["label"], Target: columns["target"], Language: columns["language"], Key: columns["key"],
		Unique: columns["key"] != "",
	}
	name, _ = compressed.Cut(name)
	switch {
	case c.isLines(name):
		t.Lines, t.Header, t.TextA = true, false, cmp.Or(t.TextA, "1")
	case c.Separator == "quoted-tab":
		t.Quoted = '\t'
	case c.Separator == "comma":
		t.Quoted = ','
	case c.Separator == "auto" && strings.EqualFold(path.Ext(name), ".csv"):
		t.Quoted = benchmark.DetectCSV
	case c.Separator == "auto":
		t.Quoted = benchmark.DetectTSV
	}
	if t.Split == "" {
		t.Split = strings.TrimSuffix(path.Base(name), path.Ext(name))
	}
	if t.Language == "" {
		t.LanguageA = c.source().Language
	}
	return t
}
