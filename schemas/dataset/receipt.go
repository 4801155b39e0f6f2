package dataset

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"sentweave/schemas/storage"
)

// Shard describes one file of a dataset.
type Shard struct {
	// Name is relative to the dataset's folder.
	Name  string `json:"name"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
	// XXH3 is the xxh3-64 of the file.
	XXH3 string `json:"xxh3"`
}

// Receipt is the record that a unit is committed. What it holds is bounded by the
// configuration of the pipeline: what the data bound stands in the files that it names.
type Receipt struct {
	// Plan is the hash of the plan that the unit belongs to.
	Plan string `json:"plan"`
	Unit int    `json:"unit"`
	// Shard is nil if the unit has no rows.
	Shard *Shard `json:"shard,omitempty"`
	// Spill is the file that the unit hands to later units of an exchange; nil
	// if the unit writes rows. It is deleted when the dataset is complete.
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

// loadSettled is LoadReceipt without a look at the spill file, which no longer
// counts where every unit is done: it serves only units that are still to come. Stat
// tells the sizes of files.
func (p *Plan) loadSettled(ctx context.Context, folder storage.Folder, unit int, stat func(name string) (int64, error)) (*Receipt, error) {
	name := receiptName(unit)
	var r Receipt
	if err := readSealed(ctx, folder, name, maxReceipt, &r, &r.Check); err != nil {
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

// belongs says why a whole receipt is none of a unit of the plan.
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
		return fmt.Errorf("%s in %s: %w: its file %s is missing", receiptName(r.Unit), folder, ErrCorrupt, file.Name)
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
	for info, err := range folder.List(ctx, receiptFolder) {
		if err != nil {
			return 0, 0, err
		}
		if unit, ok := unitOf(info.Name); ok && unit < p.Units {
			total++
			if unit >= first && unit < first+count {
				inRange++
			}
		}
	}
	return total, inRange, nil
}

func unitOf(name string) (int, bool) {
	digits, ok := strings.CutSuffix(strings.TrimPrefix(name, receiptFolder), ".json")
	if !ok {
		return 0, false
	}
	unit, err := strconv.Atoi(digits)
	return unit, err == nil && unit >= 0 && receiptName(unit) == name
}
