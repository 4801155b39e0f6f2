//go:build unix && !linux

package child

import "syscall"

// Group keeps the terminal's interrupts from a child: the one that it is asked
// to stop by would be its second, which ends it at once. It cannot be told here of
// its parent's end.
func Group(bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
