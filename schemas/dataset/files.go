package dataset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/rowfile"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
)

// files lists the shards, the file of sampled rejects and that of counts.
func (m *Manifest) files() []Shard {
	files := m.Shards[:len(m.Shards):len(m.Shards)]
	for _, f := range []*Shard{m.Rejects, m.Counts} {
		if f != nil {
			files = append(files, *f)
		}
	}
	return files
}

func (m *Manifest) lists(name string) bool {
	return slices.ContainsFunc(m.files(), func(f Shard) bool { return f.Name == name })
}

// IsPart says whether a file of that name is in one of the folders that hold rows, rejects and counts.
func IsPart(name string) bool {
	return slices.ContainsFunc(partFolders, func(folder string) bool { return strings.HasPrefix(name, folder) })
}

var partFolders = []string{layout.DataFolder, layout.RejectsFolder, layout.FunnelFolder}

// CheckSizes checks by listing alone that all files of the manifest exist with the
// right size. It does not notice a file that was changed in place. The error matches
// ErrCorrupt and names the first file.
func (m *Manifest) CheckSizes(ctx context.Context, folder storage.Folder) error {
	sizes := map[string]int64{}
	for _, prefix := range partFolders {
		for info, err := range folder.List(ctx, prefix) {
			if err != nil {
				return fmt.Errorf("list %s: %w", folder, err)
			}
			sizes[info.Name] = info.Size
		}
	}
	var faults fault.List
	for _, f := range m.files() {
		switch size, ok := sizes[f.Name]; {
		case !ok:
			faults.Addf("%s in %s: %w: it is missing", f.Name, folder, ErrCorrupt)
		case size != f.Bytes:
			faults.Addf("%s in %s: %w: it has %d bytes, the manifest says %d", f.Name, folder, ErrCorrupt, size, f.Bytes)
		}
	}
	return firstOf(faults, folder)
}

// CheckHashes reads all files that the manifest names and compares their sizes
// and hashes, several at a time. The error matches ErrCorrupt and names the first
// damaged file. Verify recounts the rows, too, and names every fault.
func (m *Manifest) CheckHashes(ctx context.Context, folder storage.Folder) error {
	return checkHashes(ctx, folder, m.files(), "manifest")
}

func checkHashes(ctx context.Context, folder storage.Folder, files []Shard, record string) error {
	faults := make([]error, len(files))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(rowfile.AtOnce)
	for i, f := range files {
		group.Go(func() error {
			if err := groupCtx.Err(); err != nil {
				return err
			}
			object, err := folder.Open(ctx, f.Name)
			if isAbsent(err) {
				faults[i] = fmt.Errorf("%s in %s: %w: it is missing", f.Name, folder, ErrCorrupt)
				return nil
			}
			if err != nil {
				return err
			}
			defer object.Close()
			if err := rowfile.Check(object, f, record); err != nil {
				faults[i] = fmt.Errorf("%s in %s: %w", f.Name, folder, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	n := 0
	for _, err := range faults {
		if err != nil {
			faults[n] = err
			n++
		}
	}
	return firstOf(faults[:n], folder)
}

// firstOf names one of many faults, since a folder that was emptied has thousands.
func firstOf(faults []error, folder storage.Folder) error {
	switch len(faults) {
	case 0:
		return nil
	case 1:
		return faults[0]
	default:
		return fmt.Errorf("%w (and %d more files; `sentweave verify %s` names all faults)", faults[0], len(faults)-1, folder)
	}
}
