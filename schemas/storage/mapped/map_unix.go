//go:build unix

package mapped

import (
	"os"
	"syscall"
)

// mapFile maps a file that is not empty into memory, to be read.
func mapFile(f *os.File, size int64) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
}
