package storagetest

import (
	"errors"
	"fmt"
	"sync/atomic"

	"sentweave/schemas/storage"
)

// ErrCrash is what every step returns from the chosen one on.
var ErrCrash = errors.New("the disk stopped")

// CrashAt returns the local folder at root whose n-th step that changes the
// disk (counted from 0) and all later ones fail, as after a power cut. The second result counts the steps taken so far;
// with n < 0 none fails.
func CrashAt(root string, n int64) (storage.Folder, func() int64) {
	var steps atomic.Int64
	folder := storage.NewLocal(root).Intercepted(func(step storage.Step, name string) error {
		if i := steps.Add(1) - 1; n >= 0 && i >= n {
			return fmt.Errorf("%s %s: %w", step, name, ErrCrash)
		}
		return nil
	})
	return folder, steps.Load
}

// FailAt returns the local folder at root whose n-th step that changes the disk
// (counted from 0) fails with err, and that works again from then on, as a disk
// that is full until somebody makes room. The second result counts the steps
// taken so far; with n < 0 none fails.
func FailAt(root string, n int64, err error) (storage.Folder, func() int64) {
	var steps atomic.Int64
	folder := storage.NewLocal(root).Intercepted(func(step storage.Step, name string) error {
		if steps.Add(1)-1 == n {
			return fmt.Errorf("%s %s: %w", step, name, err)
		}
		return nil
	})
	return folder, steps.Load
}
