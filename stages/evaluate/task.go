package evaluate

import (
	"context"
	"iter"

	"sentweave/schemas"
	"sentweave/stages/encoder"
)

// task is a measurement: what is read, and by which protocol an encoder is measured on it.
type task struct {
	// name is what a user calls it, and stands in the results.
	name string
	// measures says for the help what is measured, on which texts.
	measures string
	// from is where it reads: from the first of these that is given.
	from []source
	// group is that of the tasks which are chosen together by its name.
	group string
	// split and languages say that a user may choose by the flags of these names.
	split, languages bool
	// groups says that it gives means over groups of languages, by --groups.
	groups bool
	// trains says that it trains classifiers, by --probe and --seeds.
	trains bool
	// dense says that it takes vectors of a fixed size alone, as all that train do.
	dense bool
	// read reads the texts and what is known of them, and returns the protocol that
	// measures encoders on them. Files that are missing are an error afterwards, of all
	// at once; other faults end it.
	read func(in *input) (protocol, error)
}

// protocol measures an encoder on the texts that it holds.
type protocol interface {
	// texts yields what is encoded, a text that stands there twice twice.
	texts() iter.Seq[encoder.Text]
	// measure returns the figures: base, which has the model, the task and the data's
	// hash, with the others filled in. It gives what the encoder made of the items to keep, for
	// figures that are means or correlations over them.
	measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep keeper) ([]schemas.Result, error)
}

// source is the flag that says where a task reads.
type source string

const (
	fromData       source = "data"
	fromTexts      source = "texts"
	fromBenchmarks source = "benchmarks"
)

// groupAll chooses every task for which a source is given, groupSTS those of similarity
// in the folder of the test data: with datasets of benchmarks that is a task itself, and
// groupXEVAL those of SentEval in datasets of benchmarks. A group takes the tasks whose data
// are there.
const (
	groupAll   = "all"
	groupSTS   = "sts"
	groupXEVAL = "xeval"
)

// choice is a task that the user wants.
type choice struct {
	task
	// optional tasks were chosen by a group: they are left out where their data are not there.
	optional bool
}

// loaded is a task whose data have been read, with their hash.
type loaded struct {
	choice
	hash string
	protocol
}

// pairwise is a protocol that compares the texts of pairs alone, so that similarities other than the cosine of
// vectors can be measured by it.
type pairwise interface{ pairsAlone() }
