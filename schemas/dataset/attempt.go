package dataset

import (
	"context"
	"errors"
	"fmt"

	"sentweave/schemas"
	"sentweave/schemas/dataset/funnel"
	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/dataset/sealed"
	"sentweave/schemas/storage"
)

// ledger is what every attempt of a unit keeps: its counts and its samples of
// dropped records.
type ledger struct {
	folder  storage.Folder
	plan    *Plan
	unit    int
	funnel  *Funnel
	rejects Rejects
	// files are those that the attempt has begun to publish.
	files []madeFile
	// err is why the attempt can no longer be committed: an error of a write, which
	// a caller may have passed over, or its end.
	err error
}

// madeFile is a file of an attempt, and what it is.
type madeFile struct {
	*rowfile.Exclusive
	made *Shard
}

var errSpent = errors.New("the attempt is over: it was committed or aborted")

func newLedger(folder storage.Folder, plan *Plan, unit int, chains []Chain) (ledger, error) {
	if unit < 0 || unit >= plan.Units {
		return ledger{}, fmt.Errorf("begin unit %d: the plan in %s has %d units", unit, folder, plan.Units)
	}
	if err := funnel.CheckChains(chains); err != nil {
		return ledger{}, fmt.Errorf("begin unit %d: %w", unit, err)
	}
	return ledger{folder: folder, plan: plan, unit: unit, funnel: NewFunnel(chains...)}, nil
}

// fail remembers the first error of the attempt and returns it.
func (l *ledger) fail(err error) error {
	if l.err == nil {
		l.err = err
	}
	return l.err
}

// Funnel returns the counts of the unit, for the caller to fill.
func (l *ledger) Funnel() *Funnel { return l.funnel }

// Rejects returns the sample of dropped records, for the caller to fill.
func (l *ledger) Rejects() *Rejects { return &l.rejects }

// commit checks the counts and samples, publishes the unit's file, if it has one, as
// finish describes it, and settles the receipt. If that fails because another attempt of
// the unit was faster and the run is already being cleaned up, the other attempt
// counts, since both have the same bytes.
func (l *ledger) commit(ctx context.Context, file *rowfile.Exclusive, finish func(*Receipt) (*Shard, error)) error {
	err := l.err
	l.fail(errSpent)
	if err == nil {
		err = rowfile.WayOut(l.publish(ctx, file, finish))
	}
	if err == nil || err == errSpent {
		return err
	}
	if errors.Is(err, ErrOtherPlan) {
		return fmt.Errorf("commit unit %d: %w", l.unit, err)
	}
	committed, checkErr := l.plan.Committed(ctx, l.folder, l.unit)
	switch {
	case errors.Is(err, ErrUnequal) && checkErr == nil && !committed:
		return fmt.Errorf("commit unit %d: %w: %w", l.unit, ErrOvertaken, err)
	case errors.Is(err, ErrUnequal):
		return fmt.Errorf("commit unit %d: %w", l.unit, err)
	case checkErr == nil && committed:
		return nil
	case l.plan.completed(ctx, l.folder) != nil: // spill files are gone by then, so that receipts do not count
		return nil
	case isAbsent(err):
		return fmt.Errorf("commit unit %d in %s: %w: %w", l.unit, l.folder, ErrOvertaken, err)
	}
	return fmt.Errorf("commit unit %d in %s: %w", l.unit, l.folder, err)
}

func (l *ledger) publish(ctx context.Context, file *rowfile.Exclusive, finish func(*Receipt) (*Shard, error)) error {
	if err := l.funnel.Check(); err != nil {
		return err
	}
	rejects := l.rejects.Sorted()
	for _, r := range rejects { // here and not at the end of the run, when they are written
		if err := r.Validate(); err != nil {
			return fmt.Errorf("the reject %q of step %s is not valid: %w", r.ID, r.Step, err)
		}
	}
	if err := l.plan.owns(ctx, l.folder); err != nil {
		return err
	}
	receipt := Receipt{Plan: l.plan.Hash, Unit: l.unit, ContentXXH3: HashString(0), Funnel: l.funnel.Whole()}
	err := l.settle(ctx, file, &receipt, rejects, finish)
	for _, f := range l.files {
		f.Abort()
	}
	if lost := l.plan.owns(ctx, l.folder); errors.Is(lost, ErrOtherPlan) {
		return errors.Join(lost, l.withdraw(ctx))
	} else if err == nil {
		return lost
	}
	return err
}

