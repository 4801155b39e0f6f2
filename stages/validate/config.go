// Package validate is the stage that proves that translated test sets equal their
// source in everything but the language: rows, labels, scores, splits, folds, order,
// rows without gold, encodings. It compares datasets of benchmarks, and the folders
// that the stage folders wrote for SentEval, task by task. benchmark.Checker and
// senteval.Format.Check describe what they find and what they cannot find. If a
// translated dataset has the language and task of a folder, the folder's lines must be
// those of the dataset, byte for byte, which proves their order.
//
// A task of the source that a language lacks is a fault, because its rows are missing.
// Rows and files of a task that the source lacks are faults, too, and so are files of
// a folder that belong to no task. Tasks limits the comparison to the named tasks. A
// folder in UTF-8 must hold the module by which SentEval reads it.
//
// Memory is that of one task: the rows of the source, and for a folder also its
// language's rows in the dataset and the bytes of one split, then the lines of one
// split.
package validate

import (
	"slices"
	"strings"

	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/transforms/testsets/benchmark"
	"sentweave/transforms/testsets/senteval"
)

// Version of the stage: raised when the same input gives other findings.
const Version = 2

// Config is the configuration of the stage. The tags are read by the command line;
// the json names are in the record.
type Config struct {
	Source          string   `help:"Dataset of benchmarks that the others are compared with." required:"" placeholder:"DIR" takes:"benchmark" group:"Input" json:"-"`
	SourceLanguage  string   `help:"Language of the source's rows that are compared with." default:"eng" placeholder:"CODE" group:"Input" json:"source_language"`
	Translated      []string `help:"Datasets of benchmarks in other languages." placeholder:"DIR,…" takes:"benchmark" group:"Input" json:"-"`
	Folders         []string `help:"Folders for SentEval: what the verb folders wrote, or one language's as LANGUAGE=DIR. With --translated, their lines must be what these give, byte for byte." placeholder:"[LANGUAGE=]DIR,…" takes:"folder" group:"Input" json:"-"`
	Form            string   `help:"How characters beyond ASCII are in folders (${enum}); auto: as their folders.json says, else utf-8." default:"auto" enum:"auto,utf-8,references" group:"Input" json:"form"`
	Spacing         string   `help:"How folders write scripts without spaces (${enum}); auto: as their folders.json says, else text." default:"auto" enum:"auto,text,characters" group:"Input" json:"spacing"`
	Languages       []string `help:"Languages that must be there, in each of --translated and --folders that is given; by default those that are." placeholder:"CODE,…" group:"Checks" json:"languages,omitempty"`
	Tasks           []string `help:"Tasks to compare; all of the source by default." placeholder:"TASK,…" group:"Checks" json:"tasks,omitempty"`
	MaxUntranslated float64  `help:"Greatest share of a file's texts that may equal the source's; 1 allows all." default:"0.2" group:"Checks" json:"max_untranslated"`
	MinCorrelation  float64  `help:"Least correlation of the lengths of a file's texts with the source's, from 50 rows on, by which texts in another order are found; 0 turns this off." default:"0.5" group:"Checks" json:"min_correlation"`
	Most            int      `help:"Faults of one kind to list for a file; 0 lists all." default:"5" group:"Checks" json:"most"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	errs := fault.List{c.check().Validate()}
	errs.Check(c.Source != "", "source is empty: give the dataset of the benchmarks")
	errs.Check(len(c.Translated)+len(c.Folders) != 0, "nothing to compare: give --translated or --folders")
	errs.Check(slices.Contains([]string{"auto", string(senteval.FormUTF8), string(senteval.FormReferences)}, c.Form),
		"form %q: want auto, utf-8 or references", c.Form)
	errs.Check(slices.Contains([]string{"auto", string(senteval.SpacingText), string(senteval.SpacingCharacters)}, c.Spacing),
		"spacing %q: want auto, text or characters", c.Spacing)
	errs.Check(len(c.Folders) != 0 || c.Form == "auto" && c.Spacing == "auto", "form and spacing are for --folders")
	for _, list := range [][]string{c.Translated, c.Folders, c.Languages, c.Tasks} {
		for i, v := range list {
			errs.Check(v != "" && !slices.Contains(list[:i], v), "%q is empty or occurs twice", v)
		}
	}
	_, err := language.ParseAll(append(slices.Clone(c.Languages), c.SourceLanguage))
	errs.Add(err)
	return errs.Err()
}

func (c Config) check() benchmark.CheckConfig {
	return benchmark.CheckConfig{Most: c.Most, MaxUntranslated: c.MaxUntranslated, MinCorrelation: c.MinCorrelation}
}

// languages are the demanded ones in our form, each once.
func (c Config) languages() []string {
	codes, _ := language.ParseAll(c.Languages) // they have been validated
	slices.Sort(codes)
	return slices.Compact(codes)
}

// folderArgument reads LANGUAGE=DIR, or DIR.
func folderArgument(argument string) (code, location string) {
	name, rest, ok := strings.Cut(argument, "=")
	if parsed, err := language.Parse(name); ok && err == nil {
		return parsed, rest
	}
	return "", argument
}
