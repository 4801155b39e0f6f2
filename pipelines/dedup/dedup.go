// Package dedup is the pipeline that drops exact duplicates from documents: whole
// documents, sentences, paragraphs or spans; or from pairs; or near duplicates from
// documents. Of equal texts, or of a cluster of near duplicates, the one with the smallest id
// stays, of pairs first the one with the best score, so the result does not depend on the order of work. The pipeline can also drop
// texts that occur in other datasets, such as held-out pages: of pairs, those of which a
// text is in a pair of the other datasets, in whatever language.
//
// Keys are exchanged twice: units spill the keys of their texts to buckets, buckets
// spill the keys to drop back to the units, and the units copy the rest. Rows are read
// twice and never shuffled. Near duplicates take two exchanges more, see planNear.
package dedup

import (
	"context"
	"errors"
	"fmt"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/spelling"
	"sentweave/transforms/filters/dedup"
	"sentweave/transforms/filters/minhash"
)

const pipeline = "dedup"

// Version of the pipeline: raised when the same input gives another output.
const Version = 3

func init() {
	graph.RegisterSpiller[*keysTask]()
	graph.RegisterSpiller[*losersTask]()
	graph.RegisterSpiller[*signTask]()
	graph.RegisterSpiller[*matchTask]()
	graph.RegisterSpiller[*joinTask]()
	graph.RegisterSpiller[*chooseTask]()
	graph.RegisterWriter[schemas.Document, *copyTask]()
	graph.RegisterSpiller[*pairKeysTask]()
	graph.RegisterWriter[schemas.Pair, *pairCopyTask]()
}

// Levels: what is compared.
const (
	LevelDocument  = "document"
	LevelSentence  = "sentence"
	LevelParagraph = "paragraph"
	LevelSpan      = "span"
)

// levels has, of each level at which parts of documents are compared, the function that appends these.
var levels = map[string]func([]dedup.Stretch, []schemas.Sentence) []dedup.Stretch{
	LevelSentence: dedup.AppendSentences, LevelParagraph: dedup.AppendParagraphs, LevelSpan: dedup.AppendSpans,
}

