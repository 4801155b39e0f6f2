// Package erase is the pipeline that takes the rows out of documents or pairs that come from listed addresses. Shards
// without such rows are copied byte for byte; the others are written anew without them. Nothing of an erased row is kept:
// there is no sample of rejects, and those of the dataset that is read are not taken over.
//
// Each shard is a unit. Where no row of it is found, only the columns are decoded that tell languages and origins.
package erase

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
	"sentweave/transforms/filters/blocklist"
	"sentweave/transforms/filters/erasure"
)

// Version of the pipeline: raised when the same input gives another output.
const Version = 1

func init() {
	graph.RegisterWriter[schemas.Document, *task[schemas.Document]]()
	graph.RegisterWriter[schemas.Pair, *task[schemas.Pair]]()
}

const (
	pipeline  = "erase"
	stepErase = "erase"
	// ReasonListed: the row comes from an address of the list.
	ReasonListed = "listed"
	roleList     = "list"
)

// Config is the configuration of the pipeline. The tags are read by the command
// line; the json names are in plan and manifest.
type Config struct {
	Documents string `help:"Dataset of documents. With --pairs, those that the pairs were made of: they tell the addresses." placeholder:"DIR" takes:"document" group:"Input" required:"" json:"-"`
	Pairs     string `help:"Dataset of pairs to erase from, instead of the documents." placeholder:"DIR" takes:"pair" group:"Input" json:"-"`
	// Through are datasets between the documents and the pairs.
	Through []string `help:"Where --pairs were chosen from other pairs, as by dedup or pairfilter: these, and those that they were chosen from in their turn, down to the pairs that were made of the documents. Of them the manifests are read, not the rows." placeholder:"DIR,…" takes:"pair" group:"Input" json:"-"`
	List
}

// List is what to erase.
type List struct {
	URLs    string `name:"urls" help:"List of addresses of pages, one a line, also compressed. An address stands for this page alone; scheme, port, fragment and a slash at the end do not count." placeholder:"FILE" group:"Erasure" xor:"list" once:"" required:"" json:"-"`
	Domains string `help:"List of domains, which stand for all domains below them too, and of addresses, which stand for all below them: as of corpus --block." placeholder:"FILE" group:"Erasure" xor:"list" once:"" required:"" json:"-"`
}

// Validate returns an error unless one list is given.
func (l List) Validate() error {
	if (l.URLs == "") == (l.Domains == "") {
		return errors.New("give either urls or domains: the list of what to erase")
	}
	return nil
}

// Location is that of the list. Kind is "urls" or "domains".
func (l List) Location() (location, kind string) {
	if l.URLs != "" {
		return l.URLs, "urls"
	}
	return l.Domains, "domains"
}

// Load reads the list. A list without entries is an error.
func (l List) Load(ctx context.Context) (*blocklist.List, error) {
	location, kind := l.Location()
	read := blocklist.Read
	if l.URLs != "" {
		read = blocklist.ReadPages
	}
	list, err := blocklist.Load(ctx, location, read)
	if err == nil && list.Len() == 0 {
		err = fmt.Errorf("%s has no entry: nothing would be erased", location)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return list, nil
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	errs := fault.List{c.List.Validate()}
	errs.Check(c.Documents != "", "give documents: the dataset to erase from, or that the pairs were made of")
	errs.Check(len(c.Through) == 0 || c.Pairs != "", "through is for pairs, which were chosen from other pairs")
	return errs.Err()
}

// Plan makes a unit of each shard.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	list, err := c.Load(ctx)
	if err != nil {
		return nil, err
	}
	documents, err := units.OpenDataset[schemas.Document](ctx, c.Documents)
	if err != nil {
		return nil, err
	}
	if c.Pairs == "" {
		job, err := plan[schemas.Document](ctx, c, output, settings, Source{Rows: documents, Entries: inputOf(list)})
		if err != nil {
			return nil, err
		}
		note(job, documents.Manifest())
		return job, nil
	}
	pairs, err := units.OpenDataset[schemas.Pair](ctx, c.Pairs)
	if err != nil {
		return nil, err
	}
	chosen, err := c.follow(ctx, documents.Manifest(), pairs.Manifest())
	if err != nil {
		return nil, err
	}
	job, err := plan[schemas.Pair](ctx, c, output, settings, Source{Rows: pairs, Documents: documents, Entries: inputOf(list)})
	if err != nil {
		return nil, err
	}
	note(job, chosen...)
	return job, nil
}

