//go:build !linux

package childtest

import "errors"

// ForbidListening is not possible there.
func ForbidListening() error {
	return errors.New("system calls are filtered on Linux alone")
}
