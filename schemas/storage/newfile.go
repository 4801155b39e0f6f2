package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// NewFile returns the folder and the name of a file that is to be written, and the condition on which to write it. A folder, a place
// where nothing can be written and, without overwrite, a file that exists are errors.
func NewFile(ctx context.Context, location string, overwrite bool) (folder Folder, name string, condition Condition, err error) {
	if folder, name, err = LocateFile(location); err != nil {
		return nil, "", "", err
	}
	if list, err := Locate(Join(folder.String(), name)); err == nil {
		for range list.List(ctx, "") {
			return nil, "", "", fmt.Errorf("%s is a folder; give a file", location)
		}
	}
	if condition = Replace; !overwrite {
		condition = IfAbsent
	}
	switch _, err := folder.Stat(ctx, name); {
	case err == nil && !overwrite:
		return nil, "", "", ExistingFile(location)
	case err != nil && !errors.Is(err, fs.ErrNotExist): // such as an empty folder
		return nil, "", "", err
	}
	return folder, name, condition, CheckWritable(ctx, folder, name)
}

// ExistingFile is the error for a file that is not to be replaced.
func ExistingFile(location string) error {
	return fmt.Errorf("%s exists already; give --overwrite to replace it", location)
}
