package storage

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"
)

// What a user can do depends on what the disk refuses.
func TestWayOut(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{syscall.ENOSPC, "write a: no space left on device; make room and go on"},
		{syscall.EDQUOT, "write a: disk quota exceeded; make room and go on"},
		{syscall.EFBIG, "write a: file too large; raise the limit of a file's size (`ulimit -f`) and go on"},
		{syscall.EIO, "write a: input/output error"},
	} {
		err := WayOut(&fs.PathError{Op: "write", Path: "a", Err: c.err}, " and go on")
		if err.Error() != c.want || !errors.Is(err, c.err) {
			t.Errorf("got %q, want %q", err, c.want)
		}
	}
	if err := WayOut(nil, " and go on"); err != nil {
		t.Errorf("no error became %v", err)
	}
}
