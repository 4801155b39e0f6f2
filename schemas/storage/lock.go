package storage

import (
	"errors"
	"os"

	"sentweave/schemas/storage/filelock"
)

// lockFolder is Lock of a Disk.
func lockFolder(dir string) (unlock func(), locked bool, err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, false, err
	}
	locked, err = filelock.Lock(d, filelock.Exclusive, true)
	if err != nil {
		_ = d.Close() // the first error tells
		return nil, false, err
	}
	return func() { _ = d.Close() }, locked, nil // which unlocks it
}

// lockFile locks a file, which is made if need be, until unlock is called or the process ends;
// busy says that another one has it.
func lockFile(name string) (unlock func(), busy bool, err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, false, err
	}
	if _, err = filelock.Lock(f, filelock.Exclusive, false); err == nil {
		return func() { _ = f.Close() }, false, nil // which unlocks it
	}
	_ = f.Close() // the first error tells
	if errors.Is(err, filelock.ErrBusy) {
		return nil, true, nil
	}
	return nil, false, err
}
