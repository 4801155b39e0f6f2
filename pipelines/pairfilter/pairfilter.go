// Package pairfilter is the pipeline that drops pairs of parallel texts by the filters of the package
// pairfilters, with reasons, or writes what these measure. Each unit does its rows alone, but for margins.
//
// # Margins
//
// The margin of a pair is that of LASER's mine_bitexts.py --mode score (Artetxe and Schwenk, ACL 2019): the cosine of both texts by the
// mean of their cosines to the k nearest texts of the other side, the pair's own among them. The sides are those of all pairs in the same
// two languages, in this order; of equal texts of a side one counts, as with --unify. A side of fewer than k texts is a neighbourhood
// as a whole.
//
//	sign      each text with a vector gives its hash                   pairs
//	distinct  of equal texts the first stays: a bit for each row       one unit
//	search    the mean cosine of each text to its k nearest            pairs
//	filter    the pairs                                                pairs
//
// A unit of search holds a block of vectors, and reads all vectors for it: see package knn. It takes 4·pairs²·dimensions
// multiplications and additions for each two languages.
package pairfilter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/pipelines/flags"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/identifier"
	"sentweave/pipelines/knn"
	"sentweave/pipelines/units"
	"sentweave/pipelines/vectors"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/language"
	"sentweave/transforms/filters/choice"
	"sentweave/transforms/pairs/pairfilters"
)

// Version of the pipeline: raised when the same input gives another output. 2: pairs whose vectors cannot be compared are dropped.
const Version = 2

// Roles of files among the plan's inputs: the language identifier, the model of the filter learned, and the sheet of judged pairs.
const (
	langidRole   = "langid"
	modelRole    = "model"
	verdictsRole = "verdicts"
)

// Filters that need more than the pairs, and run by default where that is given.
const (
	languageFilter = "language"
	cosineFilter   = "cosine"
	marginFilter   = "margin"
	learnedFilter  = "learned"
)

// usualNeighbors is the default of K, that of LASER.
const usualNeighbors = 4

func init() {
	graph.RegisterSpiller[*signTask]()
	graph.RegisterSpiller[*distinctTask]()
	graph.RegisterSpiller[*searchTask]()
	graph.RegisterWriter[schemas.Pair, *filterTask]()
	graph.RegisterWriter[schemas.PairScore, *scoreTask]()
}

// Config is the configuration of the pipeline. The tags are read by the command
// line; the json names are in plan and manifest. Flags has the flags of the filters.
type Config struct {
	Pairs string `help:"Dataset of pairs." placeholder:"DIR" takes:"pair" group:"Input" required:"" json:"-"`
	// Langid is the path of a fastText model.
	Langid string `help:"fastText model that identifies languages, such as lid.176.ftz, for the filter language; embedded takes the one of the program, as --filters language does without this flag, none no model." placeholder:"FILE" words:"embedded,none" group:"Filters" json:"-"`
	Preset string `help:"Filters to run, with their thresholds, instead of --filters (${enum})." enum:",opusfilter,bicleaner-hardrules,laser,labse" default:"" placeholder:"NAME" group:"Filters" json:"-"`
	// Embeddings is a dataset that the stage embed made of the pairs.
	Embeddings string `help:"Dataset of embeddings that embed made of --pairs, for the filters cosine and margin. Shards are cut as those of the embeddings." placeholder:"DIR" takes:"embedding" group:"Filters" json:"-"`
	// K is the size of neighbourhoods; the plan has it where margins are measured.
	K int `help:"Nearest texts of the other side that make the neighbourhood of a text, for the filter margin (${default}); 0 with --scores measures no margins, whose time grows with the square of the pairs." default:"4" placeholder:"N" group:"Filters" json:"k,omitempty"`
	// Model is the path of a model of pairtrain.
	Model string `help:"Model that pairtrain made, for the filter learned. It needs --langid and --embeddings where the scores that it learned from were made with them." placeholder:"FILE" group:"Filters" json:"-"`
	// Verdicts is the path of a sheet of judged pairs.
	Verdicts string `help:"Sheet of pairs that people have judged, as report --pairs makes one. The funnel counts what the filters do with good pairs and with bad ones, and the verdicts then count more than the filters." placeholder:"FILE" group:"Filters" json:"-"`
	// Judged is how many pairs the sheet has verdicts of.
	Judged int  `kong:"-" json:"judged,omitempty"`
	Scores bool `help:"Drop nothing: write the measures of all filters, each as a column, and the reason for which the chosen filters would drop a pair." group:"Filters" json:"scores,omitempty"`
	flags.Chosen
}

// Flags implements flags.Source: the flag filters and one for each setting.
func (c *Config) Flags() []flags.Flag { return flags.OfFilters(pairfilters.List, &c.Chosen) }

