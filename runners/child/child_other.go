//go:build !unix

package child

import "syscall"

// Group changes nothing where there are no process groups.
func Group(bool) *syscall.SysProcAttr { return nil }
