//go:build !unix

package child

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Group changes nothing where there are no process groups.
func Group(bool) *syscall.SysProcAttr { return nil }

// Terminate asks a process to end; there it is ended.
func Terminate(pid int) { Kill(pid) }

// Kill ends a process.
func Kill(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		p.Kill()
	}
}

// Alive says whether there is a process of the number; it is not known there.
func Alive(int) bool { return true }

// Tie changes nothing there.
func Tie(*exec.Cmd) error { return nil }

// EndWithParent does nothing there.
func EndWithParent(time.Duration) (tied bool) { return false }
