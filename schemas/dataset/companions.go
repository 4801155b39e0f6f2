package dataset

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/sync/errgroup"

	"sentweave/schemas"
	"sentweave/schemas/parquetfile"
	"sentweave/schemas/storage"
)

// The companions of a unit's receipt are two files: the unit's counts by language, and its
// samples of rejects. Their names hold the hash of the plan, so that those of a run that was
// overwritten are never taken for those of the next one.

func (p *Plan) countsName(unit int) string {
	return fmt.Sprintf("%s%s-%05d.parquet", countsFolder, p.Hash, unit)
}

func (p *Plan) samplesName(unit int) string {
	return fmt.Sprintf("%s%s-%05d.parquet", samplesFolder, p.Hash, unit)
}

// isCompanion says whether a name is that of a companion of a receipt.
func isCompanion(name string) bool {
	return strings.HasPrefix(name, countsFolder) || strings.HasPrefix(name, samplesFolder)
}

// hasCompanion says whether a companion is one of the plan.
func (p *Plan) hasCompanion(name string) bool {
	return strings.HasPrefix(name, countsFolder+p.Hash+"-") || strings.HasPrefix(name, samplesFolder+p.Hash+"-")
}

// writeRows writes a file of rows and leaves it to be published. Both are nil if there are no rows.
func writeRows[T schemas.Row](ctx context.Context, folder storage.Folder, name string, rows []T) (*exclusive, *Shard, error) {
	if len(rows) == 0 {
		return nil, nil, nil
	}
	file, err := createExclusive(ctx, folder, name)
	if err != nil {
		return nil, nil, err
	}
	shard, err := fill(file, name, rows)
	if err != nil {
		file.Abort()
		return nil, nil, fmt.Errorf("write %s in %s: %w", name, folder, err)
	}
	return file, shard, nil
}

// describeRows returns what writeRows would write.
func describeRows[T schemas.Row](name string, rows []T) (*Shard, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	return fill(io.Discard, name, rows)
}

func fill[T schemas.Row](writer io.Writer, name string, rows []T) (*Shard, error) {
	w := newShardWriter[T](writer)
	for _, row := range rows {
		if err := w.Write(row); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return w.describe(name), err
}

// companionReaders is the number of companions that are read at once: each takes
// some 4 MB.
const companionReaders = 16

// eachRow hands the rows of files to add, which is called by one goroutine at a time, in
// no order. Many small files are read at once.
func eachRow[T schemas.Row](ctx context.Context, folder storage.Folder, files []Shard, add func([]parquet.Row) error) error {
	var zero T
	schema := parquet.SchemaOf(zero)
	var mutex sync.Mutex
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(companionReaders)
	for _, f := range files {
		group.Go(func() error {
			if err := groupCtx.Err(); err != nil {
				return err
			}
			object, file, err := openShard(groupCtx, folder, f, "receipt", buffered)
			if err == nil {
				defer object.Close()
				if !parquet.EqualNodes(file.Schema(), schema) {
					err = fmt.Errorf("%w: its columns are not those of %s", ErrCorrupt, zero.Schema())
				}
			}
			if err != nil {
				return fmt.Errorf("%s in %s: %w", f.Name, folder, err)
			}
			for _, rows := range file.RowGroups() {
				err := readGroup(groupCtx, file, rows, func(batch []parquet.Row) error {
					mutex.Lock()
					defer mutex.Unlock()
					return add(batch)
				})
				if err != nil {
					return fmt.Errorf("%s in %s: %w", f.Name, folder, err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// Columns of schemas.Reject.
const (
	rejectStep     = 3
	rejectReason   = 4
	rejectLanguage = 5
	rejectRank     = 8
)

// mergeRejects keeps of the samples of units those that a dataset keeps.
func mergeRejects(ctx context.Context, folder storage.Folder, files []Shard) ([]schemas.Reject, error) {
	var merged Rejects
	schema := parquet.SchemaOf(schemas.Reject{})
	err := eachRow[schemas.Reject](ctx, folder, files, func(rows []parquet.Row) error {
		for _, row := range rows {
			kind := rejectKind{string(row[rejectStep].ByteArray()), string(row[rejectReason].ByteArray())}
			if s := merged.kept[kind]; s != nil && !s.wants(string(row[rejectLanguage].ByteArray()), row[rejectRank].Uint64()) {
				continue
			}
			var record schemas.Reject
			if err := parquetfile.Guard(func() error { return schema.Reconstruct(&record, row) }); err != nil {
				return damage(err)
			}
			merged.insert(record)
		}
		return nil
	})
	return merged.Sorted(), err
}
