package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/dataset/sealed"
	"sentweave/schemas/storage"
)

// Who writes what, where many attempts, launchers and finalizers run at once, some
// of them long given up by whoever started them:
//
//   - A plan is created by one launcher: IfAbsent. All others find it, and go on with
//     it if it is theirs.
//   - Receipts and the manifest are settled (storage.Settle): written where nothing
//     stands; equal bytes that are there are success; what is damaged or of another
//     plan is replaced, provided that it is still what was read; anything else is
//     ErrUnequal.
//   - Shards, spill files, files beside receipts and rejects are exclusive files (rowfile.Exclusive).
//   - Whoever replaces or removes anything looks first at its version, then checks that the
//     folder still holds their plan (Plan.owns), and then acts on that version alone.
//   - An --overwrite first takes the plan away, then removes the versions of all that
//     is there, and only then sets its own plan: see condemn.
//
// This is safe without any order among attempts of one plan, since every attempt of a
// unit gives the same bytes: whichever file is there is the right one for every
// receipt of that unit, and an attempt that comes late, even after the manifest, finds
// its own bytes and changes nothing, not even the generation that a reader may hold open.
// Where attempts do differ, because a method is not a function of its input or
// because two builds of the program are at work, the second one fails.
//
// And it is safe with several plans. What an attempt or finalizer of a plan that was
// taken away has looked at is gone, so that it replaces and removes nothing. All that it
// can do is write a file where none stands. It looks for its plan once more afterwards,
// and withdraws what it wrote. The names of files beside receipts hold the hash of the
// plan; any other file it withdraws only from a complete dataset, since
// attempts of the new plan may have taken the same bytes for theirs; and who completes a
// dataset removes what is not of it once the manifest is there (Plan.clean). So one
// of the two sees the other. What remains is a writer that is killed between the two
// steps: Verify names its file, and whatever cleans next removes it.

// owns returns an error unless the folder still holds this plan: one that matches
// ErrOtherPlan if it does not. An attempt that outlives an --overwrite of its dataset
// must not write into the next one.
func (p *Plan) owns(ctx context.Context, folder storage.Folder) error {
	data, err := storage.ReadFile(ctx, folder, layout.PlanName, maxPlan)
	if err == nil && bytes.HasSuffix(data, []byte(p.Hash+sealed.End)) {
		return nil // every unit asks
	}
	var present *Plan
	if err == nil {
		present, err = parsePlan(data, folder)
	}
	switch {
	case isAbsent(err), errors.Is(err, errDeleted):
		return fmt.Errorf("%w: %s has no plan any more: its dataset was deleted while it was being made", ErrOtherPlan, folder)
	case err != nil:
		return err
	case present.Hash != p.Hash:
		return fmt.Errorf("%w: %s holds plan %s, not %s: its dataset was overwritten while it was being made", ErrOtherPlan, folder,
			present.Hash, p.Hash)
	}
	return nil
}

// withdraw takes back what was written into the dataset of another plan: a record,
// whose plan is read, and files, of which the versions are known.
func (p *Plan) withdraw(ctx context.Context, folder storage.Folder, record string, planOf func() (string, error),
	files ...*rowfile.Exclusive) error {
	ctx = context.WithoutCancel(ctx) // an interrupt must not leave it
	var mine []storage.Info
	if info, err := folder.Stat(ctx, record); err == nil {
		if plan, err := planOf(); err == nil && plan == p.Hash {
			mine = append(mine, info)
		}
	}
	for _, f := range files {
		if f != nil && f.Stands != "" && layout.IsCompanion(f.Name) {
			mine = append(mine, storage.Info{Name: f.Name, Version: f.Stands})
		}
	}
	if present, err := LoadPlan(ctx, folder); err == nil {
		if m := present.completed(ctx, folder); m != nil {
			for _, f := range files {
				if f != nil && f.Stands != "" && !layout.IsCompanion(f.Name) && !m.lists(f.Name) {
					mine = append(mine, storage.Info{Name: f.Name, Version: f.Stands})
				}
			}
		}
	}
	if err := p.owns(ctx, folder); !errors.Is(err, ErrOtherPlan) { // after the versions were looked at
		return err
	}
	return storage.RemoveVersions(ctx, folder, mine)
}

// settle publishes a receipt or a manifest. Fault returns why a file that is there may not be replaced; a file that
// may be is replaced if the folder holds the plan.
func (p *Plan) settle(ctx context.Context, folder storage.Folder, name string, record sealed.Record,
	fault func(present []byte) error) error {
	data, err := sealed.Seal(record)
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	limit := int64(maxReceipt)
	if name == ManifestName {
		limit = maxManifest
	}
	return storage.Settle(ctx, folder, storage.File{Name: name, Data: data}, limit, func(present []byte) error {
		if err := fault(present); err != nil {
			return err
		}
		return p.owns(ctx, folder)
	})
}

func (p *Plan) settleReceipt(ctx context.Context, folder storage.Folder, r *Receipt) error {
	name := layout.ReceiptName(r.Unit)
	return p.settle(ctx, folder, name, r, func(present []byte) error {
		var existing Receipt
		if sealed.Unseal(present, &existing) != nil || existing.belongs(p, r.Unit) != nil {
			return nil
		}
		return fmt.Errorf("%s in %s: %w: it records %d rows with content %s, but this attempt made %d rows with content %s; delete that file, and run the same command again with one build of the program",
			name, folder, ErrUnequal, existing.rows(), existing.ContentXXH3, r.rows(), r.ContentXXH3)
	})
}

func (p *Plan) settleManifest(ctx context.Context, folder storage.Folder, m *Manifest) error {
	return p.settle(ctx, folder, ManifestName, m, func(present []byte) error {
		var existing Manifest
		if sealed.Unseal(present, &existing) != nil || existing.Plan.Hash != p.Hash {
			return nil
		}
		return fmt.Errorf("%s in %s: %w: it records %d rows with content %s, but the receipts have %d rows with content %s; delete the manifest, and run `sentweave finalize %s`",
			ManifestName, folder, ErrUnequal, existing.Rows, existing.ContentXXH3, m.Rows, m.ContentXXH3, folder)
	})
}
