package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Step names one operation on the disk, for interception by tests.
type Step string

// The steps of a write, in their order, and the removal of an object.
const (
	StepCreate Step = "create"
	StepWrite  Step = "write"
	StepSync   Step = "sync"
	StepRename Step = "rename"
	StepFolder Step = "folder" // the sync of the folder that holds the new name
	StepRemove Step = "remove"
)

// TemporaryFolder holds unpublished objects, relative to the folder that they
// will appear in. What a killed process leaves there is garbage.
const TemporaryFolder = "_run/tmp"

// Local is a Folder on a local disk. Temporary files stand in TemporaryFolder;
// Commit syncs the file, renames it and syncs its folder.
type Local struct {
	root      string
	intercept func(Step, string) error
}

// NewLocal returns the folder at the path root. It is made on the first write.
func NewLocal(root string) *Local { return &Local{root: filepath.Clean(root)} }

// Intercepted returns the folder with a function that is called before every
// step that changes the disk, with the name of the object, and whose error the
// step then returns without taking effect; a write first writes half its bytes.
// Tests use it to stop at each step.
func (l *Local) Intercepted(f func(Step, string) error) *Local {
	return &Local{root: l.root, intercept: f}
}

// String implements Folder.
func (l *Local) String() string { return l.root }

func (l *Local) path(name string) string { return filepath.Join(l.root, filepath.FromSlash(name)) }

func (l *Local) before(step Step, name string) error {
	if l.intercept == nil {
		return nil
	}
	return l.intercept(step, name)
}

// Stat implements Folder.
func (l *Local) Stat(_ context.Context, name string) (Info, error) {
	if err := CheckName(name); err != nil {
		return Info{}, err
	}
	info, err := os.Stat(l.path(name))
	if err != nil {
		return Info{}, err
	}
	if info.IsDir() {
		return Info{}, &fs.PathError{Op: "stat", Path: l.path(name), Err: syscall.EISDIR}
	}
	if !info.Mode().IsRegular() {
		return Info{}, &fs.PathError{Op: "stat", Path: l.path(name), Err: errors.New("not a regular file")}
	}
	return Info{Name: name, Size: info.Size(), Version: version(info)}, nil
}

// version names a state of a file: every write here makes a new file, and one of
// another program a new time.
func version(info fs.FileInfo) string {
	return fmt.Sprintf("%x.%x.%x", inode(info), info.ModTime().UnixNano(), info.Size())
}

type localObject struct {
	*os.File
	size int64
}

func (o localObject) Size() int64 { return o.size }

// Open implements Folder.
func (l *Local) Open(ctx context.Context, name string) (Object, error) {
	if _, err := l.Stat(ctx, name); err != nil { // before os.Open, which blocks on a named pipe
		return nil, err
	}
	f, err := os.Open(l.path(name))
	if err != nil {
		return nil, err
	}
	opened, err := f.Stat() // again, since the object may have been replaced meanwhile
	if err != nil {
		f.Close()
		return nil, err
	}
	return localObject{f, opened.Size()}, nil
}

// List implements Folder. Symbolic links to files are followed, links to
// folders are not, so that a listing ends. A link that leads nowhere is an error.
func (l *Local) List(ctx context.Context, prefix string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		l.walk(ctx, "", prefix, yield)
	}
}

// walk lists the folder dir in byte order of full names: a sub-folder counts as
// its name with a slash, since "a-b" sorts before "a/b" but after "a".
func (l *Local) walk(ctx context.Context, dir, prefix string, yield func(Info, error) bool) bool {
	if err := ctx.Err(); err != nil {
		return yield(Info{}, err)
	}
	entries, err := os.ReadDir(l.path(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil {
		return yield(Info{}, err)
	}
	sortEntries(entries)
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			if strings.HasPrefix(name+"/", prefix) || strings.HasPrefix(prefix, name+"/") {
				if !l.walk(ctx, name, prefix, yield) {
					return false
				}
			}
			continue
		}
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			continue
		}
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			if info, err = os.Stat(l.path(name)); err != nil {
				err = fmt.Errorf("%s is a link that leads nowhere: %w", l.path(name), err)
			}
		}
		found := Info{Name: name}
		switch {
		case err != nil:
		case info.Mode().IsRegular():
			found.Size, found.Version = info.Size(), version(info)
		default:
			err = fmt.Errorf("%s: %w", l.path(name), ErrIrregular)
		}
		if !yield(found, err) {
			return false
		}
	}
	return true
}

