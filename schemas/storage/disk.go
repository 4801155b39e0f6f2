package storage

import (
	"io"
	"io/fs"
	"os"
)

// Disk holds the operations of the operating system that a Local uses. Errors are
// those of package os. Tests replace it by disks that stop, fill up or forget.
type Disk interface {
	Stat(path string) (fs.FileInfo, error)
	ReadDir(path string) ([]fs.DirEntry, error)
	// Open opens a file or a folder, to read or to sync it.
	Open(path string) (DiskFile, error)
	// Create makes a file that must not be there.
	Create(path string) (DiskFile, error)
	// Append opens a file to write at its end, and makes it if there is none.
	Append(path string) (DiskFile, error)
	Mkdir(path string) error
	Link(from, to string) error
	// Rename replaces a file at the new path. RenameNew fails if there is one. If the
	// system has no such operation, its error is not fs.ErrExist.
	Rename(from, to string) error
	RenameNew(from, to string) error
	Remove(path string) error
	// Lock keeps out others that lock the same folder, until unlock is called or the
	// process ends. Locked is false if the file system has no such locks.
	Lock(folder string) (unlock func(), locked bool, err error)
}

// DiskFile is an open file of a Disk.
type DiskFile interface {
	io.ReaderAt
	io.WriteCloser
	Name() string
	Stat() (fs.FileInfo, error)
	Sync() error
}

type systemDisk struct{}

func (systemDisk) Stat(path string) (fs.FileInfo, error)      { return os.Stat(path) }
func (systemDisk) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }
func (systemDisk) Mkdir(path string) error                    { return os.Mkdir(path, 0o777) }
func (systemDisk) Link(from, to string) error                 { return os.Link(from, to) }
func (systemDisk) Rename(from, to string) error               { return os.Rename(from, to) }
func (systemDisk) RenameNew(from, to string) error            { return renameNew(from, to) }
func (systemDisk) Remove(path string) error                   { return os.Remove(path) }

func (systemDisk) Open(path string) (DiskFile, error) { return opened(os.Open(path)) }

// Create is not os.CreateTemp, whose mode 0600 would hide the result from other users.
func (systemDisk) Create(path string) (DiskFile, error) {
	return opened(os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666))
}

func (systemDisk) Append(path string) (DiskFile, error) {
	return opened(os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666))
}

// unsyncedDisk is a Disk whose files nobody waits for.
type unsyncedDisk struct{ Disk }

type unsyncedFile struct{ DiskFile }

func (unsyncedFile) Sync() error { return nil }

func unsynced(f DiskFile, err error) (DiskFile, error) {
	if err != nil {
		return nil, err
	}
	return unsyncedFile{f}, nil
}

func (d unsyncedDisk) Open(path string) (DiskFile, error)   { return unsynced(d.Disk.Open(path)) }
func (d unsyncedDisk) Create(path string) (DiskFile, error) { return unsynced(d.Disk.Create(path)) }
func (d unsyncedDisk) Append(path string) (DiskFile, error) { return unsynced(d.Disk.Append(path)) }

// opened keeps a nil file from becoming an interface that is not nil.
func opened(f *os.File, err error) (DiskFile, error) {
	if err != nil {
		return nil, err
	}
	return systemFile{f}, nil
}

// systemFile is a file of the operating system.
type systemFile struct{ *os.File }

func (systemDisk) Lock(folder string) (unlock func(), locked bool, err error) {
	return lockFolder(folder)
}
