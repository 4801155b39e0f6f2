// Package wordcounts is the pipeline from documents or pairs to word counts: how often
// each word of the basic tokenizer, or between spaces, occurs in each language. A text that is in several
// pairs counts in each of them. The vocab stage learns a vocabulary from the counts.
package wordcounts

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
)

const pipeline = "wordcounts"

// Version of the pipeline: raised when the same input gives another output.
const Version = 1

func init() {
	graph.RegisterSpiller[*countTask]()
	graph.RegisterSpiller[*countPairsTask]()
	graph.RegisterWriter[schemas.WordCount, *sumTask]()
}

// Config is the configuration of the pipeline. The tags are read by the command
// line; the json names are in plan and manifest.
type Config struct {
	Documents string `help:"Dataset of documents." placeholder:"DIR" takes:"document" group:"Input" xor:"input" required:"" json:"-"`
	Pairs     string `help:"Dataset of pairs, instead of documents." placeholder:"DIR" takes:"pair" group:"Input" xor:"input" required:"" json:"-"`
	Extend    string `help:"Word counts that this verb made of some of the same rows with the same settings: only shards of documents or pairs that are not among these are read. The rows are those that come out without it." placeholder:"DIR" takes:"wordcount" group:"Input" json:"-"`
	Cased     bool   `help:"Keep case and accents, for a cased vocabulary." group:"Words" json:"cased,omitempty"`
	Spaces    bool   `help:"Count the words between spaces, in NFKC and with their punctuation, for vocab --model unigram." group:"Words" json:"spaces,omitempty"`
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check((c.Documents == "") != (c.Pairs == ""), "give either documents or pairs: the dataset whose words are counted")
	errs.Check(!c.Cased || !c.Spaces, "words between spaces keep case: give either cased or spaces")
	return errs.Err()
}

// Plan cuts the documents or pairs into units that count; a quarter as many units sum. Of word counts that are extended, units
// hand on the rows in the place of units that count what these are of.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	input, role, err := units.OpenDocumentsOrPairs(ctx, c.Documents, c.Pairs)
	if err != nil {
		return nil, err
	}
	m := input.Manifest()
	b := graph.New(settings)
	b.Input(m.Input(role))
	draft := dataset.Draft{Pipeline: pipeline, PipelineVersion: Version, Schema: schemas.WordCount{}.Schema(), Config: c,
		Seed: settings.Seed}
	extended, err := units.OpenExtended[schemas.WordCount](ctx, c.Extend, pipeline)
	if err != nil {
		return nil, err
	}
	counting, counted := b.Pack(m), Counting{Config: c, Input: input}
	sum, fresh := b.Buckets(graph.Bucketing(len(counting), 4)), m
	if extended != nil {
		var missing []string
		if fresh, missing, err = extended.Match(m, role, draft); err != nil {
			return nil, err
		}
		if len(missing) > 0 { // whose words are in the sums
			return nil, extended.Lacking(missing)
		}
		b.Input(extended.Manifest().Input(units.RoleExtended))
		counted.Extended, counting = extended.Dataset, append(adopting(extended.Units), b.Pack(fresh)...)
	}
	m.Identify(counting)
	words := exchange.ByHash("words", sum)
	if role == units.RolePairs {
		graph.Spill(b, "count", b.Units(counting), &countPairsTask{counted}, words)
	} else {
		graph.Spill(b, "count", b.Units(counting), &countTask{counted}, words)
	}
	graph.Write(b, "sum", sum, &sumTask{})
	job, err := b.Job(output, draft)
	if err != nil || extended == nil {
		return job, err
	}
	job.Rows, job.Content = fresh.Rows, map[string]int64{"": fresh.Bytes}
	job.Notes = append(job.Notes, fmt.Sprintf("%d of %d shards are counted in %s; the others have %s", len(m.Shards)-len(fresh.Shards),
		len(m.Shards), extended.Location, spelling.Number(fresh.Bytes, "byte")))
	return job, extended.CheckAdopted(ctx, counting)
}
