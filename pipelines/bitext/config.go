// Package bitext is the pipeline from files of others to pairs: texts that translate each
// other, and pairs that somebody scored or labelled. It is planned by the verb pairs.
//
// The plan reads all files to their ends, for their hashes and the numbers of their lines: sides
// of different length, and compressed files that are damaged, are told before any work, and
// files that are not compressed are cut at the same line on all sides.
//
// # Behavior
//
// A pair's origin is the corpus: the name of its files below the input, without language
// and compression. Its position is the number of the line, row or unit in the file, from 0.
// Its id is a hash of both languages and texts, so that the same pair has the same id in
// whatever format it came; where duplicates stay, of origin and position, too. Its group
// is a hash of the text in the pivot's language. Where that language is not one of the record's,
// it is the group of a pair of another record that translates one of its texts from the
// pivot (the least, if there are several), or else a hash of its first text. So all
// translations of a text have one group across files.
//
// Of equal pairs of the same languages, in whatever order, the first stays, by the order
// of the corpora's names.
//
// With a share that is held out, the groups are dealt into two parts, and the dataset has
// the pairs of one. The part of a group depends on the group and the seed alone. A text of other languages than the
// pivot's may be in groups of both parts; `sentweave dedup --pairs HELDOUT --against
// TRAINING` drops such pairs.
package bitext

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/identifier"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/clean/characters"
)

// Kinds of pairs that are imported.
var Kinds = []string{schemas.KindBitext, schemas.KindSTS, schemas.KindQE, schemas.KindNLI}

// langidRole is the role of the language identifier among the plan's inputs.
const langidRole = "langid"

func init() {
	graph.RegisterSpiller[*keysTask]()
	graph.RegisterSpiller[*notesTask]()
	graph.RegisterWriter[schemas.Pair, *writeTask]()
	graph.RegisterSpiller[*sentencesTask]()
	graph.RegisterSpiller[*linksTask]()
	graph.RegisterSpiller[*linkedTask]()
	graph.RegisterWriter[schemas.Pair, *tatoebaTask]()
}

// Settings are what the command line asks for. The json names are in plan and manifest.
type Settings struct {
	Input []string `help:"Bitext, sts, qe, nli: files, or folders of files. Aligned by lines: Books.de-en.de and Books.de-en.en, or news.eng, news.deu and more. Tables and memories: .tsv, .csv, .jsonl, .json, .tmx, .parquet. All but Parquet also with .gz, .zst, .xz or .bz2, or in .zip." placeholder:"PATH,…" group:"Input" json:"-"`
	Paths string   `help:"Bitext, sts, qe, nli: list of the files to read, one name a line, as it is below --input; all others are left out." placeholder:"FILE" group:"Input" json:"-"`
	units.Unreadable
	Columns      []string `help:"Tables, JSON and Parquet: what the columns are, in their order, such as score,eng,deu: codes of languages, score, target, label, or - for one to leave out. ROLE=NAME takes a column by its name in the header or a field, ROLE=N the Nth column." placeholder:"ROLE,…" group:"Input" repeats:"" json:"columns,omitempty"`
	Header       bool     `help:"Tables: the first line names the columns." group:"Input" json:"header,omitempty"`
	Languages    []string `help:"Bitext: languages to take, with an optional script, in which most letters must be (srp_Latn); all that the files have by default." placeholder:"CODE,…" group:"Input" json:"languages,omitempty"`
	Shorter      bool     `help:"Bitext: files that are aligned by lines and have not equally many end with the shortest." group:"Input" json:"shorter,omitempty"`
	Combinations bool     `help:"Bitext: of texts in more than two languages take every pair, not only those with the pivot." group:"Pairs" json:"combinations,omitempty"`
	Repeated     bool     `help:"Bitext, sts, qe, nli: keep pairs that occurred before." group:"Pairs" json:"repeated,omitempty"`
	Origin       string   `help:"Bitext, sts, qe, nli: origin of all pairs; by default the corpus that each is from." placeholder:"NAME" group:"Pairs" json:"origin,omitempty"`
	HeldoutShare float64  `help:"Bitext: share of the groups that is held out of training, chosen by hash of group and seed, such as 0.05. --part says which part this dataset gets." default:"0" placeholder:"X" group:"Pairs" json:"heldout_share,omitempty"`
	Part         string   `help:"Bitext, with --heldout-share: part to take, training or heldout." default:"" enum:",training,heldout" placeholder:"PART" group:"Pairs" json:"part,omitempty"`
	Langid       string   `help:"Bitext, sts, qe, nli: fastText model, such as lid.176.ftz, that drops pairs of which a text is in another language; embedded takes the one of the program, none no model." placeholder:"FILE" words:"embedded,none" group:"Filters" json:"-"`
	LangidMargin float64  `help:"With --langid: by how much the probability of another language must be greater (${default})." default:"0.5" placeholder:"X" group:"Filters" json:"langid_margin,omitempty"`
}

