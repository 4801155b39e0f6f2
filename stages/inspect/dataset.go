// Package inspect reads the rows of any dataset by the columns in its files, without a
// Go type for them. It shows, filters, samples and exports rows. Only the requested
// columns are decoded.
//
// # Values
//
// Rows are printed as JSON: groups are objects, lists are arrays, integers are exact,
// binary is base64, times are RFC 3339 in UTC. An optional column that is absent is
// left out. Bytes that are not UTF-8 become replacement characters.
package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"

	"github.com/parquet-go/parquet-go"
	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/parquetfile"
	"sentweave/schemas/storage"
)

// Dataset is an open dataset, complete or not.
type Dataset struct {
	Folder storage.Folder
	Plan   *dataset.Plan
	// Manifest is nil while the dataset is not complete.
	Manifest *dataset.Manifest
	// Done counts the units that are committed.
	Done int
}

// Open reads the manifest of a folder or, while there is none, its plan. Errors
// match dataset.ErrNoDataset and dataset.ErrCorrupt.
func Open(ctx context.Context, folder storage.Folder) (*Dataset, error) {
	m, err := dataset.Load(ctx, folder)
	if err == nil {
		return &Dataset{Folder: folder, Plan: &m.Plan, Manifest: m, Done: m.Plan.Units}, nil
	}
	if !errors.Is(err, dataset.ErrIncomplete) {
		return nil, err
	}
	plan, err := dataset.LoadPlan(ctx, folder)
	if err != nil {
		return nil, err
	}
	finished, err := plan.CountReceipts(ctx, folder)
	return &Dataset{Folder: folder, Plan: plan, Done: finished}, err
}

// shards lists the files of rows, in order. Of a dataset that is not complete it
// lists those of the committed units, by reading their receipts.
func (d *Dataset) shards(ctx context.Context) ([]dataset.Shard, error) {
	if d.Manifest != nil {
		return d.Manifest.Shards, nil
	}
	var shards []dataset.Shard
	for unit := range d.Plan.Units {
		r, err := d.Plan.LoadReceipt(ctx, d.Folder, unit)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, dataset.ErrCorrupt) {
			continue // not committed: it will be done again
		}
		if err != nil {
			return nil, err
		}
		if r.Shard != nil {
			shards = append(shards, *r.Shard)
		}
	}
	return shards, nil
}

// rejectShards lists the file of sampled rejects of a complete dataset.
func (d *Dataset) rejectShards() []dataset.Shard {
	if d.Manifest == nil || d.Manifest.Rejects == nil {
		return nil
	}
	return []dataset.Shard{*d.Manifest.Rejects}
}

// Table is the files of a dataset that have rows of one schema.
type Table struct {
	*Schema
	dataset *Dataset
	shards  []dataset.Shard
}

// Table returns the rows. Of a dataset that is not complete they are those of the
// committed units.
func (d *Dataset) Table(ctx context.Context) (Table, error) {
	shards, err := d.shards(ctx)
	if err != nil {
		return Table{}, err
	}
	return d.table(ctx, shards, d.Plan.Schema)
}

// Rejects returns the sampled rejects of a complete dataset.
func (d *Dataset) Rejects(ctx context.Context) (Table, error) {
	return d.table(ctx, d.rejectShards(), schemas.Reject{}.Schema().Name)
}

// table has the columns of the first file, or of our own row type where there is none.
func (d *Dataset) table(ctx context.Context, shards []dataset.Shard, name string) (t Table, err error) {
	t = Table{dataset: d, shards: shards}
	if len(shards) == 0 {
		row, ok := rowTypes[name]
		if !ok {
			return t, fmt.Errorf("%s has no rows, and the schema %q is not one of this program", d.Folder, name)
		}
		t.Schema, err = newSchema(parquet.SchemaOf(row))
		return t, err
	}
	object, file, err := d.open(ctx, shards[0], false)
	if err != nil {
		return t, d.faultOf(shards[0], err)
	}
	defer object.Close()
	t.Schema, err = newSchema(file.Root())
	return t, err
}

var rowTypes = map[string]schemas.Row{
	"document": schemas.Document{}, "pair": schemas.Pair{}, "example": schemas.Example{}, "embedding": schemas.Embedding{},
	"result": schemas.Result{}, "benchmark": schemas.Benchmark{}, "reject": schemas.Reject{}, "wordcount": schemas.WordCount{},
	"translation": schemas.Translation{}, "state": schemas.State{}, "pairscore": schemas.PairScore{},
	"contamination": schemas.Contamination{}, "invertedlist": schemas.InvertedList{},
}

