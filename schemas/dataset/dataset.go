// Package dataset is the contract between pipelines and stages: a folder of Parquet
// shards with a manifest. It is made unit by unit and can be resumed after any kill.
//
// # Layout
//
//	data/part-00007.parquet    rows of unit 7; an empty unit has no file
//	rejects/part-00000.parquet a sample of the records that steps dropped
//	funnel/part-00000.parquet  the counts by language, if they are too many for the manifest
//	.huggingface.yaml          tells load_dataset of Hugging Face where the rows are
//	manifest.json              written last: its presence means complete
//	erasure.json               what erase took out of another dataset, and what else has it
//	_run/plan.json             the plan, written before any work
//	_run/plan/HASH/00000.json  the plan's units, up to a thousand a file
//	_run/units/00007.json      the receipt of unit 7: its commit
//	_run/counts/HASH-00007.parquet   its counts by language
//	_run/samples/HASH-00007.parquet  its samples of what steps dropped
//	_run/exchange/00007.spill  records that unit 7 hands to later units of an exchange; removed
//	                           in the end, unless the plan keeps them for those that extend the dataset
//	_run/journal/00007/        answers that unit 7 must not fetch again, until its commit
//	_run/spent/                what each run has sent to engines that cost money
//	_run/tmp/                  unpublished files, garbage after a kill
//	items/, texts/             beside results: datasets of their items, laid out as this one
//	_run/run.json              clock, host, runner: facts that do not belong in the data
//
// So pyarrow.dataset(D/data), DuckDB's read_parquet('D/data/*.parquet') and
// load_dataset(D) of Hugging Face datasets (2.17 or newer) read a dataset as it is. A
// dataset without any row has no data folder, and all three report that its files are
// not found. Look at rows in the manifest first.
//
// # Rules
//
// A plan names everything that decides the bytes of the output. Its hash ties receipts
// and manifest to it, and another plan in the same folder is refused. A unit is
// committed by its receipt, which is written last. Without a valid receipt the files
// of a unit count as absent. Any number of attempts of a unit may run at once,
// anywhere: they give the same bytes, and one of them is kept (see settle.go).
// Finalize reads receipts, and the files of counts and samples that they name, and writes
// the manifest. The same plan gives the same bytes. Other shard sizes give the same rows in
// the same order and the same content hash.
//
// A receipt holds what is bounded by the configuration alone, and a manifest besides what
// its units take: counts by language are in files, since data may invent any number of
// languages, and of pairs of them. Nothing is published that is larger than what is read.
package dataset

import (
	"context"
	"errors"
	"io/fs"

	"sentweave/schemas/dataset/funnel"
	"sentweave/schemas/dataset/inputs"
	"sentweave/schemas/dataset/journal"
	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/dataset/sealed"
	"sentweave/schemas/storage"
)

// What rooms below know, under the names by which a dataset's users have them.
type (
	// Shard describes one file of a dataset.
	Shard = rowfile.File
	// Journal keeps results that an attempt of a unit must not fetch again.
	Journal = journal.Journal
	// Input is one input of a plan as the manifest describes it.
	Input = inputs.Input
	// File is an input file as the plan identifies it.
	File = inputs.File
	// Unit is an ordered list of spans that makes one shard, and Span a part of one input file.
	Unit = inputs.Unit
	Span = inputs.Span
	// Piece is a span with its weight, before it is packed into units.
	Piece = inputs.Piece
	// Bytes is a number of bytes that reads and prints with a unit.
	Bytes = inputs.Bytes
	// Funnel counts what came into each step of a unit or a dataset, and what was dropped there.
	Funnel = funnel.Funnel
	Chain  = funnel.Chain
	Step   = funnel.Step
	Count  = funnel.Count
	Loss   = funnel.Loss
	// Rejects keeps samples of what steps dropped.
	Rejects = funnel.Rejects
)

// Names in a dataset's folder, and of what is in plans.
const (
	ManifestName = layout.ManifestName
	PlanName     = layout.PlanName
	SpentFolder  = layout.SpentFolder
	ItemsFolder  = layout.ItemsFolder
	TextsFolder  = layout.TextsFolder
	// CertificateName is what erase writes beside the manifest.
	CertificateName = layout.CertificateName
	VocabularyRole  = inputs.VocabularyRole
	OthersKey       = funnel.OthersKey
)

// Bounds of units, and of samples.
const (
	LeastOfFiles   = inputs.LeastOfFiles
	LeastOfRows    = inputs.LeastOfRows
	MostOfUnit     = inputs.MostOfUnit
	SamplesKept    = funnel.SamplesKept
	FloorLanguages = funnel.FloorLanguages
)

// ShardName returns the name of the shard of a unit.
func ShardName(unit int) string { return layout.ShardName(unit) }

// Seal encodes a record as JSON with its own hash in its last field, which is its check.
func Seal(record sealed.Record) ([]byte, error) { return sealed.Seal(record) }

