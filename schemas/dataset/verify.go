package dataset

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go"

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
	for _, s := range m.Shards {
		listed[s.Name] = true
		hash, err := verifyShard(ctx, folder, s)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", s.Name, err))
		}
		rows += s.Rows
		bytes += s.Bytes
		content += hash
	}
	if m.Rejects != nil {
		listed[m.Rejects.Name] = true
		if _, err := verifyShard(ctx, folder, *m.Rejects); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", m.Rejects.Name, err))
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
	for info, err := range folder.List(ctx, "") {
		if err != nil {
			return m, err
		}
		if strings.HasPrefix(info.Name, receiptFolder) {
			var r Receipt
			if err := readSealed(ctx, folder, info.Name, maxReceipt, &r, &r.Check); err != nil {
				faults = append(faults, err)
			}
		}
		inData := strings.HasPrefix(info.Name, dataFolder) || strings.HasPrefix(info.Name, rejectsFolder)
		if inData && !listed[info.Name] {
			fault("%s is not in the manifest", info.Name)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return m, fmt.Errorf("verify %s: %w", folder, err)
	}
	return m, nil
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
		err := readGroup(ctx, group, func(batch []parquet.Row) error {
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
