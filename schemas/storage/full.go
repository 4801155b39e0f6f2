package storage

import (
	"errors"
	"fmt"
	"syscall"
)

// WayOut adds to an error of a disk that takes no more what its user can do about it, and then the advice:
// " and run the same command again". Other errors stay as they are.
func WayOut(err error, advice string) error {
	switch {
	case errors.Is(err, syscall.EFBIG):
		return fmt.Errorf("%w; raise the limit of a file's size (`ulimit -f`)%s", err, advice)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w; make room%s", err, advice)
	}
	return err
}