// ReadSealed reads a record that Seal made, of at most so many bytes. Errors match fs.ErrNotExist or ErrCorrupt.
func ReadSealed(ctx context.Context, folder storage.Folder, name string, limit int64, record sealed.Record) error {
	return sealed.Read(ctx, folder, name, limit, record)
}

// SpillName returns the name of the spill file of a unit.
func SpillName(unit int) string { return layout.SpillName(unit) }

// IsShard says whether a file of a dataset's folder holds rows.
func IsShard(name string) bool { return layout.IsShard(name) }

// IsJournalEntry says whether a file of a dataset's folder is an entry of the journal of
// a unit that is not committed.
func IsJournalEntry(name string) bool { return layout.IsJournalEntry(name) }

// HashString is the printed form of a 64-bit hash.
func HashString(h uint64) string { return rowfile.HashString(h) }

// NewFunnel returns a funnel of chains, which are copied.
func NewFunnel(chains ...Chain) *Funnel { return funnel.New(chains...) }

// NewChain returns an empty chain of the items that run through steps.
func NewChain(items string, steps ...string) Chain { return funnel.NewChain(items, steps...) }

// Sample cuts a text to what a reject keeps.
func Sample(text string) string { return funnel.Sample(text) }

// Pack cuts pieces into units of about shardBytes each, in order.
func Pack(pieces []Piece, shardBytes int64) []Unit { return inputs.Pack(pieces, shardBytes) }

// PackOnto packs pieces and keeps the units of an earlier plan that are unchanged, see inputs.PackOnto.
func PackOnto(earlier []Unit, pieces []Piece, shardBytes int64, digest func([]Span) string) []Unit {
	return inputs.PackOnto(earlier, pieces, shardBytes, digest)
}

// SplitBytes cuts a file of a size into ranges of at most shardBytes.
func SplitBytes(name string, size, shardBytes int64) []Piece {
	return inputs.SplitBytes(name, size, shardBytes)
}

// UnitBytes returns the size of a unit where nobody chose one.
func UnitBytes(total, minimum int64) int64 { return inputs.UnitBytes(total, minimum) }

// List returns the files of an input folder for which want is true, with the hash of their content.
func List(ctx context.Context, folder storage.Folder, want func(name string) bool) ([]File, error) {
	return inputs.List(ctx, folder, want)
}

// FileInput returns the file at a location as an input of a plan.
func FileInput(ctx context.Context, role, location string) (Input, error) {
	return inputs.FileInput(ctx, role, location)
}

// ListingInput returns a listing as an input of a plan.
func ListingInput(role string, files []File) Input { return inputs.ListingInput(role, files) }

// VocabularyInput returns a vocabulary as an input of a plan.
func VocabularyInput(pieces string) Input { return inputs.VocabularyInput(pieces) }

// Errors that callers tell apart.
var (
	// ErrCorrupt: a file differs from what plan, receipt or manifest say.
	ErrCorrupt = rowfile.ErrCorrupt
	// ErrUnequal: attempts of one unit, or finalizers of one plan, gave different bytes.
	ErrUnequal = rowfile.ErrUnequal
	// ErrNoDataset: the folder holds neither a manifest nor a plan.
	ErrNoDataset = errors.New("no dataset")
	// ErrIncomplete: there is a plan but no manifest yet.
	ErrIncomplete = errors.New("dataset is not complete")
	// ErrOtherPlan: the folder holds the plan or the dataset of another run, or one
	// that is too damaged to continue. Overwrite deletes it.
	ErrOtherPlan = errors.New("another plan")
	// ErrOvertaken: files of another attempt got in the way of this one, which may be
	// repeated.
	ErrOvertaken = errors.New("overtaken")
	// ErrLeftover: a file does not belong to the dataset, but was made by a run that
	// was overwritten or killed. FinalizeChecked removes it if the folder has its
	// plan.
	ErrLeftover = errors.New("left over")
	// ErrKept: a spill file differs from its receipt that only what extends the dataset reads: its rows may be whole.
	ErrKept = errors.New("kept spill file")
	// ErrRun: a file in _run is damaged or missing that only what extends or repairs the dataset reads: its rows may be whole.
	ErrRun = errors.New("file of the run")
	// ErrFormat: this program does not know the layout of the folder.
	ErrFormat = errors.New("layout format")
)

// Limits on the small files that are read whole, and of which nothing larger is published.
const (
	maxPlan = 64 << 20
	// maxReceipt is far more than any configuration takes: a receipt has some 3 kB.
	maxReceipt  = 1 << 20
	maxManifest = 256 << 20
	// What a plan and a manifest may claim: they decide how much is made in memory. The
	// shards of so many units take two thirds of the values that a manifest may have.
	maxUnits      = 1 << 18
	maxShardRows  = 1 << 34
	maxShardBytes = 1 << 42
)

func isAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
