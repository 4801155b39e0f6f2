package storage

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ReplaceFolder moves a folder of the local disk to a path where there may be another
// one. The two swap places if there is one. Both must lie on one file system. At every
// moment one of them is at the path, except on file systems that cannot swap two names
// in one step: there the old one is set aside first, and comes back if the new one
// cannot take its place. The new one is durable before the swap, and the swap when
// ReplaceFolder returns.
func ReplaceFolder(from, to string) error {
	return replaceFolder(from, to, exchange, os.Rename)
}

func replaceFolder(from, to string, exchange, rename func(from, to string) error) error {
	from, to = filepath.Clean(from), filepath.Clean(to)
	local := NewLocal(filepath.Dir(to))
	if err := local.syncTree(from); err != nil {
		return err
	}
	err := exchange(from, to)
	switch {
	case errors.Is(err, fs.ErrNotExist): // nothing is there
		err = rename(from, to)
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.EINVAL):
		err = setAside(from, to, rename)
	}
	if err != nil {
		return err
	}
	return local.syncFolder(local.root)
}

func setAside(from, to string, rename func(from, to string) error) error {
	aside := to + ".before-" + rand.Text()
	err := rename(to, aside)
	if errors.Is(err, fs.ErrNotExist) {
		return rename(from, to)
	}
	if err != nil {
		return err
	}
	if err := rename(from, to); err != nil {
		if restoreErr := rename(aside, to); restoreErr != nil {
			return fmt.Errorf("%w; what was there is whole in %s: rename it to %s (%w)", err, aside, to, restoreErr)
		}
		return err
	}
	return rename(aside, from)
}
