package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// OpenRegular opens a file of this machine for reading. Anything but a regular file is an error at
// once: to open a named pipe would wait until somebody writes.
func OpenRegular(path string) (*os.File, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if err := checkRegular(path, info); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// checkRegular returns an error for what is not a regular file.
func checkRegular(path string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w; give a file", syscall.EISDIR)}
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: "stat", Path: path, Err: errors.New("not a regular file, and pipes and devices cannot be read twice; write what it gives to a file, and name that")}
	}
	return nil
}
