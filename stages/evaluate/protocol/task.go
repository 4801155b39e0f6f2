// Package protocol is what evaluation and its tasks share: a Task reads an Input and returns a Protocol, which measures
// encoders and gives each Part of the items to keep.
package protocol

import (
	"context"
	"iter"

	"sentweave/schemas"
	"sentweave/stages/encoder"
)

// Task is a measurement: what is read, and by which protocol an encoder is measured on it.
type Task struct {
	// Name is what a user calls it, and is in the results.
	Name string
	// Measures says for the help what is measured, on which texts.
	Measures string
	// From is where it reads: from the first of these that is given.
	From []Source
	// Group is that of the tasks which are chosen together by its name.
	Group string
	// Split and Languages say that a user may choose by the flags of these names.
	Split, Languages bool
	// Groups says that it gives means over groups of languages, by --groups.
	Groups bool
	// Trains says that it trains classifiers, by --probe and --seeds.
	Trains bool
	// Dense says that it takes vectors of a fixed size alone, as all that train do.
	Dense bool
	// Read reads the texts and what is known of them, and returns the protocol that
	// measures encoders on them. Files that are missing are an error afterwards, of all
	// at once; other faults end it.
	Read func(in *Input) (Protocol, error)
}

// Protocol measures an encoder on the texts that it holds.
type Protocol interface {
	// Texts yields what is encoded, a text that occurs there twice as often.
	Texts() iter.Seq[encoder.Text]
	// Measure returns the figures: base, which has the model, the task and the data's
	// hash, with the others filled in. It gives what the encoder made of the items to keep, for
	// figures that are means or correlations over them.
	Measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep Keeper) ([]schemas.Result, error)
}

// Source is the flag that says where a task reads.
type Source string

const (
	FromData       Source = "data"
	FromTexts      Source = "texts"
	FromBenchmarks Source = "benchmarks"
)

// GroupAll chooses every task for which a source is given, GroupSTS those of similarity
// in the folder of the test data (with datasets of benchmarks STS is a task itself), and
// GroupXEVAL those of SentEval in datasets of benchmarks. A group takes the tasks whose data
// are there.
const (
	GroupAll   = "all"
	GroupSTS   = "sts"
	GroupXEVAL = "xeval"
)

// Choice is a task that the user wants.
type Choice struct {
	Task
	// Optional tasks were chosen by a group: they are left out where their data are not there.
	Optional bool
}

// Loaded is a task whose data have been read, with their hash.
type Loaded struct {
	Choice
	Hash string
	Protocol
}

// Pairwise is a protocol that compares the texts of pairs alone, so that similarities other than the cosine of
// vectors can be measured by it.
type Pairwise interface{ PairsAlone() }
