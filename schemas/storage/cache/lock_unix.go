//go:build unix

package cache

import (
	"errors"
	"os"
	"syscall"
)

// Kinds of locks. They end with the process, if not before.
const (
	shared    = syscall.LOCK_SH
	exclusive = syscall.LOCK_EX
)

func lock(folder *os.File, how int) error {
	if how == exclusive {
		how |= syscall.LOCK_NB // shared locks wait for a removal
	}
	for {
		err := syscall.Flock(int(folder.Fd()), how)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errInUse
		}
		return err
	}
}
