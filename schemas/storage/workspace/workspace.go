// Package workspace works in local folders that stand for a location of any backend. It is for programs that write
// and read paths of files, as libtorch does.
//
// # Guarantees
//
// A file, or a folder of files, appears under its name whole or not at all, and lasts when the function that publishes
// it returns: what is written is durable before it has its name, as storage.Local does it. For a location in a bucket
// the folders lie in a scratch folder of the cache, and each lasting change is repeated in the bucket, in the same
// order. Of files that belong together, the one that says that they are whole goes last, and comes away first.
//
// The bucket decides: Pull brings the local folders to what it holds. A workspace that another process has taken over
// changes nothing any more: it looks before each change, and writes each object over the version alone that was there
// then.
package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/cache"
	"sentweave/schemas/storage/filelock"
)

// Config says how a workspace is laid out.
type Config struct {
	// Suffix makes the name of the location the one of a second folder beside it, for what the work needs and its
	// result does not. The lock is there, and in a bucket the name of the process at work.
	Suffix string
	// Last is the name of files that say, in any folder, that the files beside them are whole.
	Last string
	// Lost is the error of a change after another process has taken over what lies in a bucket.
	Lost error
	// Intercept is called before each change, as that of storage.Local.Intercepted, and before changes of the bucket.
	// Names are relative to the folder in which the two folders stand. Tests stop there. It may be nil.
	Intercept func(step storage.Step, name string) error
	// Unsynced does not wait for the disk.
	Unsynced bool
}

// Changes of the bucket, for interception by tests.
const (
	StepUpload  storage.Step = "upload"
	StepDelete  storage.Step = "delete"
	StepRelease storage.Step = "release"
)

// LockName is the name of the lock in the second folder.
const LockName = "lock"

// runFolder holds storage.TemporaryFolder.
var runFolder, temporaryName = path.Split(storage.TemporaryFolder)

// earlierTemporary held unpublished files before storage.TemporaryFolder did.
const earlierTemporary = "_tmp"

// Workspace is a local folder, and another one beside it. Paths are local and lie in one of the two. One goroutine
// uses it.
type Workspace struct {
	config  Config
	root    string
	folders map[string]*storage.Local // by their paths
	scratch *cache.Folder
	mirror  *mirror // nil for a location on the disk
}

// Open returns the workspace of a location, with what an earlier process has left there. It changes nothing but the
// scratch folder of a location in a bucket, which is for one process on a machine at a time. It must be closed.
func Open(ctx context.Context, location string, c Config) (*Workspace, error) {
	scratch, err := cache.Scratch(location)
	if err != nil {
		return nil, err
	}
	root := filepath.Clean(scratch.Path)
	if name := filepath.Base(root); name == "." || name == ".." { // which no other folder is beside
		if root, err = filepath.Abs(root); err != nil {
			return nil, err
		}
	}
	w := &Workspace{config: c, root: root, folders: map[string]*storage.Local{}, scratch: scratch}
	for _, folder := range []string{root, root + c.Suffix} {
		local := storage.NewLocal(folder)
		if c.Unsynced || storage.IsRemote(location) { // what lasts is elsewhere
			local = local.Unsynced()
		}
		w.folders[folder] = local.Intercepted(func(step storage.Step, name string) error {
			return w.before(step, path.Join(filepath.Base(folder), name))
		})
	}
	if storage.IsRemote(location) {
		if w.mirror, err = newMirror(ctx, location, root, c, w.before); err != nil {
			return nil, errors.Join(fmt.Errorf("open %s: %w", location, err), scratch.Close())
		}
	}
	return w, nil
}

// Close ends the work. Complete says that the scratch folder of a location in a bucket is not needed any more.
func (w *Workspace) Close(complete bool) error {
	if w.mirror == nil {
		return w.scratch.Close()
	}
	err := w.mirror.release()
	if complete {
		return errors.Join(err, w.scratch.Remove())
	}
	return errors.Join(err, w.scratch.Close())
}

func (w *Workspace) before(step storage.Step, name string) error {
	if w.config.Intercept == nil {
		return nil
	}
	return w.config.Intercept(step, name)
}

// Remote says whether the location is in a bucket.
func (w *Workspace) Remote() bool { return w.mirror != nil }

// Root is the local folder that stands for the location.
func (w *Workspace) Root() string { return w.root }

// Path is that of a name in the folder that stands for the location.
func (w *Workspace) Path(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }

// SecondPath is that of a name in the second folder.
func (w *Workspace) SecondPath(name string) string {
	return filepath.Join(w.root+w.config.Suffix, filepath.FromSlash(name))
}

