//go:build !unix

package storage

import "io/fs"

// lockFolder does nothing: this system has no locks that end with their process.
func lockFolder(string) (unlock func(), locked bool, err error) { return func() {}, false, nil }

// lockFile does nothing, as lockFolder.
func lockFile(string) (unlock func(), busy bool, err error) { return func() {}, false, nil }

// inode is 0: size and time tell files apart.
func inode(fs.FileInfo) uint64 { return 0 }
