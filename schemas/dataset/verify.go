package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/sync/errgroup"

	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/dataset/sealed"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
)

// Verify reads a complete dataset whole and compares everything that can be
// recounted with the manifest: names, sizes and hashes of the files, rows, the
// content hash, the balance of the funnel and its last count; and the plan with its units, and the receipts, with the
// files beside them, with its plan, its shards, its rejects and its sums. It returns the
// manifest and all faults, joined; each matches ErrCorrupt, and ErrRun or ErrKept if no row is affected.
func Verify(ctx context.Context, folder storage.Folder) (*Manifest, error) {
	m, err := Load(ctx, folder)
	if err != nil {
		return nil, err
	}
	var faults fault.List
	fault := func(format string, args ...any) {
		faults.Addf("%w: "+format, append([]any{ErrCorrupt}, args...)...)
	}
	listed := map[string]bool{ManifestName: true}
	var rows, size int64
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
			faults.Addf("%s: %w", s.Name, errs[i])
		}
		if i < len(m.Shards) { // not the rejects and counts
			rows += s.Rows
			size += s.Bytes
			content += hashes[i]
		}
	}
	if rows != m.Rows || size != m.Bytes {
		fault("the shards sum to %d rows of %d bytes, the manifest says %d of %d", rows, size, m.Rows, m.Bytes)
	}
	if got := HashString(content); got != m.ContentXXH3 && len(faults) == 0 {
		fault("the rows give the content hash %s, the manifest says %s", got, m.ContentXXH3)
	}
	if err := m.Funnel.Check(); err != nil {
		fault("%w", err)
	}
	if counts := m.Funnel.Out(m.Plan.Schema + "s"); counts != nil {
		total := int64(0)
		for _, n := range counts {
			total += n
		}
		if total != m.Rows {
			fault("the funnel lets %d rows through, the manifest says %d", total, m.Rows)
		}
	}
	var receipts []string
	for info, err := range folder.List(ctx, "") {
		if err != nil {
			return m, err
		}
		if strings.HasPrefix(info.Name, layout.ReceiptFolder) {
			receipts = append(receipts, info.Name)
		}
		if !IsPart(info.Name) || listed[info.Name] {
			continue
		}
		fault("%s is not in the manifest", info.Name)
		if layout.IsMade(info.Name) {
			faults[len(faults)-1] = marked{faults[len(faults)-1], ErrLeftover}
		}
	}
	receiptFaults, err := m.checkReceipts(ctx, folder, receipts)
	if err != nil {
		return m, err
	}
	runFaults, err := m.checkRun(ctx, folder, receipts)
	if err != nil {
		return m, err
	}
	faults.Add(append(receiptFaults, runFaults...)...)
	if err := faults.Err(); err != nil {
		return m, fmt.Errorf("verify %s: %w", folder, err)
	}
	return m, nil
}

// marked is a fault that matches one more error, which says what it means: ErrLeftover, ErrKept or ErrRun.
type marked struct {
	error
	mark error
}

func (m marked) Unwrap() error { return m.error }

// Is makes it match the mark.
func (m marked) Is(target error) bool { return target == m.mark }

// checkRun reads the plan and its units, and counts the receipts. A copy has none of these; those of an older format are not read.
func (m *Manifest) checkRun(ctx context.Context, folder storage.Folder, receipts []string) (faults []error, err error) {
	if m.Plan.Format != format {
		return nil, nil
	}
	plan, err := LoadPlan(ctx, folder)
	switch {
	case isAbsent(err):
		return nil, nil
	case err == nil && plan.Hash != m.Plan.Hash:
		err = fmt.Errorf("%w: %s is plan %s, the manifest is of %s", ErrCorrupt, layout.PlanName, plan.Hash, m.Plan.Hash)
		fallthrough
	case errors.Is(err, ErrCorrupt):
		faults = append(faults, marked{err, ErrRun})
	case err != nil:
		return nil, err
	}
	for i := 0; i*m.Plan.UnitsPerFile < m.Plan.Units; i++ {
		_, err := m.Plan.loadFile(ctx, folder, i)
		if isAbsent(err) {
			err = fmt.Errorf("%w: %s is missing", ErrCorrupt, m.Plan.fileName(i))
		}
		if errors.Is(err, ErrCorrupt) {
			faults = append(faults, marked{err, ErrRun})
		} else if err != nil {
			return nil, err
		}
	}
	present := make([]bool, m.Plan.Units)
	for _, name := range receipts {
		if unit, ok := layout.UnitOf(name); ok && unit < len(present) {
			present[unit] = true
		}
	}
	for unit, ok := range present {
		if !ok {
			faults = append(faults, marked{fmt.Errorf("%w: %s is missing", ErrCorrupt, layout.ReceiptName(unit)), ErrRun})
		}
	}
	return faults, nil
}