// settle publishes the files, then the receipt.
func (l *ledger) settle(ctx context.Context, file *rowfile.Exclusive, receipt *Receipt, rejects []schemas.Reject,
	finish func(*Receipt) (*Shard, error)) (err error) {
	if file != nil {
		shard, err := finish(receipt)
		if err != nil {
			return err
		}
		l.files = append(l.files, madeFile{file, shard})
	}
	if receipt.Counts, err = addRows(ctx, l, l.plan.countsName(l.unit), l.funnel.CountRows()); err != nil {
		return err
	}
	if receipt.Samples, err = addRows(ctx, l, l.plan.samplesName(l.unit), rejects); err != nil {
		return err
	}
	for _, f := range l.files {
		if err := f.Publish(ctx, f.made); err != nil {
			return err
		}
	}
	if err := l.plan.settleReceipt(ctx, l.folder, receipt); err != nil {
		return err
	}
	for _, f := range l.files {
		err := f.Stays(ctx, f.made)
		if errors.Is(err, ErrUnequal) { // no receipt may tell of another file than the one that is there
			err = errors.Join(err, l.retract(ctx, receipt))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addRows writes one of the files beside the receipt, if there are rows.
func addRows[T schemas.Row](ctx context.Context, l *ledger, name string, rows []T) (*Shard, error) {
	file, shard, err := rowfile.WriteRows(ctx, l.folder, name, rows)
	if file != nil {
		l.files = append(l.files, madeFile{file, shard})
	}
	return shard, err
}

// retract removes the receipt, unless it has become another one.
func (l *ledger) retract(ctx context.Context, receipt *Receipt) error {
	name := layout.ReceiptName(l.unit)
	info, err := l.folder.Stat(ctx, name)
	if err != nil {
		return err
	}
	var existing Receipt
	if err := sealed.Read(ctx, l.folder, name, maxReceipt, &existing); err != nil || existing.Check != receipt.Check {
		return err
	}
	return l.plan.remove(ctx, l.folder, []storage.Info{info})
}

// withdraw takes back what was written into the dataset of another plan.
func (l *ledger) withdraw(ctx context.Context) error {
	name := layout.ReceiptName(l.unit)
	var files []*rowfile.Exclusive
	for _, f := range l.files {
		files = append(files, f.Exclusive)
	}
	return l.plan.withdraw(ctx, l.folder, name, func() (string, error) {
		var r Receipt
		err := sealed.Read(ctx, l.folder, name, maxReceipt, &r)
		return r.Plan, err
	}, files...)
}

// Attempt writes the rows of one unit. It is used by one goroutine. Several
// attempts of one unit may run at once, in any process.
type Attempt[T schemas.Row] struct {
	ledger
	file  *rowfile.Exclusive // nil before the first row
	shard *rowfile.Writer[T]
	// copied is what Copy took over, in the place of rows.
	copied *copiedShard
}

// copiedShard is a shard with the sum of the hashes of its rows, as a receipt has it.
type copiedShard struct {
	Shard
	content string
}

// Begin starts an attempt of a unit, whose funnel has the given chains. The
// chains are copied, so that attempts may share them.
func Begin[T schemas.Row](folder storage.Folder, plan *Plan, unit int, chains ...Chain) (*Attempt[T], error) {
	var zero T
	if s := zero.Schema(); s.Name != plan.Schema || s.Version != plan.SchemaVersion {
		return nil, fmt.Errorf("begin unit %d: rows are %s, the plan's are %s v%d", unit, s, plan.Schema, plan.SchemaVersion)
	}
	l, err := newLedger(folder, plan, unit, chains)
	if err != nil {
		return nil, err
	}
	return &Attempt[T]{ledger: l}, nil
}

// Write adds a row to the unit's shard. Rows keep their order. Write keeps no
// reference to the row, so its slices may be used again. An invalid row is an error.
// After an error the attempt can no longer be committed.
func (a *Attempt[T]) Write(ctx context.Context, row T) error {
	if a.err != nil {
		return a.err
	}
	if a.copied != nil {
		return a.fail(fmt.Errorf("unit %d is a copy, and takes no rows", a.unit))
	}
	if a.shard == nil {
		file, err := rowfile.CreateExclusive(ctx, a.folder, ShardName(a.unit))
		if err != nil {
			return a.fail(rowfile.WayOut(err))
		}
		a.file, a.shard = file, rowfile.NewWriter[T](file)
	}
	if err := a.shard.Write(row); err != nil {
		return a.fail(fmt.Errorf("write %s in %s: %w", ShardName(a.unit), a.folder, rowfile.WayOut(err)))
	}
	return nil
}

// Copy makes the shard of the unit a copy, byte for byte, of one of another dataset, whose rows have the schema and the version of
// the plan; no rows are written besides. The hash of the rows is that of the other dataset's receipt, or if there is none, as in
// copies, the rows are read for it. A damaged shard is an error that matches ErrCorrupt.
func (a *Attempt[T]) Copy(ctx context.Context, folder storage.Folder, m *Manifest, shard Shard) error {
	switch {
	case a.err != nil:
		return a.err
	case a.file != nil:
		return a.fail(fmt.Errorf("unit %d has rows already, and copies no shard", a.unit))
	case m.Plan.Schema != a.plan.Schema || m.Plan.SchemaVersion != a.plan.SchemaVersion:
		return a.fail(fmt.Errorf("shards of %s are of another schema or version", folder))
	}
	content, err := m.contentOf(ctx, folder, shard)
	if err == nil {
		a.copied = &copiedShard{Shard{Name: ShardName(a.unit), Rows: shard.Rows, Bytes: shard.Bytes, XXH3: shard.XXH3}, content}
		if a.file, err = rowfile.CreateExclusive(ctx, a.folder, a.copied.Name); err == nil {
			err = rowfile.Copy(ctx, a.file, folder, shard)
		}
	}
	if err != nil {
		return a.fail(fmt.Errorf("copy %s of %s: %w", shard.Name, folder, rowfile.WayOut(err)))
	}
	return nil
}

// Adopt makes the output of the unit that of a unit of another dataset: the shard, which is copied byte for byte, the counts
// and the samples of rejects, of which the funnel of this unit must have the chains. The attempt counts and writes nothing
// besides. A unit without a receipt, as in copies of datasets, is an error that matches fs.ErrNotExist, a damaged one
// ErrCorrupt.
func (a *Attempt[T]) Adopt(ctx context.Context, folder storage.Folder, m *Manifest, unit int) error {
	if a.err != nil {
		return a.err
	}
	receipt, err := m.Plan.LoadReceipt(ctx, folder, unit)
	if err == nil && receipt.Counts != nil {
		err = a.funnel.Read(ctx, folder, *receipt.Counts)
	}
	if err == nil && receipt.Samples != nil {
		var samples []schemas.Reject
		samples, err = funnel.MergeRejects(ctx, folder, []Shard{*receipt.Samples})
		for _, r := range samples {
			a.rejects.Add(r)
		}
	}
	if err != nil {
		return a.fail(fmt.Errorf("take over unit %d of %s: %w", unit, folder, rowfile.WayOut(err)))
	}
	if receipt.Shard == nil {
		return nil
	}
	return a.Copy(ctx, folder, m, *receipt.Shard)
}

// contentOf is the sum of the hashes of the rows of a shard.
func (m *Manifest) contentOf(ctx context.Context, folder storage.Folder, shard Shard) (string, error) {
	if unit, ok := layout.UnitOfShard(shard.Name); ok {
		if r, err := m.Plan.LoadReceipt(ctx, folder, unit); err == nil && sameFile(r.Shard, &shard) {
			return r.ContentXXH3, nil
		}
	}
	content, err := verifyShard(ctx, folder, shard)
	return HashString(content), err
}

// Commit publishes the shard, then the receipt. An attempt is committed once.
func (a *Attempt[T]) Commit(ctx context.Context) error {
	defer a.Abort()
	return a.commit(ctx, a.file, func(receipt *Receipt) (*Shard, error) {
		if a.copied != nil {
			receipt.ContentXXH3, receipt.Shard = a.copied.content, &a.copied.Shard
			return receipt.Shard, nil
		}
		err := a.shard.Close()
		receipt.ContentXXH3 = HashString(a.shard.Content)
		receipt.Shard = a.shard.Describe(ShardName(a.unit))
		return receipt.Shard, err
	})
}

// Abort drops what was written. After Commit it does nothing.
func (a *Attempt[T]) Abort() {
	a.fail(errSpent)
	if a.file != nil {
		a.file.Abort()
	}
}
