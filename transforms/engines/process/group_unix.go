//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// OwnGroup has the program and its children be a group of their own, so that all
// of them can be ended, and an interrupt at the terminal is this process's to
// answer.
func OwnGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends the group.
func kill(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }

// Outside says whether somebody else ended the program: a user, or the system that has
// no memory left. What it was at then is not to blame.
func (e *Ended) Outside() bool {
	if e.State == nil {
		return false
	}
	status, ok := e.State.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && OutsideSignal(int(status.Signal()))
}

// OutsideSignal says whether a signal is one that programs do not raise themselves.
func OutsideSignal(number int) bool {
	switch syscall.Signal(number) {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP:
		return true
	}
	return false
}

// pollable says whether available can tell what a pipe holds.
const pollable = true

// available reads what a pipe holds now, without waiting.
func available(f *os.File, p []byte) int {
	c, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	n := 0
	err = c.Read(func(fd uintptr) bool {
		n, err = syscall.Read(int(fd), p)
		return true
	})
	if err != nil {
		return 0
	}
	return n
}
