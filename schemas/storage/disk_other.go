//go:build !linux

package storage

import "errors"

// renameNew and exchange are not to be had.
func renameNew(string, string) error { return errors.ErrUnsupported }

func exchange(string, string) error { return errors.ErrUnsupported }