// checkReceipts compares the receipts that there are with plan and manifest. There need
// not be all: a copy has none. Those of an older format are not read.
func (m *Manifest) checkReceipts(ctx context.Context, folder storage.Folder, names []string) (faults []error, err error) {
	if m.Plan.Format != format {
		return nil, nil
	}
	shards := map[string]Shard{}
	for _, s := range m.Shards {
		shards[s.Name] = s
	}
	var sum sums
	var damaged []error
	for batch := range slices.Chunk(names, receiptsAhead) {
		errs, receipts := make([]error, len(batch)), make([]*Receipt, len(batch))
		var group errgroup.Group
		group.SetLimit(rowfile.AtOnce)
		for i, name := range batch {
			group.Go(func() error {
				receipts[i], errs[i] = m.checkReceipt(ctx, folder, name, shards)
				return ctx.Err()
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
		for i, err := range errs {
			if errors.Is(err, ErrKept) {
				damaged, err = append(damaged, err), nil
			}
			if err == nil {
				err = sum.add(receipts[i])
			}
			if err != nil {
				faults = append(faults, err)
			}
		}
	}
	faults = append(faults, damaged...)
	if len(faults) > len(damaged) || len(names) != m.Plan.Units || m.Funnel == nil {
		return faults, nil
	}
	if got := HashString(sum.content); got != m.ContentXXH3 || sum.Rows != m.Rows || sum.Bytes != m.Bytes {
		faults = append(faults, fmt.Errorf(
			"%w: the receipts sum to %d rows of %d bytes with content %s, the manifest says %d of %d with %s", ErrCorrupt, sum.Rows,
			sum.Bytes, got, m.Rows, m.Bytes, m.ContentXXH3))
	}
	companionFaults, err := m.checkCompanions(ctx, folder, &sum)
	if errors.Is(err, ErrCorrupt) {
		companionFaults, err = []error{marked{err, ErrRun}}, nil
	}
	return append(faults, companionFaults...), err
}

// checkCompanions makes of the files beside the receipts what the manifest has of them, and
// compares.
func (m *Manifest) checkCompanions(ctx context.Context, folder storage.Folder, sum *sums) (faults []error, err error) {
	table := countTable{open: func() (io.Writer, error) { return io.Discard, nil }}
	rejects, err := sum.merge(ctx, folder, table.add)
	if err != nil {
		return nil, err
	}
	counts, err := table.close()
	if err != nil {
		return nil, err
	}
	shard, err := rowfile.DescribeRows(layout.RejectsName, rejects)
	if err != nil {
		return nil, err
	}
	receipts, err := sealed.Encode(sum.Funnel)
	if err != nil {
		return nil, err
	}
	manifest, err := sealed.Encode(m.Funnel)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(receipts, manifest) || !sameFile(counts, m.Counts) {
		faults = append(faults, fmt.Errorf("%w: the funnels of the receipts do not sum to that of the manifest", ErrCorrupt))
	}
	if !sameFile(shard, m.Rejects) {
		faults = append(faults, fmt.Errorf("%w: the samples of the units give other rejects than the manifest names", ErrCorrupt))
	}
	return faults, nil
}

func sameFile(a, b *Shard) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// checkReceipt reads a receipt and compares it with the plan, and with the shards of the
// manifest by their names. The receipt is returned beside an error that matches ErrKept, too.
func (m *Manifest) checkReceipt(ctx context.Context, folder storage.Folder, name string, shards map[string]Shard) (*Receipt, error) {
	var r Receipt
	if err := sealed.Read(ctx, folder, name, maxReceipt, &r); errors.Is(err, ErrCorrupt) {
		return nil, marked{err, ErrRun}
	} else if err != nil {
		return nil, err
	}
	unit, ok := layout.UnitOf(name)
	if r.Plan != m.Plan.Hash {
		return nil, marked{fmt.Errorf("%w: %s belongs to plan %s, the manifest to %s: it is of a run that was overwritten", ErrCorrupt,
			name, r.Plan, m.Plan.Hash), ErrLeftover}
	}
	if !ok || unit >= m.Plan.Units {
		return nil, fmt.Errorf("%w: %s is of no unit: the plan has %d", ErrCorrupt, name, m.Plan.Units)
	}
	if err := r.belongs(&m.Plan, unit); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, name, err)
	}
	var damaged error
	if m.Plan.SpillsKept.Has(unit) {
		// Without the file, what extends the dataset reads the rows of the unit.
		if damaged = m.Plan.CheckSpill(ctx, folder, unit); isAbsent(damaged) {
			damaged = nil
		} else if damaged != nil && !errors.Is(damaged, ErrKept) {
			return nil, damaged
		}
	}
	shard, listed := shards[ShardName(unit)]
	switch {
	case r.Shard == nil && listed:
		return nil, fmt.Errorf("%w: %s has no shard, the manifest lists %s", ErrCorrupt, name, shard.Name)
	case r.Shard != nil && (!listed || shard != *r.Shard):
		return nil, fmt.Errorf("%w: %s records %s with %d rows, %d bytes and xxh3 %s, but the manifest records %d rows, %d bytes and xxh3 %q", ErrCorrupt, name,
			r.Shard.Name, r.Shard.Rows, r.Shard.Bytes, r.Shard.XXH3, shard.Rows, shard.Bytes, shard.XXH3)
	}
	return &r, damaged
}

// verifyShard reads all rows of a file and returns the sum of their hashes.
func verifyShard(ctx context.Context, folder storage.Folder, s Shard) (content uint64, err error) {
	object, file, err := rowfile.Open(ctx, folder, s, "manifest", rowfile.Unbuffered)
	if err != nil {
		return 0, err
	}
	defer object.Close()
	var buffer []byte
	for _, group := range file.RowGroups() {
		err := rowfile.ReadGroup(ctx, file, group, func(batch []parquet.Row) error {
			for _, row := range batch {
				var hash uint64
				hash, buffer = rowfile.HashRow(row, buffer)
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
