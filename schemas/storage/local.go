package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"path/filepath"
	"strings"
	"sync"
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

// Local is a Folder on a local disk. Temporary files are in TemporaryFolder;
// Commit syncs the file, renames it and syncs its folder.
type Local struct {
	root      string
	disk      Disk
	intercept func(Step, string) error
	// beside says that temporary files are beside those that they become.
	beside bool
	// lasting holds the paths of folders that are known to outlast a power cut.
	lasting *sync.Map
}

// NewLocal returns the folder at the path root. It is made on the first write.
func NewLocal(root string) *Local { return NewLocalOn(systemDisk{}, root) }

// NewLocalOn is NewLocal on another disk.
func NewLocalOn(disk Disk, root string) *Local {
	return &Local{root: filepath.Clean(root), disk: disk, lasting: new(sync.Map)}
}

// Unsynced returns the folder whose changes wait for no disk, so that a power cut may take them: of files that
// can be fetched or made again.
func (l *Local) Unsynced() *Local {
	return &Local{root: l.root, disk: unsyncedDisk{l.disk}, intercept: l.intercept, beside: l.beside, lasting: new(sync.Map)}
}

// Intercepted returns the folder with a function that is called before every
// step that changes the disk, with the name of the object, and whose error the
// step then returns without taking effect; a write first writes half its bytes.
// Tests use it to stop at each step.
func (l *Local) Intercepted(f func(Step, string) error) *Local {
	return &Local{root: l.root, disk: l.disk, intercept: f, beside: l.beside, lasting: l.lasting}
}

// Beside returns the folder whose temporary files have hidden names in itself. It is for a file that a user
// names, beside which a TemporaryFolder would be litter.
func (l *Local) Beside() *Local {
	return &Local{root: l.root, disk: l.disk, intercept: l.intercept, beside: true, lasting: l.lasting}
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
	info, err := l.disk.Stat(l.path(name))
	if err != nil {
		return Info{}, err
	}
	if err := checkRegular(l.path(name), info); err != nil {
		return Info{}, err
	}
	return Info{Name: name, Size: info.Size(), Version: version(info)}, nil
}

// version names a state of a file: every write here makes a new file, and one of
// another program a new time.
func version(info fs.FileInfo) string {
	return fmt.Sprintf("%x.%x.%x", inode(info), info.ModTime().UnixNano(), info.Size())
}

type localObject struct {
	DiskFile
	size int64
}

func (o localObject) Size() int64 { return o.size }

// Open implements Folder.
func (l *Local) Open(ctx context.Context, name string) (Object, error) {
	if _, err := l.Stat(ctx, name); err != nil { // before it is opened, which blocks on a named pipe
		return nil, err
	}
	f, err := l.disk.Open(l.path(name))
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
	entries, err := l.disk.ReadDir(l.path(dir))
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
			switch info, err = l.disk.Stat(l.path(name)); {
			case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ELOOP):
				err = fmt.Errorf("%s is a %w: %w", l.path(name), ErrDangling, err)
			case err != nil:
				err = fmt.Errorf("%s is a link: %w", l.path(name), err)
			}
		}
		object := Info{Name: name}
		switch {
		case err != nil:
		case info.Mode().IsRegular():
			object.Size, object.Version = info.Size(), version(info)
		default:
			err = fmt.Errorf("%s: %w", l.path(name), ErrIrregular)
		}
		if !yield(object, err) {
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
	if err := l.disk.Remove(l.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// RemoveVersion implements Folder. As a writer with a condition it keeps others out who
// have one.
func (l *Local) RemoveVersion(_ context.Context, name, expected string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if err := l.before(StepRemove, name); err != nil {
		return err
	}
	unlock, _, err := l.disk.Lock(filepath.Dir(l.path(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock()
	info, err := l.disk.Stat(l.path(name))
	if err == nil && version(info) == expected {
		err = l.disk.Remove(l.path(name))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
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
		busy, err := false, l.makeFolder(filepath.Dir(l.path(name)))
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

// makeFolder is os.MkdirAll that makes folders durable: a file in a folder whose own
// name was never synced is lost with the folder. That goes for folders that stand
// already, too: whoever made them may have been stopped before it synced.
func (l *Local) makeFolder(dir string) error {
	info, err := l.disk.Stat(dir)
	stands := err == nil && info.IsDir()
	parent := filepath.Dir(dir)
	if _, ok := l.lasting.Load(dir); ok && stands || parent == dir {
		return nil
	}
	if err := l.makeFolder(parent); err != nil {
		return err
	}
	if !stands {
		if err := l.mkdir(dir); err != nil {
			return err
		}
	}
	// What is above the root may belong to others, who let nobody sync it.
	if err := l.syncFolder(parent); err != nil && !(stands && !l.holds(parent)) {
		return err
	}
	l.lasting.Store(dir, nil)
	return nil
}

func (l *Local) mkdir(dir string) error {
	err := l.disk.Mkdir(dir)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	// Another writer was faster, or it is not a folder.
	if info, err := l.disk.Stat(dir); err != nil || info.IsDir() {
		return err
	}
	return &fs.PathError{Op: "make folder", Path: dir, Err: syscall.ENOTDIR}
}

// holds says whether a path is the root or lies below it.
func (l *Local) holds(path string) bool {
	relative, err := filepath.Rel(l.root, path)
	return err == nil && filepath.IsLocal(relative)
}

// sync makes an object durable under its name.
func (l *Local) sync(name string) error {
	if err := l.before(StepSync, name); err != nil {
		return err
	}
	if err := l.syncFolder(l.path(name)); err != nil { // a file is synced as a folder is
		return err
	}
	if err := l.before(StepFolder, name); err != nil {
		return err
	}
	return l.syncFolder(filepath.Dir(l.path(name)))
}

func (l *Local) syncFolder(dir string) error {
	d, err := l.disk.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("sync folder %s: %w", dir, err)
	}
	return nil
}
