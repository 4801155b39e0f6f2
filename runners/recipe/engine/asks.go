package engine

import (
	"context"

	"sentweave/pipelines/units"
	"sentweave/runners/command"
	"sentweave/runners/torchverbs/cost"
	"sentweave/schemas/dataset"
)

// What a recipe asks of the verb of a step, before it runs any. A verb answers by a method of its flags; one without
// the method has nothing to say.

// Stander is a verb that can say what it would do about what is in its folder: the verb itself
// decides so when it runs.
type Stander interface {
	// Standing returns what is in the folder of --out, or the error with which the verb would
	// refuse that without --overwrite. It changes nothing.
	Standing(ctx context.Context) (dataset.Fate, error)
}

// preparer is a verb that can say before any work that it cannot do it.
type preparer interface {
	Prepared(ctx context.Context, p *command.Program, estimate bool) error
}

// keeper is a verb that can say before any work that it would make the vocabulary that is in its folder again as it is,
// although it makes the folder anew.
type keeper interface {
	KeepsVocabulary(ctx context.Context) bool
}

// payer is a verb whose output may have been paid for, and which tells with --estimate what it would cost: that needs
// less than the verb itself.
type payer interface {
	// RefuseLoss returns an error if --overwrite is given and would delete what was paid for.
	RefuseLoss(ctx context.Context) error
}

// threaded is a verb whose output depends on the number of threads.
type threaded interface {
	// DefaultThreads sets the number, if no flag does, to that which libtorch takes by itself.
	DefaultThreads(count func() int)
}

// kindChecker is a verb that reads datasets which a file of its own may name.
type kindChecker interface {
	// CheckKinds returns an error if a dataset is to be of another kind than the verb takes. Describe tells who
	// makes a dataset, by its location, and the kinds of its rows; nil where these are not known.
	CheckKinds(describe func(location string) (maker string, kinds []string)) error
}

// translationReader is a verb that may need pages that are translations of each other.
type translationReader interface {
	// Translations returns the flag by which the verb reads them, the languages among which they are to be, nil
	// for all, and the one that each pair must have, "" for none; an empty flag if the verb needs none.
	Translations() (flag string, languages []string, pivot string)
}

// translationSource is a verb that finds such pages.
type translationSource interface {
	// LookTranslated returns an error if it would find none.
	LookTranslated(ctx context.Context, languages []string, pivot string) error
}

// Planner is a verb of a pipeline.
type Planner interface {
	// Look returns what would keep the pipeline from beginning, as far as that is known without
	// reading its inputs whole.
	Look(ctx context.Context) error
	// Planned returns the job that the pipeline would run.
	Planned(ctx context.Context) (*units.Job, error)
}

// taker is a verb of which some flags have an effect on some tasks or objectives alone.
type taker interface {
	// OfSome says whether a flag is one of these, Takes whether it has an effect on those that are chosen.
	OfSome(flag string) bool
	Takes(flag string) bool
}

// vocabularyMaker is a verb that learns a vocabulary.
type vocabularyMaker interface {
	// Pieces is how many the vocabulary is to have.
	Pieces() int64
}

// encoderMaker is a verb that makes an encoder.
type encoderMaker interface {
	// Shape returns that of the encoder, given what is known of the steps before it; false where the encoder
	// that it begins with is not known.
	Shape(known cost.Upstream) (cost.Shape, bool)
	// Room returns the bytes that the verb writes at most at a time.
	Room(known cost.Upstream) int64
}

// layerTaker is a verb that takes the output of one layer of encoders.
type layerTaker interface {
	// CheckLayer returns an error if an encoder has no such layer, given what is known of the steps before.
	CheckLayer(upstream cost.Upstream) error
}

// batcher is a verb that takes batches of examples.
type batcher interface {
	// CheckBatches returns an error if there are fewer examples in a dataset than a batch takes. Stands says of a
	// location whether the dataset there is as it will be when the verb runs.
	CheckBatches(ctx context.Context, stands func(location string) bool) error
}

// trainer is a verb that makes an encoder in periods.
type trainer interface {
	// Periods returns what each takes of an encoder of this shape.
	Periods(s cost.Shape) []cost.Period
}

// computer is a verb whose time is that of an encoder.
type computer interface {
	// Operations are those of floating point that the verb takes, where it reads so many bytes; false where
	// its encoder is not known.
	Operations(known cost.Upstream, bytes int64) (float64, bool)
}