// Help returns the tables of the filters and of the presets, which the command line shows.
func (c *Config) Help() string {
	var b strings.Builder
	flags.TableOfFilters(&b, pairfilters.List)
	b.WriteString("\nThe presets:\n\n")
	for _, p := range pairfilters.Presets {
		fmt.Fprintf(&b, "    %s: %s: %s", p.Name, p.Is, strings.Join(p.Filters, ","))
		for _, f := range pairfilters.List {
			for _, s := range f.New().Settings {
				if text, ok := p.Settings[s.Name]; ok {
					fmt.Fprintf(&b, " --%s %s", s.Name, text)
				}
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString("\nThe columns of --scores, by the filter that measures them:\n\n")
	for _, f := range pairfilters.List {
		fmt.Fprintf(&b, "    %s: %s\n", f.Name, strings.Join(pairfilters.NewChain([]pairfilters.Rules{f.New()}).Measures(), ", "))
	}
	return b.String()
}

// chosen returns the names of the filters to run, and their settings: those of the preset, unless others are given.
func (c Config) chosen() (names []string, settings map[string]string) {
	settings = map[string]string{}
	names = c.Filters
	if len(names) == 0 {
		names = pairfilters.List.Names(func(f pairfilters.Filter) bool { return f.Default })
		for _, p := range pairfilters.Presets {
			if p.Name == c.Preset {
				if c.Embeddings != "" && p.Vectors != nil {
					names = p.Vectors
					break
				}
				names = p.Filters
				for name, text := range p.Settings {
					settings[name] = text
				}
			}
		}
		if c.langid() != "" {
			names = append(slices.Clone(names), languageFilter)
		} else {
			delete(settings, "min-language")
		}
		if c.Embeddings != "" && !slices.Contains(names, cosineFilter) && !slices.Contains(names, marginFilter) {
			names = append(slices.Clone(names), cosineFilter)
		}
		if c.Model != "" {
			names = append(slices.Clone(names), learnedFilter)
		}
	}
	for name, text := range c.Settings {
		settings[name] = text
	}
	return pairfilters.List.Ordered(names), settings
}

// langid returns the location of the identifier, "" for none. Who names the filter language and no model means the embedded one.
func (c Config) langid() string {
	if c.Langid == "" && slices.Contains(c.Filters, languageFilter) {
		return identifier.Embedded
	}
	return identifier.Location(c.Langid)
}

// rules returns the rules of the filters to run, or all that is wrong with them.
func (c Config) rules() ([]pairfilters.Rules, error) {
	names, settings := c.chosen()
	rules, err := pairfilters.List.Choose(names, settings)
	errs := fault.List{err}
	errs.Check(c.Preset == "" || len(c.Filters) == 0, "preset and filters exclude each other: a preset names its filters")
	errs.Add(units.OneOf("preset", c.Preset, append(pairfilters.PresetNames(), "")...))
	const effect = "%s has no effect without the filter %s: name it among the filters"
	reads := func(flag, value, is string, filters ...string) {
		i := slices.IndexFunc(filters, func(filter string) bool { return slices.Contains(names, filter) })
		errs.Check(i < 0 || value != "", "the filter %s needs %s: %s", filters[max(i, 0)], flag, is)
		errs.Check(i >= 0 || c.Scores || value == "" || flag != "model" && c.Model != "", effect, flag, strings.Join(filters, " or "))
	}
	reads("langid", c.langid(), "a model that identifies languages, or embedded", languageFilter)
	reads("embeddings", c.Embeddings, "the vectors that embed makes of the pairs", cosineFilter, marginFilter)
	reads("model", c.Model, "a model that pairtrain made", learnedFilter)
	errs.Check(c.K >= 0 && c.K <= knn.MostNeighbors, "k is %d, it must be from 0 to %d", c.K, knn.MostNeighbors)
	errs.Check(c.K == 0 || c.K == usualNeighbors || c.neighbors() > 0, effect, "k", marginFilter)
	errs.Check(c.K != 0 || !slices.Contains(names, marginFilter), "the filter margin needs neighbours: k is 0, %d is usual", usualNeighbors)
	return rules, errs.Err()
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	_, err := c.rules()
	errs := fault.List{err}
	errs.Check(c.Pairs != "", "pairs is empty: give the dataset of pairs to filter")
	return errs.Err()
}

// neighbors is the size of the neighbourhoods of texts, 0 where no margins are measured.
func (c Config) neighbors() int {
	names, _ := c.chosen()
	if c.Embeddings == "" || !c.Scores && !slices.Contains(names, marginFilter) {
		return 0
	}
	return c.K
}

// record is what the plan holds of the configuration: the names of the filters that run, and their settings.
func (c Config) record() (map[string]json.RawMessage, error) {
	rules, err := c.rules()
	if err != nil {
		return nil, err
	}
	if c.Filters, _ = c.chosen(); len(c.Filters) == 0 {
		c.Filters = []string{choice.NoFilter}
	}
	c.K = c.neighbors()
	record := map[string]json.RawMessage{}
	data, err := json.Marshal(c)
	if err == nil {
		err = jsonfile.Unmarshal(data, &record)
	}
	return record, errors.Join(err, flags.RecordFilters(record, rules))
}

// UnmarshalJSON reads a configuration, or the record of one.
func (c *Config) UnmarshalJSON(data []byte) error {
	type fields Config // without this method
	record := map[string]json.RawMessage{}
	if err := errors.Join(jsonfile.Unmarshal(data, (*fields)(c)), jsonfile.Unmarshal(data, &record)); err != nil {
		return err
	}
	return flags.ReadFilters(pairfilters.List, record, &c.Chosen)
}

// checkThresholds returns an error if min-language names languages that the identifier at a location never answers: their pairs are
// not measured.
func (w Work) checkThresholds(ctx context.Context, location string) error {
	var minimum choice.Shares
	text, set := w.Settings["min-language"]
	if !set {
		return nil
	}
	if err := minimum.UnmarshalText([]byte(text)); err != nil {
		return err
	}
	lacking, err := identifier.Lacking(ctx, location, slices.Sorted(maps.Keys(minimum.ByLanguage)))
	if err == nil && len(lacking) > 0 {
		err = fmt.Errorf("min-language has no effect on %s, which the identifier %s never answers", strings.Join(lacking, ", "), location)
	}
	return err
}

// lackingLanguages says which languages of the pairs, by their funnel, the identifier at a location never answers: the filter
// language keeps what is in them.
func lackingLanguages(ctx context.Context, location string, m *dataset.Manifest) (notes []string, err error) {
	codes := map[string]bool{}
	for languages := range m.Funnel.Out(chainPairs) {
		for code := range strings.SplitSeq(languages, "-") {
			if language.Valid(code) && code != language.Undetermined {
				codes[code] = true
			}
		}
	}
	lacking, err := identifier.Lacking(ctx, location, slices.Sorted(maps.Keys(codes)))
	if len(lacking) > 0 {
		notes = append(notes, fmt.Sprintf("the identifier %s never answers %s: the filter language checks no text in such a language",
			location, strings.Join(lacking, ", ")))
	}
	return notes, err
}

// Plan cuts the pairs into units.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	if c.Verdicts != "" {
		verdicts, err := openVerdicts(ctx, c.Verdicts)
		if err != nil {
			return nil, err
		}
		c.Judged = len(verdicts)
	}
	record, err := c.record()
	if err != nil {
		return nil, err
	}
	pairs, err := units.OpenDataset[schemas.Pair](ctx, c.Pairs)
	if err != nil {
		return nil, err
	}
	b := graph.New(settings)
	b.Input(pairs.Manifest().Input(chainPairs))
	work := Work{Pairs: pairs}
	work.Filters, work.Settings = c.chosen()
	var notes []string
	if location := c.langid(); location != "" {
		var model dataset.Input
		if work.Langid, model, err = identifier.OpenFile(ctx, langidRole, location); err != nil { // before any work
			return nil, err
		}
		b.Input(model)
		if err := work.checkThresholds(ctx, location); err != nil {
			return nil, err
		}
		if notes, err = lackingLanguages(ctx, location, pairs.Manifest()); err != nil {
			return nil, err
		}
	}
	if c.Model != "" {
		var model dataset.Input
		if work.Model, model, err = units.OpenFile(ctx, modelRole, c.Model); err != nil {
			return nil, err
		}
		if err := c.checkModel(ctx); err != nil {
			return nil, err
		}
		b.Input(model)
	}
	if c.Verdicts != "" {
		var sheet dataset.Input
		if work.Verdicts, sheet, err = units.OpenFile(ctx, verdictsRole, c.Verdicts); err != nil {
			return nil, err
		}
		b.Input(sheet)
	}
	packed := b.Pack(pairs.Manifest())
	if c.Embeddings != "" {
		if work.Embeddings, packed, err = vectors.Open(ctx, c.Embeddings, pairs.Manifest()); err != nil {
			return nil, err
		}
		if work.Dimensions, err = vectors.Dimensions(ctx, work.Embeddings); err != nil {
			return nil, err
		}
		b.Input(work.Embeddings.Manifest().Input(vectors.Role))
	}
	list, schema := b.Units(packed), schemas.Pair{}.Schema()
	var operations float64
	searching := list
	if work.K = c.neighbors(); work.K > 0 {
		searching, operations = work.search(b, packed, list)
	}
	if c.Scores {
		schema = schemas.PairScore{}.Schema()
		graph.Write(b, "scores", list, &scoreTask{Work: work})
	} else {
		graph.Write(b, "filter", list, &filterTask{Work: work})
	}
	job, err := b.Job(output, dataset.Draft{Pipeline: "pairfilter", PipelineVersion: Version, Schema: schema, Config: record})
	if err != nil {
		return nil, fmt.Errorf("plan pairfilter: %w", err)
	}
	job.Filters, job.Notes = work.Filters, append(job.Notes, notes...)
	if work.K > 0 {
		job.Slow, job.Operations, job.Rows = searching, operations, pairs.Manifest().Rows
	}
	return job, nil
}
