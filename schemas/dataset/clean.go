package dataset

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"golang.org/x/sync/errgroup"

	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/dataset/sealed"
	"sentweave/schemas/storage"
)

// clean removes from a complete dataset what is not of it: unpublished files, spills and
// journals; and what late attempts of a plan that was overwritten have left, which other
// programs would read as rows. It comes after the manifest: see settle.go.
func (p *Plan) clean(ctx context.Context, folder storage.Folder, m *Manifest) error {
	// Whoever wrote the manifest may have been killed before it synced.
	// Whoever overwrites has taken it away: remove finds another plan then.
	if err := storage.Sync(folder, ManifestName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return rowfile.WayOut(err)
	}
	names := map[string]bool{}
	for _, f := range m.files() {
		names[f.Name] = true
	}
	for i := 0; p.SpillsKept != nil && i < p.SpillsKept.Count; i++ {
		names[SpillName(p.SpillsKept.First+i)] = true
	}
	useless, err := listAll(ctx, folder, func(name string) bool {
		if unit, ok := layout.UnitOf(name); ok {
			return unit >= p.Units
		}
		return !names[name] && !strings.HasPrefix(name, layout.ReceiptFolder) && !p.hasCompanion(name) && layout.IsMade(name)
	}, storage.TemporaryFolder+"/", layout.SpillFolder, layout.JournalFolder, layout.DataFolder, layout.RejectsFolder, layout.FunnelFolder,
		layout.ReceiptFolder, layout.CountsFolder, layout.SamplesFolder)
	if err == nil {
		err = p.remove(ctx, folder, useless)
	}
	// What somebody else removed and did not sync comes back with a power cut.
	for _, prefix := range []string{layout.DataFolder, layout.RejectsFolder, layout.FunnelFolder, layout.SpillFolder, layout.ReceiptFolder,
		layout.CountsFolder, layout.SamplesFolder} {
		if err == nil {
			err = storage.SyncNames(folder, prefix)
		}
	}
	return err
}

// removeForeignReceipts removes the receipts of other plans.
func (p *Plan) removeForeignReceipts(ctx context.Context, folder storage.Folder) error {
	receipts, err := listAll(ctx, folder, func(string) bool { return true }, layout.ReceiptFolder)
	if err != nil {
		return err
	}
	foreign := make([]bool, len(receipts))
	var group errgroup.Group
	group.SetLimit(rowfile.AtOnce)
	for i, info := range receipts {
		group.Go(func() error {
			var r Receipt
			foreign[i] = sealed.Read(ctx, folder, info.Name, maxReceipt, &r) == nil && r.Plan != p.Hash
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	useless := receipts[:0]
	for i, info := range receipts {
		if foreign[i] {
			useless = append(useless, info)
		}
	}
	return p.remove(ctx, folder, useless)
}

// remove removes objects whose versions were looked at, if the folder still holds the plan.
func (p *Plan) remove(ctx context.Context, folder storage.Folder, objects []storage.Info) error {
	if len(objects) == 0 {
		return nil
	}
	if err := p.owns(ctx, folder); err != nil {
		return err
	}
	return storage.RemoveVersions(ctx, folder, objects)
}

// listAll lists the objects below some prefixes whose names accept takes.
func listAll(ctx context.Context, folder storage.Folder, accept func(name string) bool,
	prefixes ...string) (objects []storage.Info, err error) {
	for _, prefix := range prefixes {
		for info, err := range folder.List(ctx, prefix) {
			if err != nil {
				return nil, err
			}
			if accept(info.Name) {
				objects = append(objects, info)
			}
		}
	}
	return objects, nil
}
