//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup has the program and its children be a group of their own, so that all
// of them can be ended, and an interrupt at the terminal is this process's to
// answer.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends the group.
func kill(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }

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