// Rows yields the rows of the files in order, with the selected columns. Each
// file's size and hash are checked before its first row is given, as by
// dataset.Rows. A row is valid until the next one. Memory is a page and some
// values a column.
func (t Table) Rows(ctx context.Context, selection Selection) iter.Seq2[*Row, error] {
	return t.read(ctx, selection, true)
}

// read is Rows, with or without the check of size and hash.
func (t Table) read(ctx context.Context, selection Selection, check bool) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		row := &Row{selection: selection, values: make([][]parquet.Value, len(t.leaves)), at: make([]int, len(t.leaves)),
			schema: t.Schema}
		for _, shard := range t.shards {
			stopped, err := t.dataset.shardRows(ctx, shard, check, row, yield)
			if stopped {
				return
			}
			if err != nil {
				yield(nil, t.dataset.faultOf(shard, err))
				return
			}
		}
	}
}

func (d *Dataset) shardRows(ctx context.Context, shard dataset.Shard, check bool, row *Row, yield func(*Row, error) bool) (
	stopped bool, err error) {
	object, file, err := d.open(ctx, shard, check)
	if err != nil {
		return false, err
	}
	defer object.Close()
	if err := sameColumns(file, row.schema); err != nil {
		return false, err
	}
	for _, group := range file.RowGroups() {
		if stopped, err = groupRows(ctx, file, group, row, yield); stopped || err != nil {
			return stopped, err
		}
	}
	return false, nil
}

func groupRows(ctx context.Context, file *parquetfile.File, group parquet.RowGroup, row *Row, yield func(*Row, error) bool) (
	stopped bool, err error) {
	readers := make([]*leafReader, len(row.schema.leaves))
	defer func() {
		for _, r := range readers {
			if r != nil {
				guarded(r.close)
			}
		}
	}()
	chunks := group.ColumnChunks()
	for i, selected := range row.selection.leaves {
		if selected {
			readers[i] = newLeafReader(chunks[i], row.schema.leaves[i])
		}
	}
	for range group.NumRows() {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		file.Next()
		err := guarded(func() (err error) {
			for i, r := range readers {
				if r == nil {
					continue
				}
				if row.values[i], err = r.next(row.values[i][:0]); err == io.EOF {
					return fmt.Errorf("%w: column %s ends before row %d", dataset.ErrCorrupt, row.schema.leaves[i].Path, group.NumRows())
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return false, err
		}
		if !yield(row, nil) {
			return true, nil
		}
	}
	return false, nil
}

// sameColumns makes sure that a shard has the columns of the first one.
func sameColumns(file *parquetfile.File, schema *Schema) error {
	actual, err := newSchema(file.Root())
	if err != nil {
		return err
	}
	equal := len(actual.leaves) == len(schema.leaves)
	for i := 0; equal && i < len(actual.leaves); i++ {
		equal = actual.leaves[i].Path == schema.leaves[i].Path && actual.leaves[i].Type() == schema.leaves[i].Type()
	}
	if !equal {
		return fmt.Errorf("%w: its columns are not those of the first shard", dataset.ErrCorrupt)
	}
	return nil
}

// faultOf names the shard that an error is about, and the way out of damage.
func (d *Dataset) faultOf(shard dataset.Shard, err error) error {
	err = fmt.Errorf("read %s in %s: %w", shard.Name, d.Folder, err)
	if errors.Is(err, dataset.ErrCorrupt) {
		err = fmt.Errorf("%w; %s", err, d.Plan.Mend())
	}
	return err
}

// open opens a shard. With check, its size and hash must be those of the manifest.
func (d *Dataset) open(ctx context.Context, shard dataset.Shard, check bool) (storage.Object, *parquetfile.File, error) {
	object, err := d.Folder.Open(ctx, shard.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%w: it is missing", dataset.ErrCorrupt)
	}
	if err != nil {
		return nil, nil, err
	}
	var file *parquetfile.File
	if check {
		err = checkHash(object, shard)
	}
	if err == nil {
		err = guarded(func() (err error) {
			file, err = parquetfile.Open(object, object.Size())
			return err
		})
	}
	if err != nil {
		object.Close()
		return nil, nil, err
	}
	return object, file, nil
}

func checkHash(object storage.Object, shard dataset.Shard) error {
	if object.Size() != shard.Bytes {
		return fmt.Errorf("%w: it has %d bytes, the manifest says %d", dataset.ErrCorrupt, object.Size(), shard.Bytes)
	}
	hash := xxh3.New()
	if _, err := io.CopyBuffer(hash, io.NewSectionReader(object, 0, object.Size()), make([]byte, 1<<20)); err != nil {
		return err
	}
	if got := dataset.HashString(hash.Sum64()); got != shard.XXH3 {
		return fmt.Errorf("%w: its xxh3 is %s, the manifest says %s", dataset.ErrCorrupt, got, shard.XXH3)
	}
	return nil
}
