package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"sentweave/schemas/storage"
)

// Who writes what, where many attempts, launchers and finalizers run at once, some
// of them long given up by whoever started them:
//
//   - A plan is created by one launcher: IfAbsent. All others find it, and go on with
//     it if it is theirs.
//   - Receipts and the manifest are settled (storage.Settle): written where nothing
//     stands; equal bytes that stand there are success; what is damaged or of another
//     plan is replaced, provided that it is still what was read; anything else is
//     ErrUnequal.
//   - Shards, spill files and rejects are exclusive files, as below.
//   - Nobody writes into a folder whose plan is no longer his: see Plan.owns.
//
// This is safe without any order among attempts, since every attempt of a unit gives
// the same bytes: whichever file stands there is the right one for every receipt of
// that unit, and an attempt that comes late, even after the manifest, finds its own
// bytes and changes nothing, not even the generation that a reader may hold open.
// Where attempts do differ, because a method is not a function of its input or
// because two builds of the program are at work, the second one fails.

// exclusive is a file that appears where nothing stood when it was begun, or in the
// place of what stood there then, which an attempt has left that did not come to its
// receipt.
type exclusive struct {
	storage.Writer
	folder storage.Folder
	name   string
	// before says that something stood there.
	before bool
}

func createExclusive(ctx context.Context, folder storage.Folder, name string) (*exclusive, error) {
	f := &exclusive{folder: folder, name: name}
	condition := storage.IfAbsent
	info, err := folder.Stat(ctx, name)
	switch {
	case err == nil:
		f.before, condition = true, storage.IfVersion(info.Version)
	case !isAbsent(err):
		return nil, err
	}
	f.Writer, err = folder.Create(ctx, name, condition)
	return f, err
}

// publish commits the file. If one with the same bytes stands there already, that one
// stays; another one that came meanwhile is an error that matches ErrUnequal, and one
// that went, as spill files do once all is done, one that matches fs.ErrNotExist.
func (f *exclusive) publish(ctx context.Context, made *Shard) error {
	if f.before {
		if same, err := f.stands(ctx, made); same || err != nil && !isAbsent(err) {
			return err
		}
	}
	err := f.Commit()
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	same, err := f.stands(ctx, made)
	if isAbsent(err) {
		return fmt.Errorf("%s in %s was removed while this attempt ran: run the same command again: %w", f.name, f.folder, err)
	}
	if err == nil && !same {
		err = fmt.Errorf("%s in %s: %w: another attempt wrote other bytes while this one ran; run the same command again, and with one build of the program at a time", f.name, f.folder, ErrUnequal)
	}
	return err
}

// stands says whether the file that is there has the bytes of this one.
func (f *exclusive) stands(ctx context.Context, made *Shard) (bool, error) {
	object, err := f.folder.Open(ctx, f.name)
	if err != nil {
		return false, err
	}
	defer object.Close()
	switch err := checkShard(object, *made, "attempt"); {
	case errors.Is(err, ErrCorrupt):
		return false, nil
	case err != nil:
		return false, err
	}
	return true, storage.Sync(f.folder, f.name)
}

// owns returns an error unless the folder still holds this plan. An attempt that
// outlives an --overwrite of its dataset must not write into the next one. The look
// and the write are two steps; what comes between them is caught by receipts, which
// name their plan.
func (p *Plan) owns(ctx context.Context, folder storage.Folder) error {
	present, err := LoadPlan(ctx, folder)
	switch {
	case isAbsent(err):
		return fmt.Errorf("%w: %s has no plan any more: its dataset was deleted while it was being made", ErrOtherPlan, folder)
	case err != nil:
		return err
	case present.Hash != p.Hash:
		return fmt.Errorf("%w: %s holds plan %s, not %s: its dataset was overwritten while it was being made", ErrOtherPlan, folder, present.Hash, p.Hash)
	}
	return nil
}

// settle publishes a sealed record. Same tells whether a whole record that stands
// there is one of the same plan, and returns why it may not be replaced.
func settle[R any](ctx context.Context, folder storage.Folder, name string, limit int64, record *R, check func(*R) *string, fault func(there *R) error) error {
	data, err := seal(record, check(record))
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	return storage.Settle(ctx, folder, name, data, limit, func(present []byte) error {
		var there R
		if unseal(present, &there, check(&there)) != nil {
			return nil // damaged
		}
		return fault(&there)
	})
}

func (p *Plan) settleReceipt(ctx context.Context, folder storage.Folder, r *Receipt) error {
	name := receiptName(r.Unit)
	return settle(ctx, folder, name, maxReceipt, r, func(r *Receipt) *string { return &r.Check }, func(there *Receipt) error {
		if there.belongs(p, r.Unit) != nil {
			return nil
		}
		return fmt.Errorf("%s in %s: %w: it tells of %d rows with content %s, this attempt made %d with content %s; delete that file, and run the same command again with one build of the program",
			name, folder, ErrUnequal, there.Rows(), there.ContentXXH3, r.Rows(), r.ContentXXH3)
	})
}

func (p *Plan) settleManifest(ctx context.Context, folder storage.Folder, m *Manifest) error {
	return settle(ctx, folder, ManifestName, maxManifest, m, func(m *Manifest) *string { return &m.Check }, func(there *Manifest) error {
		if there.Plan.Hash != p.Hash {
			return nil
		}
		return fmt.Errorf("%s in %s: %w: it tells of %d rows with content %s, the receipts of %d with content %s; delete the manifest, and run `sentweave finalize %s`",
			ManifestName, folder, ErrUnequal, there.Rows, there.ContentXXH3, m.Rows, m.ContentXXH3, folder)
	})
}
