// Package ingest is the pipeline that makes rows of a translation memory from
// translations that exist: TMX files, Parquet files with the columns of a translation
// memory, and unfinished datasets of translations. The answers of an unfinished
// dataset lie in its shards and journals, and this pipeline saves them because they
// were paid for.
//
// A unit of TMX with n languages gives up to n-1 translations: from the requested
// language, or from the one that the unit names as its source, into each of the
// others.
//
// Texts of TMX, and of Parquet files from other programs, become one line: runs of
// white space and control characters become single spaces, and keys are made of that
// text. Rows of a dataset of translations are valid and name their engine and their
// key, so they stay as they are, byte for byte. A dataset that is read from its own
// Parquet files therefore comes back equal. If such a row was exported to TMX, its
// unit is recognised by its key and gets its engine.
package ingest

import (
	"slices"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 5

func init() { graph.RegisterWriter[schemas.Translation, *task]() }

// Config is the configuration of the pipeline. The tags are read by the command
// line; the json names are in plan and manifest.
type Config struct {
	Input []string `help:"Files, or folders of files, that end in .tmx, .tmx.gz or .parquet; Parquet with the columns text, translation, source_language and target_language, and whatever others a dataset of translations has; or the folder of such a dataset, finished or not." required:"" placeholder:"PATH,…" group:"Input" json:"-"`
	units.Unreadable
	Source     string   `help:"Language of the texts, as ISO 639-3 or BCP 47; by default what each memory says." placeholder:"CODE" group:"Input" json:"source,omitempty"`
	Targets    []string `help:"Languages of the translations; all by default." placeholder:"CODE,…" group:"Input" json:"targets,omitempty"`
	Both       bool     `help:"Take each pair of texts in both directions, whichever is the source. Rows that name their engine, and units that export wrote of such, stay as they are." group:"Input" json:"both,omitempty"`
	Codes      bool     `help:"TMX: keep the codes of the native format, such as markup, as text." group:"Input" json:"codes,omitempty"`
	EngineName string   `help:"Engine to name in the rows; by default what Parquet says, or TMX that export wrote; else tmx or parquet." placeholder:"NAME" group:"Rows" json:"engine_name,omitempty"`
	ModelName  string   `help:"Model to name in the rows; by default what Parquet says, and the tool that made the TMX." placeholder:"NAME" group:"Rows" json:"model_name,omitempty"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check(len(c.Input) != 0 && !slices.Contains(c.Input, ""), "input is empty: give the files of the memories, or their folder")
	_, err := c.wanted()
	errs.Add(err, c.UnreadableFault())
	return errs.Err()
}

// selection holds the languages that are taken.
type selection struct {
	source  string
	targets []string
	both    bool
}

func (c Config) wanted() (w selection, err error) {
	w.both = c.Both
	var errs fault.List
	parse := func(flag, tag string) string {
		code, err := language.Parse(tag)
		if err != nil {
			errs.Addf("%s: %w", flag, err)
		}
		return code
	}
	if c.Source != "" {
		w.source = parse("source", c.Source)
	}
	for _, tag := range c.Targets {
		w.targets = append(w.targets, parse("targets", tag))
	}
	errs.Check(len(errs) != 0 || w.source == "" || !slices.Contains(w.targets, w.source), "targets: %s is the source", w.source)
	return w, errs.Err()
}

// takes says whether translations from one language into another are wanted.
func (w selection) takes(source, target string) bool {
	return w.direction(source, target) || w.both && w.direction(target, source)
}

func (w selection) direction(source, target string) bool {
	return (w.source == "" || language.Matches(source, w.source)) &&
		(len(w.targets) == 0 || language.MatchesAny(target, w.targets))
}
