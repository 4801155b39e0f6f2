//go:build !unix

package storage

import "io/fs"

// inode is 0: size and time tell files apart.
func inode(fs.FileInfo) uint64 { return 0 }