// UsualMargin is the default of LangidMargin.
const UsualMargin = .5

// Given returns the flags that are set.
func (s Settings) Given() (flags []string) {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"input", len(s.Input) > 0}, {"paths", s.Paths != ""}, {"columns", len(s.Columns) > 0}, {"header", s.Header},
		{"languages", len(s.Languages) > 0}, {"shorter", s.Shorter}, {"combinations", s.Combinations}, {"repeated", s.Repeated},
		{"origin", s.Origin != ""}, {"langid", s.Langid != ""}, {"langid-margin", s.LangidMargin != UsualMargin},
		{"heldout-share", s.HeldoutShare != 0}, {"part", s.Part != ""},
	} {
		if f.set {
			flags = append(flags, f.name)
		}
	}
	return flags
}

// Parts of the groups.
const (
	PartTraining = "training"
	PartHeldout  = "heldout"
)

// Config is the configuration of the pipeline.
type Config struct {
	Kind string `json:"kind"`
	Settings
	// Pivot is the language whose texts make groups; if "", the commonest one.
	Pivot string `json:"pivot,omitempty"`
	// MaxRatio is the greatest ratio of the lengths of both sides.
	MaxRatio float64 `json:"max_ratio,omitempty"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	errs.Add(units.OneOf("kind", c.Kind, Kinds...))
	errs.Check(len(c.Input) > 0 && !slices.Contains(c.Input, ""), "input is empty: give the files, or their folder")
	errs.Check(c.Paths == "" || len(c.Input) == 1, "paths needs one input: the folder below which the names stand")
	errs.Check(c.LangidMargin >= 0 && c.LangidMargin <= 1, "langid-margin %v: want a probability, 0 to 1", c.LangidMargin)
	errs.Add(c.validatePart(), c.UnreadableFault())
	if c.Kind == schemas.KindBitext {
		errs.Check(c.MaxRatio >= 1, "max-ratio %v: want at least 1", c.MaxRatio)
	} else {
		errs.Check(!c.Shorter, "shorter is for files that are aligned by lines, of kind bitext")
		errs.Check(!c.Combinations, "combinations is for texts in more than two languages, of kind bitext")
		errs.Check(len(c.Languages) == 0, "languages is for kind bitext; --columns names the languages of %s", c.Kind)
		errs.Check(c.Pivot == "", "pivot is for kind bitext")
		errs.Check(len(c.Columns) > 0, "columns is empty: name the columns, as in --columns=eng,eng,%s", roleOf(c.Kind))
	}
	_, err := c.wanted()
	errs.Add(err)
	_, err = parseColumns(c.Kind, c.Columns)
	errs.Add(err)
	return errs.Err()
}

// validatePart returns the fault of the share that is held out.
func (c Config) validatePart() error {
	switch share := c.HeldoutShare; {
	case c.Part == "" && share == 0:
		return nil
	case c.Kind != schemas.KindBitext:
		return fmt.Errorf("heldout-share and part are for kind bitext: pairs of kind %s have no groups", c.Kind)
	case !(share > 0 && share < 1):
		return fmt.Errorf("heldout-share is %v, it must be a share of the groups between 0 and 1, such as 0.05: without texts that are held out nothing can be measured",
			share)
	case c.Part == "":
		return errors.New("heldout-share needs part: give --part training for one dataset and --part heldout for another")
	}
	return units.OneOf("part", c.Part, PartTraining, PartHeldout)
}

// wanted are the codes of the languages that are taken.
func (c Config) wanted() (codes []string, err error) {
	var errs fault.List
	for _, tag := range c.Languages {
		code, err := characters.ParseLanguage(tag)
		if err != nil {
			errs.Addf("languages: %w", err)
			continue
		}
		codes = append(codes, code)
	}
	if len(errs) == 0 && len(codes) == 1 {
		errs.Addf("languages names only %s: a pair has two languages", codes[0])
	}
	return codes, errs.Err()
}

// Plan reads the files and cuts them into units.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings, version int) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	c.Languages, _ = c.wanted() // which have been validated: de and deu are one plan
	b := graph.New(settings)
	work := Work{Config: c, Seed: settings.Seed}
	if location := identifier.Location(c.Langid); location != "" {
		file, input, err := identifier.OpenFile(ctx, langidRole, location) // before any work, and in the launcher's words
		if err != nil {
			return nil, err
		}
		work.Langid = file
		b.Input(input)
	}
	inputs, err := c.find(ctx, output, true)
	if err != nil {
		return nil, err
	}
	work.Folders, work.Sources = inputs.folders, inputs.sources
	tatoeba := inputs.sources[0].isTatoeba()
	codes, _ := c.wanted() // which is validated
	stated := map[string]bool{}
	for _, s := range inputs.sources {
		for _, code := range s.Languages {
			stated[code] = true
		}
	}
	lacking, err := identifier.Lacking(ctx, c.Langid, slices.Sorted(maps.Keys(stated)))
	if err != nil {
		return nil, err
	}
	if len(lacking) > 0 {
		inputs.notes = append(inputs.notes, fmt.Sprintf("the identifier %s never answers %s: it checks no text in such a language",
			c.Langid, strings.Join(lacking, ", ")))
	}
	switch {
	case c.Kind != schemas.KindBitext || c.Pivot != "":
	case tatoeba:
		work.Config.Pivot = tatoebaPivot(codes)
		inputs.notes = append(inputs.notes, fmt.Sprintf("the pivot is %s: "+
			"texts that share a text in it are never negatives of each other; --pivot takes another language",
			work.Config.Pivot))
	default:
		work.Config.Pivot = commonest(inputs.sources, codes)
		inputs.notes = append(inputs.notes, fmt.Sprintf("the pivot is %s, the commonest language: "+
			"texts that share a text in it are never negatives of each other; --pivot takes another one",
			work.Config.Pivot))
	}
	work.Joined = joined(inputs.sources, work.Config.Pivot)
	b.Input(dataset.ListingInput("bitext", inputs.listed))
	total, content := int64(0), map[string]int64{}
	for _, s := range inputs.sources {
		total += s.bytes()
		content[s.Format] += s.content()
	}
	size := b.UnitBytes(total, dataset.LeastOfFiles)
	list := dataset.Pack(inputs.pieces(size), size)
	if tatoeba {
		work.tatoeba(b, list)
	} else {
		work.direct(b, list)
	}
	job, err := b.Job(output, dataset.Draft{Pipeline: "pairs", PipelineVersion: version, Schema: schemas.Pair{}.Schema(),
		Config: work.Config})
	if err != nil {
		return nil, fmt.Errorf("plan %s: %w", c.Kind, err)
	}
	job.Notes, job.Content = inputs.notes, content
	return job, nil
}

// Look returns what would keep Plan from beginning, as far as the names of the files and their
// first records tell it. Files in buckets, of which each costs a request, are left to Plan.
func (c Config) Look(ctx context.Context, output string) error {
	if slices.ContainsFunc(c.Input, storage.IsRemote) {
		return nil
	}
	_, err := c.find(ctx, output, false)
	return err
}

// direct adds the phases that read files whose records hold both texts. Where duplicates are
// dropped or groups joined there are three ranges: units that write, units that spill the
// keys of the same pairs, and buckets.
func (w Work) direct(b *graph.Builder, list []dataset.Unit) {
	writes := b.Units(list)
	noted := !w.Config.Repeated || len(w.Joined) > 0
	if noted {
		keys := b.Units(list)
		buckets := b.Buckets(max(1, graph.Bucketing(keys.Count, 8)))
		graph.Spill(b, "keys", keys, &keysTask{Work: w, First: keys.First}, exchange.ByHash("keys", buckets))
		graph.Spill(b, "notes", buckets, &notesTask{}, exchange.ToUnits("notes", writes))
	}
	graph.Write(b, "bitext", writes, &writeTask{Work: w, Noted: noted})
}

// joined returns the languages of the corpora without the pivot's, as far as corpora with it
// have them, too. One whose records need not be in all of its languages is a corpus of both sorts.
func joined(sources []Source, pivot string) (codes []string) {
	var pivoted []string
	for _, s := range sources {
		if slices.Contains(s.Languages, pivot) {
			pivoted = append(pivoted, s.Languages...)
		}
	}
	for _, s := range sources {
		if slices.Contains(s.Languages, pivot) && !s.varies() {
			continue
		}
		for _, code := range s.Languages {
			if code != pivot && slices.Contains(pivoted, code) && !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
	}
	return codes
}

// varies says that records make pairs of some of the source's languages.
func (s Source) varies() bool {
	return len(s.Languages) > 2 && (s.Format == formatTMX || s.Fields != nil)
}

// commonest returns that of the wanted languages which the most lines or records are in. Of those
// with equally many it is English, which most corpora are with, or else the first by its code.
func commonest(sources []Source, codes []string) string {
	size := map[string]int64{}
	for _, s := range sources {
		for _, code := range s.Languages {
			n := s.lines
			if s.texts != nil {
				n = s.texts[code]
			}
			if len(codes) == 0 || language.MatchesAny(code, codes) {
				size[code] += n
			}
		}
	}
	best := ""
	for code, n := range size { // the order does not matter: ties are decided
		switch {
		case best == "" || n > size[best]:
			best = code
		case n == size[best] && best != "eng" && (code == "eng" || strings.Compare(code, best) < 0):
			best = code
		}
	}
	return best
}
