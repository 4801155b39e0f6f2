// Package sample is the pipeline that draws a sample of documents or pairs: so many rows, or a share
// of them, of the whole dataset or of each language. The rows with the lowest hashes of their ids are
// drawn, in the order of the dataset, so a smaller sample lies within a larger one of the same seed.
//
// Rows are read twice and never shuffled. In the first pass units hand on the ranks of their rows, by
// ranges of ranks, and how many rows of each language lie in each range. A single unit says from these
// counts how many each range gives; the ranges find their lowest ranks, and the units of the second
// pass copy these rows. Nothing holds more than a count for each language and range: not the texts
// of a sample, nor their ranks.
package sample

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/transforms/filters/bottomk"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 1

func init() {
	graph.RegisterSpiller[*ranksTask]()
	graph.RegisterSpiller[*pairRanksTask]()
	graph.RegisterSpiller[*quotasTask]()
	graph.RegisterSpiller[*drawTask]()
	graph.RegisterWriter[schemas.Document, *copyTask]()
	graph.RegisterWriter[schemas.Pair, *pairCopyTask]()
}

// What a sample is drawn of.
const (
	byAll      = "all"
	byLanguage = "language"
)

// Config is the configuration of the pipeline. The tags are read by the command
// line; the json names are in plan and manifest.
type Config struct {
	Documents string   `help:"Dataset of documents." placeholder:"DIR" takes:"document" group:"Input" xor:"input" required:"" json:"-"`
	Pairs     string   `help:"Dataset of pairs, instead of documents." placeholder:"DIR" takes:"pair" group:"Input" xor:"input" required:"" json:"-"`
	Rows      int64    `help:"Rows to draw; all, with a note, where there are fewer." placeholder:"N" group:"Sample" xor:"size" required:"" json:"rows,omitempty"`
	Share     float64  `help:"Share of the rows to draw, above 0 and at most 1, instead of --rows." placeholder:"X" group:"Sample" xor:"size" required:"" json:"share,omitempty"`
	By        string   `help:"What --rows and --share are of (${enum}): all rows, or each language; of pairs, each pair of languages." default:"all" enum:"all,language" group:"Sample" json:"by,omitempty"`
	Balanced  bool     `help:"With --by=language, --rows and --share are of all rows, and each language gives as many, as far as it has them; the others fill up." group:"Sample" json:"balanced,omitempty"`
	Alpha     *float64 `help:"With --by=language, --rows and --share are of all rows, and a language with the share p of the rows gives in proportion to p to the power of X: 1 draws languages as they are, 0 is --balanced, 0.3 lifts small ones." placeholder:"X" group:"Sample" json:"alpha,omitempty"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	errs := fault.List{units.OneOf("by", c.By, byAll, byLanguage)}
	errs.Check((c.Documents == "") != (c.Pairs == ""), "give either documents or pairs: the dataset to draw from")
	errs.Check(c.Rows != 0 || c.Share != 0, "rows must be at least 1, or --share above 0: else nothing is drawn")
	errs.Check(c.Rows == 0 || c.Share == 0, "rows and share exclude each other: give one of them")
	errs.Check(c.Rows >= 0, "rows is %d, it must be at least 1", c.Rows)
	errs.Check(c.Share >= 0 && c.Share <= 1, "share is %v, it must be above 0 and at most 1", c.Share)
	errs.Check(!c.Balanced || c.Alpha == nil, "give either balanced or alpha: --balanced is --alpha=0")
	errs.Check(c.By == byLanguage || !c.Balanced && c.Alpha == nil,
		"balanced and alpha say how many rows each language gives: give --by=language, too")
	if c.Alpha != nil {
		errs.Check(*c.Alpha >= 0 && *c.Alpha <= 1, "alpha is %v, it must be from 0 to 1", *c.Alpha)
	}
	return errs.Err()
}

// divides says that the languages share the rows of one sample.
func (c Config) divides() bool { return c.Balanced || c.Alpha != nil }

// size is how many of so many rows are asked for.
func (c Config) size(rows int64) int64 {
	if c.Share > 0 {
		return int64(math.Round(c.Share * float64(rows)))
	}
	return c.Rows
}

// quotas says how many rows of each stratum are drawn: of each language, or of all rows.
func (c Config) quotas(strata []bottomk.Stratum) (drawn []int64) {
	if !c.divides() {
		for _, s := range strata {
			drawn = append(drawn, min(s.Records, c.size(s.Records)))
		}
		return drawn
	}
	total, alpha := int64(0), 0.
	for _, s := range strata {
		total += s.Records
	}
	if c.Alpha != nil {
		alpha = *c.Alpha
	}
	return bottomk.Apportion(strata, c.size(total), alpha)
}

// stratumOf is the stratum of a row of a language or a pair of languages.
func (c Config) stratumOf(languages string) string {
	if c.By == byAll {
		return ""
	}
	return languages
}

// Plan lays out four ranges of units: those that copy, those that rank the same rows, the unit of the
// quotas with the ranges of ranks, and those that draw.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	rows, role, err := units.OpenDocumentsOrPairs(ctx, c.Documents, c.Pairs)
	if err != nil {
		return nil, err
	}
	b := graph.New(settings)
	packed, files, err := b.PackPages(role, rows)
	if err != nil {
		return nil, err
	}
	copying, ranking := b.Units(packed), b.Units(packed)
	ranges := max(1, graph.Bucketing(len(packed), 8))
	sorting, drawing := b.Buckets(1+ranges), b.Buckets(ranges)
	ranks := Ranking{Config: c, Rows: rows, Seed: settings.Seed, Ranges: ranges, First: ranking.First}
	if role == chainPairs {
		graph.Spill(b, "rank", ranking, &pairRanksTask{ranks}, exchange.ToUnits("ranks", sorting))
	} else {
		graph.Spill(b, "rank", ranking, &ranksTask{ranks}, exchange.ToUnits("ranks", sorting))
	}
	graph.Spill(b, "quotas", sorting, &quotasTask{Config: c, First: sorting.First}, exchange.ToUnits("quotas", drawing))
	graph.Spill(b, "draw", drawing, &drawTask{}, exchange.ToUnits("drawn", copying))
	draft := dataset.Draft{Pipeline: "sample", PipelineVersion: Version, Config: c, Layout: files}
	if role == chainPairs {
		draft.Schema = schemas.Pair{}.Schema()
		graph.Write(b, "copy", copying, &pairCopyTask{rows})
	} else {
		draft.Schema = schemas.Document{}.Schema()
		graph.Write(b, "copy", copying, &copyTask{rows})
	}
	return b.Job(output, draft)
}

// mostNamed is the number of languages that a shortfall names.
const mostNamed = 10

// Shortfalls says of a sample what it has fewer of than was asked for: rows, or rows of languages, of which
// some may have none.
func (c Config) Shortfalls(m *dataset.Manifest) (notes []string) {
	var in, out int64
	var short, missing []string
	several := "" // languages that the manifest counts together
	for _, chain := range m.Funnel.Chains {
		languages := chain.Steps[0].Languages
		for _, name := range slices.SortedFunc(maps.Keys(languages), func(a, b string) int {
			return cmp.Or(cmp.Compare(languages[a].In, languages[b].In), strings.Compare(a, b))
		}) {
			l := languages[name]
			in, out = in+l.In, out+l.Out
			switch told := fmt.Sprintf("%s (%d)", name, l.In); {
			case name == dataset.OthersKey:
				several = " at least"
			case l.Out == 0 && l.In > 0:
				missing = append(missing, told)
			case l.Out == l.In && (c.divides() || c.Rows > l.In):
				short = append(short, told)
			}
		}
	}
	complete := in == out
	switch {
	case in > 0 && out == 0:
		population := fmt.Sprintf("%d rows", in)
		if c.By == byLanguage && !c.divides() {
			population = "the rows of each language"
		}
		return []string{fmt.Sprintf("the sample is empty: --share=%v of %s is less than half a row", c.Share, population)}
	case c.By == byAll || c.divides() && complete:
		if in < c.Rows {
			notes = append(notes, fmt.Sprintf("the input has %d rows, fewer than --rows=%d: the sample is all of them", in, c.Rows))
		}
		return notes
	}
	if len(short) > 0 {
		text := "languages that ran out, with all their rows in the sample: " + first(short) + several
		if c.divides() {
			text += "; the others fill up"
		}
		notes = append(notes, text)
	}
	if len(missing) > 0 {
		notes = append(notes, "languages without a row in the sample: "+first(missing)+several)
	}
	return notes
}

// first lists as many names as a note has.
func first(names []string) string {
	if surplus := len(names) - mostNamed; surplus > 0 {
		names = append(names[:mostNamed:mostNamed], fmt.Sprintf("%d more", surplus))
	}
	return strings.Join(names, ", ")
}
