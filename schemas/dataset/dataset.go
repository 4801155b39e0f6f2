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
//	_run/plan.json             the plan, written before any work
//	_run/plan/HASH/00000.json  the plan's units, up to a thousand a file
//	_run/units/00007.json      the receipt of unit 7: its commit
//	_run/counts/HASH-00007.parquet   its counts by language
//	_run/samples/HASH-00007.parquet  its samples of what steps dropped
//	_run/exchange/00007.spill  records that unit 7 hands to later units of an exchange
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
// anywhere: they give the same bytes, and one of them is kept (see exclusive.go).
// Finalize reads receipts, and the files of counts and samples that they name, and writes
// the manifest. The same plan gives the same bytes. Other shard sizes give the same rows in
// the same order and the same content hash.
//
// A receipt holds what is bounded by the configuration alone, and a manifest besides what
// its units take: counts by language stand in files, since data may invent any number of
// languages, and of pairs of them. Nothing is published that is larger than what is read.
package dataset

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
)

// Names in a dataset folder.
const (
	ManifestName  = "manifest.json"
	planName      = "_run/plan.json"
	planFolder    = "_run/plan/"
	receiptFolder = "_run/units/"
	spillFolder   = "_run/exchange/"
	dataFolder    = "data/"
	rejectsFolder = "rejects/"
	rejectsName   = "rejects/part-00000.parquet"
	funnelFolder  = "funnel/"
	funnelName    = "funnel/part-00000.parquet"
	countsFolder  = "_run/counts/"
	samplesFolder = "_run/samples/"
	runName       = "_run/run.json"
)

// Errors that callers tell apart.
var (
	// ErrNoDataset: the folder holds neither a manifest nor a plan.
	ErrNoDataset = errors.New("no dataset")
	// ErrIncomplete: there is a plan but no manifest yet.
	ErrIncomplete = errors.New("dataset is not complete")
	// ErrOtherPlan: the folder holds the plan or the dataset of another run, or one
	// that is too damaged to continue. Overwrite deletes it.
	ErrOtherPlan = errors.New("another plan")
	// ErrCorrupt: a file differs from what plan, receipt or manifest say.
	ErrCorrupt = errors.New("corrupt")
	// ErrUnequal: attempts of one unit, or finalizers of one plan, gave different bytes.
	ErrUnequal = errors.New("it was written differently")
	// ErrOvertaken: files of another attempt got in the way of this one, which may be
	// repeated.
	ErrOvertaken = errors.New("overtaken")
	// ErrLeftover: a file does not belong to the dataset, but was made by a run that
	// was overwritten or killed. FinalizeChecked removes it if the folder has its
	// plan.
	ErrLeftover = errors.New("left over")
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

// ShardName returns the name of the shard of a unit.
func ShardName(unit int) string { return fmt.Sprintf("%spart-%05d.parquet", dataFolder, unit) }

// SpillName returns the name of the spill file of a unit.
func SpillName(unit int) string { return fmt.Sprintf("%s%05d.spill", spillFolder, unit) }

func receiptName(unit int) string { return fmt.Sprintf("%s%05d.json", receiptFolder, unit) }

// HashString is the printed form of a 64-bit hash.
func HashString(h uint64) string { return fmt.Sprintf("%016x", h) }

// sealEnd is how the JSON of a record ends whose last field is its check.
const sealEnd = "\"\n}\n"

// seal encodes a record as indented JSON with its own hash in the field that
// check points to, the last one. Maps are sorted by encoding/json, so equal records give
// equal bytes.
func seal(record any, check *string) ([]byte, error) {
	*check = ""
	body, err := encode(record)
	if err != nil {
		return nil, err
	}
	if err := jsonfile.Check(body, jsonfile.MaxValues); err != nil { // nobody could read it
		return nil, err
	}
	before, ok := bytes.CutSuffix(body, []byte(sealEnd))
	if !ok {
		return nil, fmt.Errorf("the check of a %T is not its last field", record)
	}
	*check = HashString(xxh3.Hash(body))
	return append(append(before, *check...), sealEnd...), nil // without encoding all once more
}

// openedObjects counts the objects of JSON: the opening braces outside its strings, which may have
// many.
func openedObjects(data []byte) (n int) {
	inside := false
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			inside = !inside
		case '\\':
			i++ // what follows is no end of a string
		case '{':
			if !inside {
				n++
			}
		}
	}
	return n
}

// unseal decodes what seal made and returns ErrCorrupt if it was changed or cut.
// The record must be empty: what is not in the data keeps its value.
func unseal(data []byte, record any, check *string) error {
	// As seal writes them, an object takes a line or two: a list of empty ones is none of
	// its work, and takes many times its bytes in memory.
	if limit := (len(data) + 256) / 16; bytes.Count(data, []byte("{")) > limit && openedObjects(data) > limit {
		return fmt.Errorf("%w: its objects are empty", ErrCorrupt)
	}
	if err := jsonfile.UnmarshalStrict(data, record); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	// The check is that of these very bytes, so that they are not encoded once more.
	got, content := *check, xxh3.New()
	if before, ok := bytes.CutSuffix(data, []byte(got+sealEnd)); ok {
		content.Write(before)
		content.WriteString(sealEnd)
		if *check = HashString(content.Sum64()); *check == got {
			return nil
		}
	}
	return fmt.Errorf("%w: its check is %.200q, its content gives another", ErrCorrupt, got)
}

func encode(record any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(record); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// readSealed reads and unseals a small file; a corrupt one is named in the error.
func readSealed(ctx context.Context, folder storage.Folder, name string, limit int64, record any, check *string) error {
	data, err := storage.ReadFile(ctx, folder, name, limit)
	if errors.Is(err, storage.ErrTooLarge) {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if err != nil {
		return err
	}
	if err := unseal(data, record, check); err != nil {
		return fmt.Errorf("%s in %s: %w", name, folder, err)
	}
	return nil
}

// wayOut adds to an error of the disk what its user can do about it.
func wayOut(err error) error {
	return storage.WayOut(err, " and run the same command again, units that are done are kept")
}

func isAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
