//go:build !linux

package doctor

import "errors"

var errNotLinux = errors.New("it is looked up on Linux only")

func freeBytes(string) (int64, error) { return 0, errNotLinux }

func memoryBytes() (int64, error) { return 0, errNotLinux }
