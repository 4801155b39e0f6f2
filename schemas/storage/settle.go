package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// mostRounds bounds how often Settle meets another writer between two looks.
const mostRounds = 8

// Settle publishes a small object that any number of writers may publish at once,
// normally with the same bytes. If there is no such object, exactly one of them writes
// it. A later writer finds its own bytes there, which is success. So is a write that
// was done although its answer got lost.
//
// If the object has other bytes, Settle calls replaceable with them and returns its
// error. Without an error it replaces the bytes, provided that they have not changed
// since. Of an existing object of more than limit bytes it gives none: nobody reads it. Data
// of more bytes are an error that matches ErrTooLarge, since they could never be read.
func Settle(ctx context.Context, folder Folder, file File, limit int64, replaceable func(present []byte) error) error {
	name, data := file.Name, file.Data
	if int64(len(data)) > limit {
		return fmt.Errorf("write %s in %s: %w: %d bytes are more than the %d that can be read", name, folder, ErrTooLarge, len(data), limit)
	}
	condition := IfAbsent
	var err error
	for range mostRounds {
		if err = WriteFile(ctx, folder, name, data, condition); !errors.Is(err, fs.ErrExist) {
			return err
		}
		// The version first: if the object changes before it is read, the condition fails.
		info, statErr := folder.Stat(ctx, name)
		present, readErr := []byte(nil), statErr
		if statErr == nil {
			present, readErr = ReadFile(ctx, folder, name, limit)
		}
		switch {
		case errors.Is(readErr, fs.ErrNotExist): // removed meanwhile
			condition = IfAbsent
			continue
		case errors.Is(readErr, ErrTooLarge):
			present = nil
		case readErr != nil:
			return readErr
		case bytes.Equal(present, data):
			return Sync(folder, name)
		}
		if err := replaceable(present); err != nil {
			return err
		}
		condition = IfVersion(info.Version)
	}
	return fmt.Errorf("write %s in %s: others write it again and again: %w", name, folder, err)
}

// Sync makes an object that another writer published as durable as Commit makes one:
// on a disk that writer may have been stopped before it was.
func Sync(folder Folder, name string) error {
	if local, ok := folder.(*Local); ok {
		return local.sync(name)
	}
	return nil
}

// SyncNames makes the names in a folder of the folder durable, and says nothing of one
// that is not there.
func SyncNames(folder Folder, name string) error {
	local, ok := folder.(*Local)
	if !ok {
		return nil
	}
	err := local.syncFolder(local.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
