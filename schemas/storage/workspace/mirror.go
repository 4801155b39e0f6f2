package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sentweave/schemas/storage"
)

// mirror repeats in a bucket what lasts of a workspace.
type mirror struct {
	// remote is the folder that holds both folders of the workspace, root the same of the scratch folder; first and
	// second are their names in it.
	remote        storage.Folder
	root          string
	first, second string
	last          string
	lost          error
	// ctx is that of changes. It does not end with the work, which ends an interrupt with a last change.
	ctx    context.Context
	before func(storage.Step, string) error
	// owned is the version of OwnerName by which the workspace is this process's.
	owned string
}

func newMirror(ctx context.Context, location, scratch string, c Config, hook func(storage.Step, string) error) (*mirror, error) {
	if _, err := storage.Locate(location); err != nil {
		return nil, err
	}
	parent, name, err := storage.Split(strings.TrimSuffix(location, "/"))
	if err != nil {
		return nil, errors.New("it is a whole bucket; name a folder in it, beside which there is room for another")
	}
	remote, err := storage.Locate(parent)
	return &mirror{
		remote: remote, root: filepath.Dir(scratch), first: name, second: name + c.Suffix, last: c.Last, lost: c.Lost,
		ctx: context.WithoutCancel(ctx), before: hook,
	}, err
}

func (m *mirror) name(local string) string {
	name, _ := filepath.Rel(m.root, local) // both are below the root
	return filepath.ToSlash(name)
}

func (m *mirror) local(name string) string { return filepath.Join(m.root, filepath.FromSlash(name)) }

// owner is the name of what says who is at work.
func (m *mirror) owner() string { return path.Join(m.second, OwnerName) }

// temporary says whether a path is of files that do not last.
func (m *mirror) temporary(local string) bool {
	_, rest, _ := strings.Cut(m.name(local), "/")
	return strings.HasPrefix(rest+"/", storage.TemporaryFolder+"/") || strings.HasPrefix(rest+"/", earlierTemporary+"/")
}

// put repeats that a file, or a folder of files, has come or changed.
func (m *mirror) put(local string) error {
	if m == nil || m.temporary(local) {
		return nil
	}
	var paths []string
	err := filepath.WalkDir(local, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(paths, func(a, b string) int { return m.isLast(filepath.Base(a)) - m.isLast(filepath.Base(b)) })
	for _, path := range paths {
		if err := m.upload(path); err != nil {
			return err
		}
	}
	return nil
}

// isLast is 1 for what goes last.
func (m *mirror) isLast(name string) int {
	if name == m.last {
		return 1
	}
	return 0
}

func (m *mirror) upload(local string) error {
	name := m.name(local)
	if err := m.before(StepUpload, name); err != nil {
		return err
	}
	condition := storage.IfAbsent
	info, err := m.remote.Stat(m.ctx, name)
	switch {
	case err == nil:
		condition = storage.IfVersion(info.Version)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := m.check(); err != nil { // after the look: a new owner's object has another version
		return err
	}
	err = storage.Upload(m.ctx, local, m.remote, name, condition)
	if errors.Is(err, fs.ErrExist) {
		return m.lost
	}
	return err
}

// remove repeats that a file or folder is gone.
func (m *mirror) remove(local string) error {
	if m == nil || m.temporary(local) {
		return nil
	}
	name := m.name(local)
	var names []string
	for info, err := range m.remote.List(m.ctx, name) {
		if err != nil {
			return err
		}
		if info.Name == name || strings.HasPrefix(info.Name, name+"/") {
			names = append(names, info.Name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return m.isLast(path.Base(b)) - m.isLast(path.Base(a)) })
	for _, name := range names {
		if err := m.before(StepDelete, name); err != nil {
			return err
		}
		if err := m.check(); err != nil {
			return err
		}
		if err := m.remote.Remove(m.ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// names lists what the bucket holds in a folder, without what says who is at work.
func (m *mirror) names(ctx context.Context, local string) ([]string, error) {
	prefix := m.name(local) + "/"
	var names []string
	for info, err := range m.remote.List(ctx, prefix) {
		if err != nil {
			return nil, err
		}
		name, _, _ := strings.Cut(info.Name[len(prefix):], "/")
		if info.Name != m.owner() && (len(names) == 0 || names[len(names)-1] != name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// Sizes lists the bytes of what the bucket holds, by the paths that it stands for here. A location on the disk has none.
func (w *Workspace) Sizes(ctx context.Context) (map[string]int64, error) {
	m := w.mirror
	sizes := map[string]int64{}
	if m == nil {
		return sizes, nil
	}
	for _, folder := range []string{m.first, m.second} {
		for info, err := range m.remote.List(ctx, folder+"/") {
			if err != nil {
				return nil, err
			}
			sizes[m.local(info.Name)] = info.Size
		}
	}
	return sizes, nil
}

// Fetch makes a file a copy of what the bucket holds of another path.
func (w *Workspace) Fetch(ctx context.Context, source, path string) error {
	return storage.Download(ctx, w.mirror.remote, w.mirror.name(source), path)
}

// Pull brings the folders to what the bucket holds: the files that are wanted come, those of other names or sizes go,
// and others stay, whose content the caller compares before it uses them. There are all folders that the bucket
// has. For a location on the disk Pull does nothing.
func (w *Workspace) Pull(ctx context.Context, want func(path string) bool) error {
	m := w.mirror
	if m == nil {
		return nil
	}
	sizes, err := w.Sizes(ctx)
	if err != nil {
		return err
	}
	for _, folder := range []string{m.first, m.second} {
		if err := m.clear(m.local(folder), sizes, want); err != nil {
			return err
		}
	}
	for path := range sizes {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if want(path) {
			if err := w.Fetch(ctx, path, path); err != nil {
				return err
			}
		}
	}
	return nil
}

// clear removes what the bucket does not hold from a folder, and folders that are empty then.
func (m *mirror) clear(folder string, sizes map[string]int64, want func(path string) bool) error {
	entries, err := readFolder(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if e.IsDir() {
			if err := m.clear(path, sizes, want); err != nil {
				return err
			}
			_ = os.Remove(path) // if it is empty
			continue
		}
		info, err := e.Info()
		size, exists := sizes[path]
		kept := err == nil && exists && size == info.Size() && !want(path)
		if kept || m.name(path) == m.second+"/"+LockName {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}
