package storage

import (
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames where nothing stands.
func renameNew(from, to string) error { return rename(from, to, unix.RENAME_NOREPLACE) }

// exchange swaps two files or folders in one step.
func exchange(from, to string) error { return rename(from, to, unix.RENAME_EXCHANGE) }

func rename(from, to string, flags uint) error {
	if err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flags); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

// StartSync implements syncStarter. It leaves faults to Sync, which reports them.
func (f systemFile) StartSync() {
	_ = unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
}
