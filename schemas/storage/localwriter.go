package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
)

// Create implements Folder.
func (l *Local) Create(_ context.Context, name string, condition Condition) (Writer, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	temporary, err := l.Temporary(name)
	if err != nil {
		return nil, err
	}
	f, err := l.disk.Create(temporary)
	if err != nil {
		return nil, err
	}
	return &localWriter{folder: l, name: name, condition: condition, file: f}, nil
}

// syncedAhead is how many bytes are written until the disk is asked to take them, so that Commit, and who waits for it, find little left.
const syncedAhead = 32 << 20

// syncStarter is a file that can begin to sync what was written, without waiting for it.
type syncStarter interface{ StartSync() }

type localWriter struct {
	folder    *Local
	name      string
	condition Condition
	file      DiskFile // nil when spent
	waiting   int      // bytes since the last StartSync
	version   string
	err       error // of the first write that failed
}

// Write implements io.Writer.
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
	if w.waiting += n; w.waiting >= syncedAhead {
		w.waiting = 0
		if f, ok := w.file.(syncStarter); ok {
			f.StartSync()
		}
	}
	return n, err
}

// Commit implements Writer.
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
	info, err := w.file.Stat()
	if err != nil {
		return err
	}
	if err := w.file.Close(); err != nil {
		return err
	}
	target := w.folder.path(w.name)
	if err := w.folder.makeFolder(filepath.Dir(target)); err != nil {
		return err
	}
	if err := w.folder.before(StepRename, w.name); err != nil {
		return err
	}
	if err := w.publish(target); err != nil {
		return err
	}
	w.version = version(info)
	if err := w.folder.before(StepFolder, w.name); err != nil {
		return err
	}
	return w.folder.syncFolder(filepath.Dir(target))
}

// Version implements Writer.
func (w *localWriter) Version() string { return w.version }

func (w *localWriter) publish(target string) error {
	expected, ok := w.condition.Version()
	switch {
	case ok:
		return w.replace(target, expected)
	case w.condition == IfAbsent:
		return w.publishNew(target)
	default:
		return w.folder.disk.Rename(w.file.Name(), target)
	}
}

// replace renames over one version alone. There is no rename with a condition, so
// writers with one keep each other out by a lock on the folder, as long as it takes
// to look and to rename. A file system without such locks leaves that moment.
func (w *localWriter) replace(target, expected string) error {
	unlock, _, err := w.folder.disk.Lock(filepath.Dir(target))
	if err != nil {
		return err
	}
	defer unlock()
	info, err := w.folder.disk.Stat(target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil || version(info) != expected {
		return &fs.PathError{Op: "replace", Path: target, Err: fs.ErrExist}
	}
	return w.folder.disk.Rename(w.file.Name(), target)
}

// publishNew lets one of several writers win: by a link, which is made whole or not at
// all and fails if the name is taken; the temporary name goes with Abort. FAT, some
// network drives and some containers have no links: there it is a rename that does not
// replace, and where that is missing, too, writers keep each other out by a lock.
func (w *localWriter) publishNew(target string) error {
	disk, temporary := w.folder.disk, w.file.Name()
	err := disk.Link(temporary, target)
	if !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EPERM) {
		return err
	}
	err = disk.RenameNew(temporary, target)
	if !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.EPERM) {
		return err
	}
	unlock, locked, err := disk.Lock(filepath.Dir(target))
	if err != nil {
		return err
	}
	defer unlock()
	if !locked {
		return &fs.PathError{Op: "write", Path: target,
			Err: fmt.Errorf("%w: the file system has no hard links, no renames that replace nothing and no locks, so that two processes could overwrite each other's files: choose a folder on another file system",
				errors.ErrUnsupported)}
	}
	switch _, err := disk.Stat(target); {
	case err == nil:
		return &fs.PathError{Op: "write", Path: target, Err: fs.ErrExist}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return disk.Rename(temporary, target)
}

// Abort implements Writer.
func (w *localWriter) Abort() {
	if w.file == nil {
		return
	}
	w.file.Close()
	_ = w.folder.disk.Remove(w.file.Name()) // after a rename there is nothing left to remove
	w.file = nil
}
