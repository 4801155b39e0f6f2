package dataset

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/sync/errgroup"

	"sentweave/schemas/storage"
)

// Verify reads a complete dataset whole and compares everything that can be
// recounted with the manifest: names, sizes and hashes of the files, rows, the
// content hash, the balance of the funnel and its last count. It returns the
// manifest and all faults, joined; each matches ErrCorrupt.
func Verify(ctx context.Context, folder storage.Folder) (*Manifest, error) {
	m, err := Load(ctx, folder)
	if err != nil {
		return nil, err
	}
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%w: "+format, append([]any{ErrCorrupt}, args...)...))
	}
	listed := map[string]bool{ManifestName: true}
	var rows, bytes int64
	var content uint64
	files := m.files()
	hashes, errs := make([]uint64, len(files)), make([]error, len(files))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0)) // reading rows is work
	for i, s := range files {
		listed[s.Name] = true
		group.Go(func() error {
			hashes[i], errs[i] = verifyShard(ctx, folder, s)
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return m, err
	}
	for i, s := range files {
		if errs[i] != nil {
			faults = append(faults, fmt.Errorf("%s: %w", s.Name, errs[i]))
		}
		if i < len(m.Shards) { // not the rejects
			rows += s.Rows
			bytes += s.Bytes
			content += hashes[i]
		}
	}
	if rows != m.Rows || bytes != m.Bytes {
		fault("the shards sum to %d rows of %d bytes, the manifest says %d of %d", rows, bytes, m.Rows, m.Bytes)
	}
	if got := HashString(content); got != m.ContentXXH3 && len(faults) == 0 {
		fault("the rows give the content hash %s, the manifest says %s", got, m.ContentXXH3)
	}
	if m.Funnel == nil {
		fault("the manifest has no funnel")
	} else {
		if err := m.Funnel.Check(); err != nil {
			fault("%w", err)
		}
		if out := m.Funnel.Out(m.Plan.Schema + "s"); out != nil {
			total := int64(0)
			for _, n := range out {
				total += n
			}
			if total != m.Rows {
				fault("the funnel lets %d rows through, the manifest says %d", total, m.Rows)
			}
		}
	}
	var receipts []string
	for info, err := range folder.List(ctx, "") {
		if err != nil {
			return m, err
		}
		if strings.HasPrefix(info.Name, receiptFolder) {
			receipts = append(receipts, info.Name)
		}
		inData := strings.HasPrefix(info.Name, dataFolder) || strings.HasPrefix(info.Name, rejectsFolder)
		if inData && !listed[info.Name] {
			fault("%s is not in the manifest", info.Name)
		}
	}
	found, err := checkReceipts(ctx, folder, receipts)
	if err != nil {
		return m, err
	}
	faults = append(faults, found...)
	if err := errors.Join(faults...); err != nil {
		return m, fmt.Errorf("verify %s: %w", folder, err)
	}
	return m, nil
}

// checkReceipts looks whether receipts are whole, whatever plan they are of.
func checkReceipts(ctx context.Context, folder storage.Folder, names []string) (faults []error, err error) {
	errs := make([]error, len(names))
	var group errgroup.Group
	group.SetLimit(readers)
	for i, name := range names {
		group.Go(func() error {
			var r Receipt
			errs[i] = readSealed(ctx, folder, name, maxReceipt, &r, &r.Check)
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, err := range errs {
		if err != nil {
			faults = append(faults, err)
		}
	}
	return faults, nil
}

// verifyShard reads all rows of a file and returns the sum of their hashes.
func verifyShard(ctx context.Context, folder storage.Folder, s Shard) (content uint64, err error) {
	object, file, err := openShard(ctx, folder, s)
	if err != nil {
		return 0, err
	}
	defer object.Close()
	var buffer []byte
	for _, group := range file.RowGroups() {
		err := readGroup(ctx, file, group, func(batch []parquet.Row) error {
			for _, row := range batch {
				var hash uint64
				hash, buffer = hashRow(row, buffer)
				content += hash
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return content, nil
}
