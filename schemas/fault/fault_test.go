package fault

import (
	"errors"
	"io/fs"
	"testing"
)

func TestList(t *testing.T) {
	var l List
	l.Check(true, "size %d: want at least 1", 1)
	l.Add(nil)
	if err := l.Err(); err != nil || len(l) != 0 {
		t.Errorf("without a fault: %v", err)
	}
	l.Check(false, "size %d: want at least 1", 0)
	l.Add(nil, fs.ErrNotExist)
	l.Addf("out: %w", fs.ErrPermission)
	err := l.Err()
	if want := "size 0: want at least 1\nfile does not exist\nout: permission denied"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if !errors.Is(err, fs.ErrNotExist) || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v hides what it was made of", err)
	}
}
