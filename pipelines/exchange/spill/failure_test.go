package spill

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// failing is storage whose reads or writes fail from one call on.
type failing struct {
	io.ReaderAt
	io.Writer
	left *int
}

var errStorage = errors.New("connection reset")

func (f failing) fail() bool { *f.left--; return *f.left < 0 }

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if f.fail() {
		return 0, errStorage
	}
	return f.ReaderAt.ReadAt(p, off)
}

func (f failing) Write(p []byte) (int, error) {
	if f.fail() {
		return 0, errStorage
	}
	return f.Writer.Write(p)
}

func (f failing) Close() error { return nil }

func TestStorageErrors(t *testing.T) {
	layout := Layout{Order: ByHash, Buckets: 3}
	var records []Record
	for i := range 60_000 {
		records = append(records, Record{Key: count(int64(i)), Value: count(int64(i))})
	}
	file, _ := write(t, layout, Options{}, records)

	open := TemporaryFiles(t.TempDir())
	// attempt writes and reads with storage that fails at the n-th call.
	attempt := func(n int) error {
		left := n
		options := Options{Memory: minMemory, Temporary: func() (File, error) {
			f, err := open()
			if err == nil {
				t.Cleanup(func() { f.Close() })
			}
			return failing{f, f, &left}, err
		}}
		var out bytes.Buffer
		w, err := NewWriter(failing{Writer: &out, left: &left}, layout, options)
		if err != nil {
			return err
		}
		defer w.Abort()
		for _, r := range records {
			if err := w.Add(r.Key, r.Value); err != nil {
				return err
			}
		}
		if _, err := w.Close(); err != nil {
			return err
		}
		if !bytes.Equal(out.Bytes(), file) {
			t.Fatal("a failure was not seen")
		}
		r, err := NewReader(failing{ReaderAt: bytes.NewReader(file), left: &left}, int64(len(file)), layout)
		if err != nil {
			return err
		}
		for _, ref := range r.Refs() {
			s, err := r.Section(ref)
			if err != nil {
				return err
			}
			for _, err := range s.Records() {
				if err != nil {
					return err
				}
			}
		}
		return nil
	}
	n := 0
	for ; ; n++ {
		err := attempt(n)
		if err == nil {
			break
		}
		if !errors.Is(err, errStorage) || errors.Is(err, ErrDamaged) {
			t.Fatalf("call %d: %v", n, err)
		}
	}
	if n < 30 {
		t.Fatalf("only %d calls were made to fail", n)
	}
}
