// Package child puts child processes into groups of their own, and ends them, also
// when this process ends.
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