// Config is the configuration of the pipeline. The tags are read by the command
// line; the json names are in plan and manifest.
type Config struct {
	Documents string   `help:"Dataset of documents." placeholder:"DIR" takes:"document" group:"Input" xor:"input" required:"" json:"-"`
	Pairs     string   `help:"Dataset of pairs, instead of documents." placeholder:"DIR" takes:"pair" group:"Input" xor:"input" required:"" json:"-"`
	Against   []string `help:"Datasets of the same kind whose texts are dropped, too, in whatever language: held-out pages, benchmarks, pairs to train on. A pair goes if one of its texts is there." placeholder:"DIR,…" takes:"document,pair" subtracts:"" group:"Input" json:"-"`
	Extend    string   `help:"Documents that this verb kept of some of the same documents with the same settings, and perhaps of others: shards of which it has kept the same are copied from it. The rows are those that come out without it. For exact duplicates of whole documents." placeholder:"DIR" takes:"document" group:"Input" json:"-"`
	Level     string   `help:"Documents: what is compared (${enum}). A span is three sentences that follow each other, as C4 compares them; of an equal paragraph or span all sentences go." default:"document" enum:"document,sentence,paragraph,span" group:"Duplicates" json:"level"`
	Loose     bool     `help:"Ignore case, punctuation, compatibility forms and the values of numbers." group:"Duplicates" json:"loose,omitempty"`
	PerText   int      `name:"max-per-text" help:"Pairs: most pairs that one text is in, in each two languages: those with the best scores, of equal ones those with the smallest ids. 1 keeps the best translation of each text." placeholder:"N" group:"Duplicates" json:"max_per_text,omitempty"`
	Near      string   `help:"Documents: drop near duplicates as well as exact ones, by MinHash with the settings of a preset (datatrove: shingles of 5 words, 14 bands of 8 hashes; nemo: of 24 characters, 20 of 13). A kept document says in the score cluster_size how many it stands for." placeholder:"PRESET" enum:",datatrove,nemo" default:"" group:"Duplicates" json:"near,omitempty"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	errs := fault.List{units.OneOf("level", c.Level, LevelDocument, LevelSentence, LevelParagraph, LevelSpan)}
	errs.Check((c.Documents == "") != (c.Pairs == ""), "give either documents or pairs: the dataset to look for duplicates in")
	errs.Check(c.Pairs == "" || c.Level == LevelDocument, "level is for documents: pairs are compared whole")
	errs.Check(c.PerText >= 0, "max-per-text is %d, it must be at least 1, or 0 for any number", c.PerText)
	errs.Check(c.PerText == 0 || c.Pairs != "", "max-per-text is for pairs")
	if c.Near != "" {
		errs.Check(c.Pairs == "", "near is for documents: pairs are compared whole")
		errs.Check(c.Level == LevelDocument, "near compares whole documents: run dedup once more for level %s", c.Level)
		errs.Check(!c.Loose, "loose is for exact duplicates: the preset of near says which differences do not count")
		errs.Add(units.OneOf("near", c.Near, minhash.Names()...))
	}
	if c.Extend != "" {
		for _, other := range []struct {
			name  string
			given bool
		}{
			{"pairs", c.Pairs != ""}, {"against", len(c.Against) > 0}, {"near", c.Near != ""},
			{"level " + c.Level, c.Level != LevelDocument},
		} {
			errs.Check(!other.given, "extend is for exact duplicates of whole documents, not for %s: leave one of both out", other.name)
		}
	}
	return errs.Err()
}

func (c Config) keys() dedup.Config {
	if c.Loose {
		return dedup.LooseConfig()
	}
	return dedup.DefaultConfig()
}

// Plan lays out four ranges of units: those that copy, those that spill keys
// (of the documents or pairs, then of the datasets against which they are compared), and
// the buckets.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	if c.Pairs != "" {
		return plan[schemas.Pair](ctx, c, output, settings)
	}
	return plan[schemas.Document](ctx, c, output, settings)
}

// plan plans the job of a dataset of rows of type R.
func plan[R schemas.Row](ctx context.Context, c Config, output string, settings units.Settings) (*units.Job, error) {
	role, location := "documents", c.Documents
	if c.Pairs != "" {
		role, location = "pairs", c.Pairs
	}
	rows, err := units.OpenDataset[R](ctx, location)
	if err != nil {
		return nil, err
	}
	b := graph.New(settings)
	packed, files, err := b.PackPages(role, rows)
	if err != nil {
		return nil, err
	}
	var row R
	draft := dataset.Draft{Pipeline: pipeline, PipelineVersion: Version, Schema: row.Schema(), Config: c, Layout: files,
		Seed: settings.Seed}
	m := rows.Manifest()
	base, err := units.OpenExtended[schemas.Document](ctx, c.Extend, pipeline)
	if err != nil {
		return nil, err
	}
	var extended *units.Dataset
	var shrunk bool
	if base != nil {
		fresh, missing, err := base.Match(m, role, draft)
		if err != nil {
			return nil, err
		}
		if shrunk = len(missing) > 0; len(fresh.Shards) == len(m.Shards) && shrunk {
			return nil, base.Lacking(missing)
		}
		b.Input(base.Manifest().Input(units.RoleExtended))
		size := b.UnitBytes(m.Bytes, dataset.LeastOfRows)
		pieces := fresh.FinePieces(size)
		if files != "" {
			pieces = fresh.WholeShards()
		}
		extended, packed = base.Dataset, packOnto(base.Units, m, pieces, size)
	}
	m.Identify(packed)
	copies := b.Units(packed)
	primary := graph.Part[*units.Dataset]{Range: b.Units(packed), From: rows}
	spilling, lists := primary.Range, [][]dataset.Unit{packed}
	var against graph.Datasets
	for i, location := range c.Against {
		reference, err := units.OpenDataset[R](ctx, location)
		if err != nil {
			return nil, fmt.Errorf("against: %w", err)
		}
		b.Input(reference.Manifest().Input(fmt.Sprint("against ", i)))
		list := b.Pack(reference.Manifest())
		part := graph.Part[*units.Dataset]{Range: b.Units(list), From: reference}
		against, spilling, lists = append(against, part), spilling.To(part.Range), append(lists, list)
	}
	if c.Near != "" {
		if err := c.planNear(b, copies, append(graph.Datasets{primary}, against...), lists); err != nil {
			return nil, err
		}
	} else {
		buckets := b.Buckets(max(1, graph.Bucketing(copies.To(spilling).Count, 8)))
		keys, losers := exchange.ByHash("keys", buckets), exchange.ToUnits("losers", copies)
		if role == "pairs" {
			graph.Spill(b, "keys", spilling, &pairKeysTask{Config: c, Pairs: primary, Against: against}, keys)
		} else {
			graph.Spill(b, "keys", spilling, &keysTask{Config: c, Documents: primary, Against: against, Extended: extended}, keys)
			if c.Level == LevelDocument && len(c.Against) == 0 { // what can be extended
				draft.SpillsKept = (*dataset.UnitRange)(&primary.Range)
			}
		}
		graph.Spill(b, "losers", buckets, &losersTask{PerText: c.PerText, Named: shrunk}, losers)
	}
	if role == "pairs" {
		graph.Write(b, "copy", copies, &pairCopyTask{Config: c, Pairs: rows})
	} else {
		graph.Write(b, "copy", copies, &copyTask{Config: c, Documents: rows, Extended: extended, Named: shrunk})
	}
	job, err := b.Job(output, draft)
	if err != nil || base == nil {
		return job, err
	}
	shards, size := unread(m, packed)
	job.Content = map[string]int64{"": size, "adopted": m.Bytes - size}
	job.Notes = append(job.Notes, fmt.Sprintf("the duplicates of %d of %d shards are known from %s; the others have %s",
		len(m.Shards)-shards, len(m.Shards), base.Location, spelling.Number(size, "byte")))
	return job, base.CheckAdopted(ctx, packed)
}
