//go:build !linux

package doctor

import "errors"

var errNotLinux = errors.New("it is looked up on Linux only")

func freeBytes(string) (int64, error) { return 0, errNotLinux }

func memoryBytes() (int64, error) { return 0, errNotLinux }

// Processor is not known.
func Processor() string { return "" }

// Driver is not known.
func Driver() string { return "" }
