// Package filelock locks files and folders against other processes, and against other holders in
// this one. A lock ends with its file or its process, so that nobody has to remove what a
// killed process leaves.
package filelock

import "errors"

// Mode says who may hold a lock at the same time.
type Mode int

// The modes: holders of shared locks tolerate each other, and the holder of an exclusive lock nobody.
const (
	Shared Mode = iota
	Exclusive
)

// ErrBusy is the error of a lock that somebody holds.
var ErrBusy = errors.New("it is locked by another process")
