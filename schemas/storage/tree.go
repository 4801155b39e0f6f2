package storage

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
)

// The methods below are for folders that other code fills, such as libtorch, which takes paths of files, and for
// files that grow. A name of "." is that of the whole folder.

// Temporary returns the path of a file or folder that nobody has and that does not exist yet. It lies where
// unpublished objects lie, so that Publish can move it to the name.
func (l *Local) Temporary(name string) (string, error) {
	if err := l.before(StepCreate, name); err != nil {
		return "", err
	}
	temporary := path.Join(TemporaryFolder, path.Base(name)+"."+rand.Text())
	if l.beside {
		temporary = "." + path.Base(temporary)
	}
	return l.path(temporary), l.makeFolder(filepath.Dir(l.path(temporary)))
}

// Publish moves what is at a path of Temporary to a name. A file there is replaced, a folder must be empty. All
// files and folders in it are durable before they have the name, and the name is when Publish returns.
func (l *Local) Publish(temporary, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if err := l.before(StepSync, name); err != nil {
		return err
	}
	if err := l.syncTree(temporary); err != nil {
		return err
	}
	target := l.path(name)
	if err := l.makeFolder(filepath.Dir(target)); err != nil {
		return err
	}
	if err := l.before(StepRename, name); err != nil {
		return err
	}
	if err := l.disk.Rename(temporary, target); err != nil {
		return err
	}
	if err := l.before(StepFolder, name); err != nil {
		return err
	}
	return l.syncFolder(filepath.Dir(target))
}

// MakeFolder makes a folder and those above, and makes them durable.
func (l *Local) MakeFolder(name string) error {
	if err := l.before(StepCreate, name); err != nil {
		return err
	}
	return l.makeFolder(l.path(name))
}

// RemoveTree deletes a file, or a folder with all that is in it, as os.RemoveAll does. The deletion survives a power
// cut.
func (l *Local) RemoveTree(name string) error {
	if err := l.before(StepRemove, name); err != nil {
		return err
	}
	if err := l.removeTree(l.path(name)); err != nil {
		return err
	}
	err := l.syncFolder(filepath.Dir(l.path(name)))
	if errors.Is(err, fs.ErrNotExist) || name == "." { // what is above the folder may belong to others
		return nil
	}
	return err
}

func (l *Local) removeTree(path string) error {
	removeErr := l.disk.Remove(path)
	if removeErr == nil || errors.Is(removeErr, fs.ErrNotExist) {
		return nil
	}
	entries, err := l.disk.ReadDir(path)
	if err != nil { // it is not a folder
		return removeErr
	}
	for _, e := range entries {
		if err := l.removeTree(filepath.Join(path, e.Name())); err != nil {
			return err
		}
	}
	return l.disk.Remove(path)
}

// syncTree makes a file, or a folder with all that is in it, durable. The path may lie anywhere.
func (l *Local) syncTree(path string) error {
	info, err := l.disk.Stat(path)
	if err == nil && info.IsDir() {
		var entries []fs.DirEntry
		entries, err = l.disk.ReadDir(path)
		for _, e := range entries {
			if err == nil && (e.IsDir() || e.Type().IsRegular()) {
				err = l.syncTree(filepath.Join(path, e.Name()))
			}
		}
	}
	if err != nil {
		return err
	}
	return l.syncFolder(path) // a file is synced as a folder is
}

// Appender writes at the end of a file.
type Appender struct {
	folder *Local
	name   string
	file   DiskFile
}

// Append opens a file to write at its end, and makes it if there is none. What was written last may be cut by a kill.
func (l *Local) Append(name string) (*Appender, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	if err := l.MakeFolder(path.Dir(name)); err != nil {
		return nil, err
	}
	file, err := l.disk.Append(l.path(name))
	if err != nil {
		return nil, err
	}
	return &Appender{folder: l, name: name, file: file}, nil
}

// Write implements io.Writer.
func (a *Appender) Write(p []byte) (int, error) {
	if err := a.folder.before(StepWrite, a.name); err != nil {
		n, _ := a.file.Write(p[:len(p)/2]) // as a full disk does
		return n, err
	}
	return a.file.Write(p)
}

// Sync makes what was written durable under its name.
func (a *Appender) Sync() error {
	if err := a.folder.before(StepSync, a.name); err != nil {
		return err
	}
	if err := a.file.Sync(); err != nil {
		return err
	}
	return a.folder.syncFolder(filepath.Dir(a.file.Name()))
}

// Path is that of the file.
func (a *Appender) Path() string { return a.file.Name() }

// Close ends the writing.
func (a *Appender) Close() error { return a.file.Close() }
