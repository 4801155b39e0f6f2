//go:build unix

package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func opened(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// Two holders of one file, as two processes are.
func TestTwoHolders(t *testing.T) {
	for _, test := range []struct {
		first, second Mode
		want          error
	}{
		{Shared, Shared, nil},
		{Shared, Exclusive, ErrBusy},
		{Exclusive, Shared, ErrBusy},
		{Exclusive, Exclusive, ErrBusy},
	} {
		path := filepath.Join(t.TempDir(), "lock")
		first, second := opened(t, path), opened(t, path)
		if held, err := Lock(first, test.first, false); !held || err != nil {
			t.Fatal(held, err)
		}
		if held, err := Lock(second, test.second, false); held != (test.want == nil) || !errors.Is(err, test.want) {
			t.Errorf("%v, then %v: %v, %v", test.first, test.second, held, err)
		}
		waited := make(chan error)
		go func() {
			_, err := Lock(second, test.second, true)
			waited <- err
		}()
		first.Close()
		if err := <-waited; err != nil {
			t.Errorf("%v, then %v when the first is gone: %v", test.first, test.second, err)
		}
	}
}

// A file system without locks is not an error, a signal is not the end, and what else fails names the file.
func TestFileSystems(t *testing.T) {
	defer func() { flock = syscall.Flock }()
	file := opened(t, filepath.Join(t.TempDir(), "lock"))
	for _, test := range []struct {
		errno syscall.Errno
		want  string
	}{
		{syscall.ENOLCK, ""},
		{syscall.ENOSYS, ""},
		{syscall.ENOTSUP, ""},
		{syscall.EBADF, ""},
		{syscall.EIO, "lock " + file.Name() + ": input/output error"},
	} {
		signals := 3
		flock = func(int, int) error {
			if signals--; signals >= 0 {
				return syscall.EINTR
			}
			return test.errno
		}
		held, err := Lock(file, Exclusive, true)
		if held || (err == nil) != (test.want == "") || err != nil && err.Error() != test.want || signals != -1 {
			t.Errorf("%v: %v, %v", test.errno, held, err)
		}
	}
}