// inputOf is a list as an input: the hashes of its entries, so that order and comments do not count.
func inputOf(l *blocklist.List) dataset.Input {
	return dataset.Input{Role: roleList, Files: 1, Bytes: 8 * int64(l.Len()), XXH3: dataset.HashString(l.XXH3())}
}

// plan plans the job of a dataset of rows of type R.
func plan[R schemas.Row](ctx context.Context, c Config, output string, settings units.Settings, from Source) (*units.Job, error) {
	location, kind := c.Location()
	var err error
	if from.Location, err = storage.Absolute(location); err != nil {
		return nil, err
	}
	from.Kind = kind
	m := from.Rows.Manifest()
	b := graph.New(settings)
	b.Input(m.Input(m.Plan.Schema + "s"))
	if from.Documents != nil {
		b.Input(from.Documents.Manifest().Input(units.RoleDocuments))
	}
	b.Input(from.Entries)
	graph.Write(b, "erase", b.Units(b.EachShard(m)), &task[R]{Source: from})
	var row R
	return b.Job(output, dataset.Draft{Pipeline: pipeline, PipelineVersion: Version, Schema: row.Schema(),
		Config: map[string]string{"list": from.Kind}, Layout: m.Plan.Layout})
}

// Source is what the units read.
type Source struct {
	Rows *units.Dataset
	// Documents are those that pairs were made of, nil for documents.
	Documents      *units.Dataset
	Location, Kind string
	// Entries are those of the list with which the job was planned.
	Entries dataset.Input
}

// task writes the shard of a unit without the rows that are found.
type task[R schemas.Row] struct {
	Source
	selection *erasure.Selection
}

// Setup implements graph.Task.
func (t *task[R]) Setup(ctx context.Context) error {
	list := List{Domains: t.Location}
	if t.Kind == "urls" {
		list = List{URLs: t.Location}
	}
	entries, err := list.Load(ctx)
	if err != nil {
		return err
	}
	if inputOf(entries) != t.Entries {
		return fmt.Errorf("%s has changed since this job was planned; run the same command again, with --overwrite", t.Location)
	}
	t.selection = erasure.New(entries)
	if err := units.Reopen[R](ctx, t.Rows); err != nil || t.Documents == nil {
		return err
	}
	if err := units.Reopen[schemas.Document](ctx, t.Documents); err != nil {
		return err
	}
	folder, err := storage.Locate(t.Documents.Location)
	if err != nil {
		return err
	}
	_, err = t.selection.Learn(ctx, folder, t.Documents.Manifest())
	return err
}

// Chains implements graph.Task.
func (t *task[R]) Chains() []dataset.Chain {
	var row R
	return []dataset.Chain{dataset.NewChain(row.Schema().Name+"s", stepErase)}
}

// Write implements graph.Writer.
func (t *task[R]) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[R]) error {
	folder, err := storage.Locate(t.Rows.Location)
	if err != nil {
		return err
	}
	m, chain, span := t.Rows.Manifest(), t.Chains()[0].Items, unit.Spans[0]
	i := slices.IndexFunc(m.Shards, func(s dataset.Shard) bool { return s.Name == span.Name })
	if i < 0 {
		return fmt.Errorf("the manifest of %s does not list %s", folder, span.Name)
	}
	gauge := units.GaugeOf(ctx)
	if gauge != nil {
		gauge.Expect(m.Shards[i].Rows)
	}
	var found []int64
	number := int64(0)
	for row, err := range t.selection.Rows(ctx, folder, m, m.Shards[i]) {
		if err == nil && row.Found {
			found = append(found, number)
			err = attempt.Funnel().Drop(chain, row.Language, stepErase, ReasonListed, 1)
		} else if err == nil {
			err = attempt.Funnel().Keep(chain, row.Language, 1)
		}
		if err != nil {
			return err
		}
		number++
		gauge.Add(1)
	}
	if len(found) == 0 && m.Plan.SchemaVersion == unit.Plan.SchemaVersion {
		return attempt.Copy(ctx, folder, m, m.Shards[i])
	}
	number = 0
	for row, err := range dataset.SpanRows[R](ctx, folder, m, span) {
		if err == nil && (len(found) == 0 || found[0] != number) {
			err = attempt.Write(ctx, row)
		} else if err == nil {
			found = found[1:]
		}
		if err != nil {
			return err
		}
		number++
	}
	return nil
}
