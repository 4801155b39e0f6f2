package storagetest

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sentweave/schemas/storage"
)

// Bucket is a bucket in memory, with generations as those of Google Cloud Storage: every
// operation on one object, and every list, happens at one moment.
type Bucket struct {
	mutex   sync.Mutex
	objects map[string]blob
	last    map[string]int // generation, by name
}

type blob struct {
	data       []byte
	generation int
}

// NewBucket returns an empty bucket.
func NewBucket() *Bucket {
	return &Bucket{objects: map[string]blob{}, last: map[string]int{}}
}

// View returns the bucket as a process sees it. Before is called before each operation
// with its name and that of the object, and may end it with an error, or wait; nil is
// nothing. After is told what became of it.
func (b *Bucket) View(before func(operation, name string) error, after func(operation, name, outcome string)) storage.Folder {
	return &bucketView{b, before, after}
}

type bucketView struct {
	bucket *Bucket
	before func(operation, name string) error
	after  func(operation, name, outcome string)
}

func (v *bucketView) do(operation, name string, act func(b *Bucket) (outcome string, err error)) error {
	if v.before != nil {
		if err := v.before(operation, name); err != nil {
			return err
		}
	}
	v.bucket.mutex.Lock()
	outcome, err := act(v.bucket)
	v.bucket.mutex.Unlock()
	if v.after != nil {
		if err != nil {
			outcome = err.Error()
		}
		v.after(operation, name, outcome)
	}
	return err
}

// String implements storage.Folder.
func (v *bucketView) String() string { return "memory://bucket" }

func absent(operation, name string) error {
	return &fs.PathError{Op: operation, Path: name, Err: fs.ErrNotExist}
}

func (o blob) info(name string) storage.Info {
	return storage.Info{Name: name, Size: int64(len(o.data)), Version: strconv.Itoa(o.generation)}
}

// Stat implements storage.Folder.
func (v *bucketView) Stat(_ context.Context, name string) (info storage.Info, err error) {
	if err := storage.CheckName(name); err != nil {
		return storage.Info{}, err
	}
	err = v.do("stat", name, func(b *Bucket) (string, error) {
		o, ok := b.objects[name]
		if !ok {
			return "", absent("stat", name)
		}
		info = o.info(name)
		return info.Version, nil
	})
	return info, err
}

type opened struct{ *bytes.Reader }

func (opened) Close() error { return nil }

// Open implements storage.Folder.
func (v *bucketView) Open(_ context.Context, name string) (object storage.Object, err error) {
	if err := storage.CheckName(name); err != nil {
		return nil, err
	}
	err = v.do("open", name, func(b *Bucket) (string, error) {
		o, ok := b.objects[name]
		if !ok {
			return "", absent("open", name)
		}
		object = opened{bytes.NewReader(o.data)}
		return strconv.Itoa(o.generation), nil
	})
	return object, err
}

// List implements storage.Folder.
func (v *bucketView) List(_ context.Context, prefix string) iter.Seq2[storage.Info, error] {
	return func(yield func(storage.Info, error) bool) {
		var objects []storage.Info
		err := v.do("list", prefix, func(b *Bucket) (string, error) {
			for _, name := range slices.Sorted(maps.Keys(b.objects)) {
				if strings.HasPrefix(name, prefix) {
					objects = append(objects, b.objects[name].info(name))
				}
			}
			return fmt.Sprint(objects), nil
		})
		if err != nil {
			yield(storage.Info{}, err)
			return
		}
		for _, info := range objects {
			if !yield(info, nil) {
				return
			}
		}
	}
}

// Remove implements storage.Folder.
func (v *bucketView) Remove(_ context.Context, name string) error {
	return v.remove(name, func(blob) bool { return true })
}

// RemoveVersion implements storage.Folder.
func (v *bucketView) RemoveVersion(_ context.Context, name, version string) error {
	return v.remove(name, func(o blob) bool { return strconv.Itoa(o.generation) == version })
}

func (v *bucketView) remove(name string, matches func(blob) bool) error {
	if err := storage.CheckName(name); err != nil {
		return err
	}
	return v.do("remove", name, func(b *Bucket) (string, error) {
		if o, ok := b.objects[name]; ok && matches(o) {
			delete(b.objects, name)
			return "removed", nil
		}
		return "not there", nil
	})
}

// Create implements storage.Folder.
func (v *bucketView) Create(_ context.Context, name string, condition storage.Condition) (storage.Writer, error) {
	if err := storage.CheckName(name); err != nil {
		return nil, err
	}
	return &bucketWriter{view: v, name: name, condition: condition}, nil
}

type bucketWriter struct {
	view      *bucketView
	name      string
	condition storage.Condition
	data      bytes.Buffer
	spent     bool
	version   string
}

// Write implements io.Writer.
func (w *bucketWriter) Write(p []byte) (int, error) {
	if w.spent {
		return 0, fs.ErrClosed
	}
	return w.data.Write(p)
}

// Commit implements storage.Writer.
func (w *bucketWriter) Commit() error {
	if w.spent {
		return fs.ErrClosed
	}
	w.spent = true
	return w.view.do("write", w.name, func(b *Bucket) (string, error) {
		existing, ok := b.objects[w.name]
		expected, versioned := w.condition.Version()
		if w.condition == storage.IfAbsent && ok || versioned && (!ok || strconv.Itoa(existing.generation) != expected) {
			return "", &fs.PathError{Op: "write", Path: w.name, Err: fs.ErrExist}
		}
		b.last[w.name]++
		b.objects[w.name] = blob{w.data.Bytes(), b.last[w.name]}
		w.version = strconv.Itoa(b.last[w.name])
		return w.version, nil
	})
}

// Version implements storage.Writer.
func (w *bucketWriter) Version() string { return w.version }

// Abort implements storage.Writer.
func (w *bucketWriter) Abort() { w.spent = true }
