//go:build !unix

package main

import "syscall"

// ownGroup changes nothing where there are no process groups.
func ownGroup(bool) *syscall.SysProcAttr { return nil }
