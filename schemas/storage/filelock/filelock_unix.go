//go:build unix

package filelock

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// flock is the system call; tests have it fail.
var flock = syscall.Flock

// Lock locks an open file or folder until it is closed. With wait, Lock waits as long as somebody
// holds it; without, that is ErrBusy. Where the file system has no locks, as Lustre without its
// option flock and NFS without lockd, locked is false: whoever needs the lock says so to the user and
// goes on.
func Lock(file *os.File, mode Mode, wait bool) (locked bool, err error) {
	how := syscall.LOCK_SH
	if mode == Exclusive {
		how = syscall.LOCK_EX
	}
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		err = flock(int(file.Fd()), how)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EINTR): // a signal came
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, ErrBusy
		case errors.Is(err, syscall.EBADF), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOSYS):
			return false, nil
		default:
			return false, &fs.PathError{Op: "lock", Path: file.Name(), Err: err}
		}
	}
}
