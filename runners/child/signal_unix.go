//go:build unix

package child

import (
	"errors"
	"syscall"
)

// Terminate asks a child that is in a group of its own, and what it has
// started, to end.
func Terminate(pid int) { syscall.Kill(-pid, syscall.SIGTERM) }

// Kill ends such a child, and what it has started.
func Kill(pid int) { syscall.Kill(-pid, syscall.SIGKILL) }

// Alive says whether there is a process of the number.
func Alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
