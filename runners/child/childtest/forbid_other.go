//go:build !linux

package childtest

import (
	"errors"
	"syscall"
)

var errElsewhere = errors.New("system calls are filtered on Linux alone")

// ForbidListening is not possible there.
func ForbidListening() error { return errElsewhere }

// FailLocks is not possible there.
func FailLocks(syscall.Errno) error { return errElsewhere }