// Remove implements Folder.
func (l *Local) Remove(_ context.Context, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if err := l.before(StepRemove, name); err != nil {
		return err
	}
	if err := os.Remove(l.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// lockPause is the time after which a lock that another has is tried again.
const lockPause = 100 * time.Millisecond

// lockTries is how often a lock is tried whose folder is gone again, since the one that
// had it has swept.
const lockTries = 20

// Lock waits until no other process, and nobody else in this one, has locked the
// name, and keeps it until unlock is called or the process ends. Where the file
// system has no locks it does nothing.
func (l *Local) Lock(ctx context.Context, name string) (unlock func(), err error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		busy, err := false, makeFolder(filepath.Dir(l.path(name)))
		if err == nil {
			unlock, busy, err = lockFile(l.path(name))
		}
		swept := errors.Is(err, fs.ErrNotExist) && try < lockTries // unless there can be no such folder
		if !busy && !swept {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

// Create implements Folder.
func (l *Local) Create(_ context.Context, name string, condition Condition) (Writer, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	if err := l.before(StepCreate, name); err != nil {
		return nil, err
	}
	if err := makeFolder(l.path(TemporaryFolder)); err != nil {
		return nil, err
	}
	// Not os.CreateTemp: its mode 0600 would hide the result from other users.
	temporary := l.path(path.Join(TemporaryFolder, path.Base(name)+"."+rand.Text()))
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return &localWriter{folder: l, name: name, condition: condition, file: f}, nil
}

type localWriter struct {
	folder    *Local
	name      string
	condition Condition
	file      *os.File // nil when spent
	err       error    // of the first write that failed
}

func (w *localWriter) Write(p []byte) (int, error) {
	if w.file == nil {
		return 0, fs.ErrClosed
	}
	if w.err != nil {
		return 0, w.err
	}
	if err := w.folder.before(StepWrite, w.name); err != nil {
		n, _ := w.file.Write(p[:len(p)/2])
		w.err = err
		return n, err
	}
	n, err := w.file.Write(p)
	w.err = err
	return n, err
}

func (w *localWriter) Commit() error {
	if w.file == nil {
		return fs.ErrClosed
	}
	defer w.Abort()
	if w.err != nil {
		return w.err
	}
	if err := w.folder.before(StepSync, w.name); err != nil {
		return err
	}
	if err := w.file.Sync(); err != nil {
		return err
	}
	if err := w.file.Close(); err != nil {
		return err
	}
	target := w.folder.path(w.name)
	if err := makeFolder(filepath.Dir(target)); err != nil {
		return err
	}
	if err := w.folder.before(StepRename, w.name); err != nil {
		return err
	}
	if err := w.publish(target); err != nil {
		return err
	}
	if err := w.folder.before(StepFolder, w.name); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(target))
}

func (w *localWriter) publish(target string) error {
	wanted, ok := w.condition.Version()
	switch {
	case ok:
		return w.replace(target, wanted)
	case w.condition == IfAbsent:
		// A link is made whole or not at all and fails if the name is taken, which a
		// rename does not. The temporary name goes with Abort.
		return os.Link(w.file.Name(), target)
	default:
		return os.Rename(w.file.Name(), target)
	}
}

// replace renames over one version alone. There is no rename with a condition, so
// writers with one keep each other out by a lock on the folder, as long as it takes
// to look and to rename. A file system without such locks leaves that moment.
func (w *localWriter) replace(target, wanted string) error {
	unlock, err := lockFolder(filepath.Dir(target))
	if err != nil {
		return err
	}
	defer unlock()
	info, err := os.Stat(target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil || version(info) != wanted {
		return &fs.PathError{Op: "replace", Path: target, Err: fs.ErrExist}
	}
	return os.Rename(w.file.Name(), target)
}

func (w *localWriter) Abort() {
	if w.file == nil {
		return
	}
	w.file.Close()
	os.Remove(w.file.Name()) // after a rename there is nothing left to remove
	w.file = nil
}

// makeFolder is os.MkdirAll that makes the new folders durable: a file in a
// folder whose own name was never synced is lost with the folder.
func makeFolder(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := makeFolder(parent); err != nil {
			return err
		}
	}
	switch err := os.Mkdir(dir, 0o777); {
	case err == nil:
		return syncFolder(parent)
	case errors.Is(err, fs.ErrExist): // another writer was faster, or it is no folder
		if info, err := os.Stat(dir); err != nil || info.IsDir() {
			return err
		}
		return &fs.PathError{Op: "make folder", Path: dir, Err: syscall.ENOTDIR}
	default:
		return err
	}
}

// sync makes an object durable under its name.
func (l *Local) sync(name string) error {
	if err := l.before(StepSync, name); err != nil {
		return err
	}
	if err := syncFolder(l.path(name)); err != nil { // a file is synced as a folder is
		return err
	}
	if err := l.before(StepFolder, name); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(l.path(name)))
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("sync folder %s: %w", dir, err)
	}
	return nil
}