// Shown is the location that a path stands for, for messages.
func (w *Workspace) Shown(path string) string {
	if w.mirror == nil || path == "" {
		return path
	}
	return storage.Join(w.mirror.remote.String(), w.mirror.name(path))
}

// place returns the folder of a path, and its name there.
func (w *Workspace) place(path string) (*storage.Local, string) {
	folder := w.root
	if name, err := filepath.Rel(folder, path); err != nil || !filepath.IsLocal(name) {
		folder += w.config.Suffix
	}
	name, _ := filepath.Rel(folder, path) // both are absolute, or neither
	return w.folders[folder], filepath.ToSlash(name)
}

// Temporary returns a path that nobody has, from which Publish can move a file or folder to another path.
func (w *Workspace) Temporary(path string) (string, error) {
	folder, name := w.place(path)
	return folder.Temporary(name)
}

// Publish moves a file or folder from a path of Temporary to another one, where no files may be.
func (w *Workspace) Publish(temporary, path string) error {
	folder, name := w.place(path)
	if err := folder.Publish(temporary, name); err != nil {
		return err
	}
	return w.mirror.put(path)
}

// Write makes a file of what a reader gives, in the place of one that is there.
func (w *Workspace) Write(ctx context.Context, path string, source io.Reader) error {
	folder, name := w.place(path)
	file, err := folder.Create(ctx, name, storage.Replace)
	if err != nil {
		return err
	}
	defer file.Abort()
	if _, err := io.Copy(file, source); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := file.Commit(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return w.mirror.put(path)
}

// Copy makes a file a copy of another one, in the place of one that is there.
func (w *Workspace) Copy(ctx context.Context, from, to string) error {
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer file.Close()
	return w.Write(ctx, to, file)
}

// MakeFolder makes a folder and those above.
func (w *Workspace) MakeFolder(path string) error {
	folder, name := w.place(path)
	return folder.MakeFolder(name)
}

// RemoveAll deletes a file, or a folder with all that is in it.
func (w *Workspace) RemoveAll(path string) error {
	folder, name := w.place(path)
	if err := folder.RemoveTree(name); err != nil {
		return err
	}
	return w.mirror.remove(path)
}

// Sweep removes the temporary files that killed processes have left in both folders.
func (w *Workspace) Sweep() error {
	for _, root := range []string{w.root, w.root + w.config.Suffix} {
		folder := w.folders[root]
		for _, name := range []string{storage.TemporaryFolder, earlierTemporary} {
			if err := folder.RemoveTree(name); err != nil {
				return err
			}
		}
		_ = os.Remove(filepath.Join(root, runFolder)) // if it is empty
	}
	return nil
}

// Names lists what is in one of the two folders, where the location is, but for what a process leaves that is killed
// before it has made anything: temporary files, the lock, and what says who is at work.
func (w *Workspace) Names(ctx context.Context, folder string) (names []string, err error) {
	if w.mirror != nil {
		return w.mirror.names(ctx, folder)
	}
	entries, err := readFolder(folder)
	for _, e := range entries {
		if name := e.Name(); name != earlierTemporary && !(name == LockName && folder != w.root) && !swept(folder, name) {
			names = append(names, name)
		}
	}
	return names, err
}

// swept says whether an entry of a folder holds temporary files alone.
func swept(folder, name string) bool {
	if name != path.Clean(runFolder) {
		return false
	}
	entries, err := os.ReadDir(filepath.Join(folder, name))
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != temporaryName })
}

// readFolder is os.ReadDir of a folder that need not be there.
func readFolder(path string) ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}

// Lock keeps a second process of this machine out as long as this one lives. Locked is false where the file system has
// no locks. A lock that another process has is filelock.ErrBusy.
func (w *Workspace) Lock() (unlock func(), locked bool, err error) {
	file, err := os.OpenFile(w.SecondPath(LockName), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, false, err
	}
	if locked, err = filelock.Lock(file, filelock.Exclusive, false); err != nil {
		_ = file.Close() // the first error tells
		return nil, false, err
	}
	return func() { _ = file.Close() }, locked, nil // which unlocks it
}

// Log is a file that grows.
type Log struct {
	*storage.Appender
	mirror *mirror
}

// Append opens a file to write at its end, and makes it if there is none.
func (w *Workspace) Append(path string) (*Log, error) {
	folder, name := w.place(path)
	appender, err := folder.Append(name)
	return &Log{appender, w.mirror}, err
}

// Settle makes what was written last: on the disk, if sync is set, and in a bucket.
func (l *Log) Settle(sync bool) error {
	if sync {
		if err := l.Sync(); err != nil {
			return err
		}
	}
	return l.mirror.put(l.Path())
}
