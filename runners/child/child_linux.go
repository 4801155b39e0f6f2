// Package child says how a process stands to those that it starts.
package child

import "syscall"

// Group keeps the terminal's interrupts from a child, and asks it to stop when
// the thread that started it ends, if that is wanted.
func Group(withParent bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true}
	if withParent {
		a.Pdeathsig = syscall.SIGTERM
	}
	return a
}
