//go:build unix

package train

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock keeps a second run out of the folder as long as this process lives.
func (o *output) lock() (unlock func(), err error) {
	path := o.runPath(lockName)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close() // the first error tells
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("another process is training in %s: wait for it, or choose another --out", o.location)
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { _ = file.Close() }, nil // which unlocks it
}
