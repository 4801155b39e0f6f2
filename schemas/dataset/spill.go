package dataset

import (
	"context"
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/dataset/sealed"
	"sentweave/schemas/storage"
)

// SpillAttempt writes the file by which a unit hands keyed records to later
// units of an exchange. It is an io.Writer for the file's content.
type SpillAttempt struct {
	ledger
	file *rowfile.Exclusive
	out  rowfile.CountingWriter
}

// BeginSpill starts an attempt of a unit that spills.
func BeginSpill(ctx context.Context, folder storage.Folder, plan *Plan, unit int, chains ...Chain) (*SpillAttempt, error) {
	l, err := newLedger(folder, plan, unit, chains)
	if err != nil {
		return nil, err
	}
	file, err := rowfile.CreateExclusive(ctx, folder, SpillName(unit))
	if err != nil {
		return nil, rowfile.WayOut(err)
	}
	return &SpillAttempt{ledger: l, file: file, out: rowfile.CountingWriter{To: file, Hash: xxh3.New()}}, nil
}

// Write adds bytes to the spill file. After an error the attempt can no longer
// be committed.
func (a *SpillAttempt) Write(p []byte) (int, error) {
	if a.err != nil {
		return 0, a.err
	}
	n, err := a.out.Write(p)
	if err != nil {
		return n, a.fail(fmt.Errorf("write %s in %s: %w", SpillName(a.unit), a.folder, rowfile.WayOut(err)))
	}
	return n, nil
}

// Commit publishes the spill file, then the receipt. An attempt is committed once. If
// the dataset is complete by then, and the plan does not keep the file, Commit removes it.
func (a *SpillAttempt) Commit(ctx context.Context) error {
	defer a.Abort()
	err := a.commit(ctx, a.file, func(receipt *Receipt) (*Shard, error) {
		receipt.Spill = &Shard{Name: SpillName(a.unit), Bytes: a.out.Bytes, XXH3: HashString(a.out.Hash.Sum64())}
		return receipt.Spill, nil
	})
	if err != nil || a.plan.SpillsKept.Has(a.unit) || a.plan.completed(ctx, a.folder) == nil {
		return err
	}
	return a.folder.RemoveVersion(ctx, a.file.Name, a.file.Stands)
}

// CheckSpill reads the spill file of a unit and compares it with the receipt, so that the file of another unit or run is not taken for it.
// The error matches fs.ErrNotExist if one of both is missing, and ErrCorrupt if one is cut, changed or that of another unit.
func (p *Plan) CheckSpill(ctx context.Context, folder storage.Folder, unit int) error {
	var r Receipt
	name := layout.ReceiptName(unit)
	err := sealed.Read(ctx, folder, name, maxReceipt, &r)
	if err != nil {
		return err
	}
	if err = r.belongs(p, unit); err == nil && r.Spill == nil {
		err = errors.New("it names no spill file")
	}
	if err != nil {
		return fmt.Errorf("%s in %s: %w: %w", name, folder, ErrCorrupt, err)
	}
	object, err := folder.Open(ctx, r.Spill.Name)
	if err != nil {
		return err
	}
	defer object.Close()
	if err := rowfile.Check(object, *r.Spill, "receipt"); err != nil {
		err = fmt.Errorf("%s in %s: %w", r.Spill.Name, folder, err)
		if p.SpillsKept.Has(unit) {
			err = marked{err, ErrKept}
		}
		return err
	}
	return nil
}

// Abort drops what was written. After Commit it does nothing.
func (a *SpillAttempt) Abort() {
	a.fail(errSpent)
	a.file.Abort()
}
