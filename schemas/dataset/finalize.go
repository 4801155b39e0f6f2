package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"

	"sentweave/schemas"
	"sentweave/schemas/dataset/funnel"
	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/dataset/sealed"
	"sentweave/schemas/storage"
)

// sums is what receipts sum to.
type sums struct {
	Manifest
	content uint64
	// totals is the sum of the receipts' funnels, which know no languages.
	totals Funnel
	// counts and samples are the files beside the receipts.
	counts, samples []Shard
}

// add counts a unit in.
func (s *sums) add(r *Receipt) error {
	if err := s.totals.Add(r.Funnel); err != nil {
		return err
	}
	content, err := strconv.ParseUint(r.ContentXXH3, 16, 64)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	s.content += content
	if r.Shard != nil {
		s.Shards = append(s.Shards, *r.Shard)
		s.Rows += r.Shard.Rows
		s.Bytes += r.Shard.Bytes
	}
	if r.Counts != nil {
		s.counts = append(s.counts, *r.Counts)
	}
	if r.Samples != nil {
		s.samples = append(s.samples, *r.Samples)
	}
	return nil
}

// merge reads the files beside the receipts: it sets the funnel and returns the samples.
// Table is called as by Funnel.MergeCounts.
func (s *sums) merge(ctx context.Context, folder storage.Folder, table func([]schemas.Count) error) ([]schemas.Reject, error) {
	rejects, err := funnel.MergeRejects(ctx, folder, s.samples)
	if err != nil {
		return nil, err
	}
	if s.Funnel, err = s.totals.MergeCounts(ctx, folder, s.counts, funnel.MostCounts, table); err != nil {
		return nil, err
	}
	files, err := sealed.Encode(s.Funnel.Whole())
	if err != nil {
		return nil, err
	}
	receipts, err := sealed.Encode(&s.totals)
	if err == nil && string(files) != string(receipts) {
		err = fmt.Errorf("%w: the files of counts in %s do not sum to the funnels of the receipts", ErrCorrupt, layout.CountsFolder)
	}
	return rejects, err
}

// finalizer makes the manifest of a plan.
type finalizer struct {
	plan    *Plan
	folder  storage.Folder
	sums    sums
	rejects []schemas.Reject
	table   *rowfile.Exclusive
	// files are those that it may have published.
	files []*rowfile.Exclusive
}

func (f *finalizer) abort() {
	for _, file := range f.files {
		file.Abort()
	}
}

// gather sums the receipts and the files beside them, and publishes nothing.
func (f *finalizer) gather(ctx context.Context) error {
	p, folder := f.plan, f.folder
	if err := p.outdated(folder); err != nil {
		return err
	}
	f.sums.Manifest = Manifest{Plan: *p, Shards: []Shard{}}
	missing, first := 0, -1
	err := p.receipts(ctx, folder, func(unit int, l loaded) error {
		if isAbsent(l.err) {
			if missing++; first < 0 {
				first = unit
			}
			return nil
		}
		if l.err != nil {
			return fmt.Errorf("%w; run the same command again, it does that unit again", l.err)
		}
		if err := f.sums.add(l.receipt); err != nil {
			return fmt.Errorf("%s: %w", layout.ReceiptName(unit), err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if missing > 0 {
		return fmt.Errorf("%w: %s lacks %d of %d units, the first is %d; run the same `sentweave %s` again to go on", ErrIncomplete, folder,
			missing, p.Units, first, p.Pipeline)
	}
	table := countTable{open: func() (_ io.Writer, err error) {
		if f.table, err = rowfile.CreateExclusive(ctx, folder, layout.FunnelName); err == nil {
			f.files = append(f.files, f.table)
		}
		return f.table, err
	}}
	if f.rejects, err = f.sums.merge(ctx, folder, table.add); err == nil {
		f.sums.Counts, err = table.close()
	}
	if errors.Is(err, ErrCorrupt) {
		err = fmt.Errorf("%w; %s", err, p.doAgain())
	}
	if err != nil {
		return err
	}
	f.sums.ContentXXH3 = HashString(f.sums.content)
	return f.sums.Funnel.Check()
}

// publish writes what follows from the receipts, the manifest last.
func (f *finalizer) publish(ctx context.Context) error {
	p, folder, m := f.plan, f.folder, &f.sums.Manifest
	rejects, shard, err := rowfile.WriteRows(ctx, folder, layout.RejectsName, f.rejects)
	if err != nil {
		return err
	}
	m.Rejects = shard
	if rejects != nil {
		f.files = append(f.files, rejects)
	}
	for _, file := range []struct {
		*rowfile.Exclusive
		made *Shard
	}{{rejects, m.Rejects}, {f.table, m.Counts}} {
		if file.made == nil {
			continue
		}
		if err := file.Publish(ctx, file.made); errors.Is(err, ErrUnequal) {
			return fmt.Errorf("%w: %w", errTooLate, err)
		} else if err != nil {
			return err
		}
	}
	// Receipts may be of writers that were killed before they synced.
	for _, names := range []string{layout.ReceiptFolder, layout.CountsFolder, layout.SamplesFolder} {
		if err := storage.SyncNames(folder, names); err != nil {
			return err
		}
	}
	if err := storage.Settle(ctx, folder, storage.File{Name: layout.HubName, Data: []byte(layout.HubConfig)}, maxManifest,
		func([]byte) error { return p.owns(ctx, folder) }); err != nil {
		return err
	}
	return p.settleManifest(ctx, folder, m)
}

// countTable writes a file of counts, if there are any.
type countTable struct {
	open func() (io.Writer, error)
	rows *rowfile.Writer[schemas.Count]
}

func (t *countTable) add(counts []schemas.Count) error {
	if t.rows == nil {
		writer, err := t.open()
		if err != nil {
			return err
		}
		t.rows = rowfile.NewWriter[schemas.Count](writer)
	}
	for _, c := range counts {
		if err := t.rows.Write(c); err != nil {
			return err
		}
	}
	return nil
}

// close returns what the file is, nil if there is none.
func (t *countTable) close() (*Shard, error) {
	if t.rows == nil {
		return nil, nil
	}
	err := t.rows.Close()
	return t.rows.Describe(layout.FunnelName), err
}

// WholeFunnel is the funnel of a dataset in a folder with the counts by language that its
// file of counts has: of as many languages or pairs of a chain as a unit tells apart, and of the rest as
// Others, so that memory is bounded.
func (m *Manifest) WholeFunnel(ctx context.Context, folder storage.Folder) (*Funnel, error) {
	if m.Counts == nil {
		return m.Funnel, nil
	}
	f := m.Funnel.Bare()
	err := f.Read(ctx, folder, *m.Counts)
	if errors.Is(err, ErrCorrupt) {
		err = fmt.Errorf("%w; %s", err, m.Plan.Mend())
	}
	return f, err
}

// SampledRejects yields the sampled rejects of a complete dataset, which lies in a folder, as Rows yields its rows.
func (m *Manifest) SampledRejects(ctx context.Context, folder storage.Folder) iter.Seq2[schemas.Reject, error] {
	schema := schemas.Reject{}.Schema()
	of := &Manifest{Plan: m.Plan}
	of.Plan.Schema, of.Plan.SchemaVersion = schema.Name, schema.Version
	if m.Rejects != nil {
		of.Shards = []Shard{*m.Rejects}
	}
	return Rows[schemas.Reject](ctx, folder, of)
}
