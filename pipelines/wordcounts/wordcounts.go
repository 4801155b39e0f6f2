// Package wordcounts is the pipeline from documents or pairs to word counts: how often
// each word of the basic tokenizer, or between spaces, occurs in each language. A text that is in several
// pairs counts in each of them. The vocab stage learns a vocabulary from the counts.
package wordcounts

import (
	"context"
	"errors"

	"sentweave/pipelines/exchange"
	"sentweave/pipelines/graph"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
)

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

// Plan cuts the documents or pairs into units that count; a quarter as many units sum.
func (c Config) Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error) {
	if err := errors.Join(c.Validate(), settings.Validate()); err != nil {
		return nil, err
	}
	input, role, err := units.OpenDocumentsOrPairs(ctx, c.Documents, c.Pairs)
	if err != nil {
		return nil, err
	}
	b := graph.New(settings)
	b.Input(input.Manifest().Input(role))
	counting := b.Pack(input.Manifest())
	sum := b.Buckets(graph.Bucketing(len(counting), 4))
	words := exchange.ByHash("words", sum)
	if role == units.RolePairs {
		graph.Spill(b, "count", b.Units(counting), &countPairsTask{Counting{Config: c, Input: input}}, words)
	} else {
		graph.Spill(b, "count", b.Units(counting), &countTask{Counting{Config: c, Input: input}}, words)
	}
	graph.Write(b, "sum", sum, &sumTask{})
	return b.Job(output, dataset.Draft{Pipeline: "wordcounts", PipelineVersion: Version, Schema: schemas.WordCount{}.Schema(), Config: c})
}
