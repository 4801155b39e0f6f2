package dataset

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/dataset/sealed"
	"sentweave/schemas/storage"

	"golang.org/x/sync/errgroup"
)

// Receipt is the record that a unit is committed. What it holds is bounded by the
// configuration of the pipeline: what the data bound is in the files that it names.
type Receipt struct {
	// Plan is the hash of the plan that the unit belongs to.
	Plan string `json:"plan"`
	Unit int    `json:"unit"`
	// Shard is nil if the unit has no rows.
	Shard *Shard `json:"shard,omitempty"`
	// Spill is the file that the unit hands to later units of an exchange; nil
	// if the unit writes rows. It is deleted when the dataset is complete, unless the plan keeps it.
	Spill *Shard `json:"spill,omitempty"`
	// ContentXXH3 is the sum of the hashes of the rows, in any order.
	ContentXXH3 string `json:"content_xxh3"`
	// Funnel sums all languages as Others.
	Funnel *Funnel `json:"funnel"`
	// Counts is the file of the counts by language, and Samples that of the sampled rejects;
	// nil if there are none.
	Counts  *Shard `json:"counts,omitempty"`
	Samples *Shard `json:"samples,omitempty"`
	// Check is the hash of all the above.
	Check string `json:"check"`
}

// rows is the number of rows of the unit.
func (r *Receipt) rows() int64 {
	if r.Shard == nil {
		return 0
	}
	return r.Shard.Rows
}

// LoadReceipt returns the receipt of a unit, or an error that matches
// fs.ErrNotExist if there is none, and ErrCorrupt if it is cut or changed, if
// it belongs to another plan, or if its shard is missing or has another size.
func (p *Plan) LoadReceipt(ctx context.Context, folder storage.Folder, unit int) (*Receipt, error) {
	stat := func(name string) (int64, error) {
		info, err := folder.Stat(ctx, name)
		return info.Size, err
	}
	r, err := p.loadSettled(ctx, folder, unit, stat)
	if err != nil {
		return nil, err
	}
	if err := r.checkFile(folder, r.Spill, stat); err != nil {
		return nil, err
	}
	return r, nil
}

// CheckField implements sealed.Record.
func (r *Receipt) CheckField() *string { return &r.Check }

// loadSettled is LoadReceipt without a look at the spill file, which no longer
// counts where every unit is done: it serves only units that are still to come. Stat
// tells the sizes of files.
func (p *Plan) loadSettled(ctx context.Context, folder storage.Folder, unit int, stat func(name string) (int64, error)) (*Receipt, error) {
	name := layout.ReceiptName(unit)
	var r Receipt
	if err := sealed.Read(ctx, folder, name, maxReceipt, &r); err != nil {
		return nil, err
	}
	if err := r.belongs(p, unit); err != nil {
		return nil, fmt.Errorf("%s in %s: %w: %w", name, folder, ErrCorrupt, err)
	}
	for _, file := range []*Shard{r.Shard, r.Counts, r.Samples} {
		if err := r.checkFile(folder, file, stat); err != nil {
			return nil, err
		}
	}
	return &r, nil
}

// belongs says why a whole receipt is not one of a unit of the plan.
func (r *Receipt) belongs(p *Plan, unit int) error {
	switch {
	case r.Plan != p.Hash:
		return fmt.Errorf("it belongs to plan %s, not %s", r.Plan, p.Hash)
	case r.Unit != unit:
		return fmt.Errorf("it is of unit %d", r.Unit)
	case r.Shard != nil && r.Shard.Name != ShardName(unit):
		return fmt.Errorf("it names the shard %q", r.Shard.Name)
	case r.Spill != nil && r.Spill.Name != SpillName(unit):
		return fmt.Errorf("it names the spill file %q", r.Spill.Name)
	case r.Counts != nil && r.Counts.Name != p.countsName(unit):
		return fmt.Errorf("it names the file of counts %q", r.Counts.Name)
	case r.Samples != nil && r.Samples.Name != p.samplesName(unit):
		return fmt.Errorf("it names the file of samples %q", r.Samples.Name)
	case r.Funnel == nil:
		return errors.New("it has no funnel")
	}
	return nil
}

// checkFile looks for a file of the receipt; nil is none.
func (r *Receipt) checkFile(folder storage.Folder, file *Shard, stat func(name string) (int64, error)) error {
	if file == nil {
		return nil
	}
	size, err := stat(file.Name)
	switch {
	case isAbsent(err):
		return fmt.Errorf("%s in %s: %w: its file %s is missing", layout.ReceiptName(r.Unit), folder, ErrCorrupt, file.Name)
	case err != nil:
		return err
	case size != file.Bytes:
		return fmt.Errorf("%s in %s: %w: it has %d bytes, its receipt says %d", file.Name, folder, ErrCorrupt, size, file.Bytes)
	}
	return nil
}

