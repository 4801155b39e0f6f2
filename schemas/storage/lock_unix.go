//go:build unix

package storage

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// lockFolder is Lock of a Disk.
func lockFolder(dir string) (unlock func(), locked bool, err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, false, err
	}
	for {
		err = syscall.Flock(int(d.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	switch {
	case err == nil, lockless(err):
		return func() { _ = d.Close() }, err == nil, nil // which unlocks it
	default:
		_ = d.Close() // the first error tells
		return nil, false, &fs.PathError{Op: "lock", Path: dir, Err: err}
	}
}

// lockFile locks a file, which is made if need be, until unlock is called or the
// process ends; busy says that another one has it.
func lockFile(name string) (unlock func(), busy bool, err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, false, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil, lockless(err):
		return func() { _ = f.Close() }, false, nil // which unlocks it
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		_ = f.Close()
		return nil, true, nil
	}
	_ = f.Close() // the first error tells
	return nil, false, &fs.PathError{Op: "lock", Path: name, Err: err}
}

// lockless says whether the file system has no locks.
func lockless(err error) bool {
	return errors.Is(err, syscall.EBADF) || errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS)
}

// inode tells files apart that have the same size and time.
func inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino)
	}
	return 0
}