// Committed says whether a unit has a valid receipt. A corrupt receipt does not count,
// and the unit is done again.
func (p *Plan) Committed(ctx context.Context, folder storage.Folder, unit int) (bool, error) {
	_, err := p.LoadReceipt(ctx, folder, unit)
	switch {
	case err == nil:
		return true, nil
	case isAbsent(err), errors.Is(err, ErrCorrupt):
		return false, nil
	default:
		return false, err
	}
}

// CountReceipts returns how many units have a receipt, by listing alone.
func (p *Plan) CountReceipts(ctx context.Context, folder storage.Folder) (int, error) {
	n, _, err := p.CountReceiptsOf(ctx, folder, 0, 0)
	return n, err
}

// CountReceiptsOf counts them in total, and those of so many units from first on.
func (p *Plan) CountReceiptsOf(ctx context.Context, folder storage.Folder, first, count int) (total, inRange int, err error) {
	for info, err := range folder.List(ctx, layout.ReceiptFolder) {
		if err != nil {
			return 0, 0, err
		}
		if unit, ok := layout.UnitOf(info.Name); ok && unit < p.Units {
			total++
			if unit >= first && unit < first+count {
				inRange++
			}
		}
	}
	return total, inRange, nil
}

// The companions of a unit's receipt are two files: the unit's counts by language, and its
// samples of rejects. Their names hold the hash of the plan, so that those of a run that was
// overwritten are never taken for those of the next one.

func (p *Plan) countsName(unit int) string {
	return fmt.Sprintf("%s%s-%05d.parquet", layout.CountsFolder, p.Hash, unit)
}

func (p *Plan) samplesName(unit int) string {
	return fmt.Sprintf("%s%s-%05d.parquet", layout.SamplesFolder, p.Hash, unit)
}

// hasCompanion says whether a companion is one of the plan.
func (p *Plan) hasCompanion(name string) bool {
	return strings.HasPrefix(name, layout.CountsFolder+p.Hash+"-") || strings.HasPrefix(name, layout.SamplesFolder+p.Hash+"-")
}

// receiptsAhead is the number of receipts that are held at once: some 3 kB each.
const receiptsAhead = rowfile.AtOnce

// loaded is what was found of a unit's receipt: err is that of loadSettled, spill that
// of the look for the spill file.
type loaded struct {
	receipt    *Receipt
	err, spill error
}

// receipts loads the receipts of all units and gives them in their order. It lists
// the files that they name instead of looking for each.
func (p *Plan) receipts(ctx context.Context, folder storage.Folder, do func(unit int, l loaded) error) error {
	sizes := map[string]int64{}
	for _, prefix := range []string{layout.DataFolder, layout.SpillFolder, layout.CountsFolder, layout.SamplesFolder} {
		for info, err := range folder.List(ctx, prefix) {
			if err != nil {
				continue // it is looked for by its name
			}
			sizes[info.Name] = info.Size
		}
	}
	stat := func(name string) (int64, error) {
		if size, ok := sizes[name]; ok {
			return size, nil
		}
		info, err := folder.Stat(ctx, name) // it may have come since
		return info.Size, err
	}
	ahead := make([]loaded, min(receiptsAhead, p.Units))
	for first := 0; first < p.Units; first += len(ahead) {
		batch := ahead[:min(len(ahead), p.Units-first)]
		var group errgroup.Group
		group.SetLimit(rowfile.AtOnce)
		for i := range batch {
			group.Go(func() error {
				l := loaded{}
				if l.receipt, l.err = p.loadSettled(ctx, folder, first+i, stat); l.err == nil {
					l.spill = l.receipt.checkFile(folder, l.receipt.Spill, stat)
				}
				batch[i] = l
				return ctx.Err()
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		for i, l := range batch {
			if err := do(first+i, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// CommittedOf says for each of count units, from first on, whether it is committed. It
// sends many requests at once.
func (p *Plan) CommittedOf(ctx context.Context, folder storage.Folder, first, count int) ([]bool, error) {
	committed := make([]bool, count)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(rowfile.AtOnce)
	for i := range committed {
		group.Go(func() (err error) {
			committed[i], err = p.Committed(ctx, folder, first+i)
			return err
		})
	}
	return committed, group.Wait()
}
