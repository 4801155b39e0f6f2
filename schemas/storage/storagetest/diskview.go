package storagetest

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"sentweave/schemas/storage"
)

// View returns the disk as a process sees it. Before is called before each operation with
// its name and path, and may end it with an error, or wait; after is told what stood at
// the path when it began; nil is nothing. Files made here have numbers of their own from
// first on, whatever others do meanwhile; 0 is no such promise.
func (d *Disk) View(before func(operation, path string) error, after func(operation, path, found string), first uint64) storage.Disk {
	return &view{disk: d, before: before, after: after, next: first}
}

type view struct {
	disk   *Disk
	before func(operation, path string) error
	after  func(operation, path, found string)
	next   uint64
}

// enter begins an operation, which leave ends.
func (v *view) enter(operation, path string) (leave func(), err error) {
	if v.before != nil {
		if err := v.before(operation, path); err != nil {
			return nil, err
		}
	}
	v.disk.mutex.Lock()
	if v.after != nil {
		v.after(operation, path, v.disk.found(path))
	}
	return v.disk.mutex.Unlock, nil
}

// found tells of what is at a path by numbers, which a process that looks there learns.
func (d *Disk) found(path string) string {
	n, err := d.find("", path)
	if err != nil {
		return "nothing"
	}
	numbers := []uint64{n.number, uint64(len(n.data))}
	for _, e := range n.entries {
		numbers = append(numbers, e.number)
	}
	slices.Sort(numbers[2:])
	return fmt.Sprint(numbers)
}

func (v *view) number() uint64 {
	if v.next == 0 {
		return 0
	}
	v.next++
	return v.next
}

func pathError(operation, path string, err error) error {
	return &fs.PathError{Op: operation, Path: path, Err: err}
}

// find returns what is at a path.
func (d *Disk) find(operation, path string) (*node, error) {
	current := d.root
	for _, part := range strings.Split(filepath.Clean(path), "/") {
		if part == "" || part == "." {
			continue
		}
		if !current.folder {
			return nil, pathError(operation, path, syscall.ENOTDIR)
		}
		next, ok := current.entries[part]
		if !ok {
			return nil, pathError(operation, path, syscall.ENOENT)
		}
		current = next
	}
	return current, nil
}

// parent returns the folder of a path, and the name in it.
func (d *Disk) parent(operation, path string) (*node, string, error) {
	parent, name := filepath.Split(filepath.Clean(path))
	folder, err := d.find(operation, parent)
	if err == nil && !folder.folder {
		err = pathError(operation, path, syscall.ENOTDIR)
	}
	return folder, name, err
}

// set changes an entry of a folder; nil removes it.
func (n *node) set(name string, target *node) {
	if target == nil {
		delete(n.entries, name)
	} else {
		n.entries[name] = target
	}
	n.changes = append(n.changes, change{name, target})
}

func (v *view) Stat(path string) (fs.FileInfo, error) {
	leave, err := v.enter("stat", path)
	if err != nil {
		return nil, err
	}
	defer leave()
	n, err := v.disk.find("stat", path)
	if err != nil {
		return nil, err
	}
	return n.info(filepath.Base(path)), nil
}

func (v *view) ReadDir(path string) ([]fs.DirEntry, error) {
	leave, err := v.enter("list", path)
	if err != nil {
		return nil, err
	}
	defer leave()
	n, err := v.disk.find("list", path)
	if err != nil {
		return nil, err
	}
	var entries []fs.DirEntry
	for _, name := range sortedNames(n.entries) {
		entries = append(entries, fs.FileInfoToDirEntry(n.entries[name].info(name)))
	}
	return entries, nil
}

func (v *view) Open(path string) (storage.DiskFile, error) {
	leave, err := v.enter("open", path)
	if err != nil {
		return nil, err
	}
	defer leave()
	n, err := v.disk.find("open", path)
	if err != nil {
		return nil, err
	}
	return &file{view: v, node: n, path: path}, nil
}

func (v *view) Create(path string) (storage.DiskFile, error) {
	leave, err := v.enter("create", path)
	if err != nil {
		return nil, err
	}
	defer leave()
	folder, name, err := v.disk.parent("create", path)
	if err != nil {
		return nil, err
	}
	if folder.entries[name] != nil {
		return nil, pathError("create", path, syscall.EEXIST)
	}
	n := v.disk.newNode(false, v.number())
	folder.set(name, n)
	return &file{view: v, node: n, path: path}, nil
}

func (v *view) Append(path string) (storage.DiskFile, error) {
	if _, err := v.Stat(path); err == nil {
		return v.Open(path)
	}
	return v.Create(path)
}

func (v *view) Mkdir(path string) error {
	leave, err := v.enter("mkdir", path)
	if err != nil {
		return err
	}
	defer leave()
	folder, name, err := v.disk.parent("mkdir", path)
	if err != nil {
		return err
	}
	if folder.entries[name] != nil {
		return pathError("mkdir", path, syscall.EEXIST)
	}
	folder.set(name, v.disk.newNode(true, v.number()))
	return nil
}

func (v *view) Link(from, to string) error {
	return v.move("link", from, to, v.disk.NoLinks, syscall.EPERM)
}

func (v *view) Rename(from, to string) error { return v.move("rename", from, to, false, nil) }

func (v *view) RenameNew(from, to string) error {
	return v.move("renamenew", from, to, v.disk.NoNewRenames, syscall.EINVAL)
}

func (v *view) move(operation, from, to string, lacks bool, because error) error {
	leave, err := v.enter(operation, to)
	if err != nil {
		return err
	}
	defer leave()
	fail := func(err error) error { return &os.LinkError{Op: operation, Old: from, New: to, Err: err} }
	if lacks {
		return fail(because)
	}
	source, name, err := v.disk.parent(operation, from)
	if err != nil {
		return err
	}
	n := source.entries[name]
	if n == nil {
		return fail(syscall.ENOENT)
	}
	target, newName, err := v.disk.parent(operation, to)
	if err != nil {
		return err
	}
	if operation != "rename" && target.entries[newName] != nil {
		return fail(syscall.EEXIST)
	}
	target.set(newName, n)
	if operation != "link" {
		source.set(name, nil)
	}
	return nil
}

func (v *view) Remove(path string) error {
	leave, err := v.enter("remove", path)
	if err != nil {
		return err
	}
	defer leave()
	folder, name, err := v.disk.parent("remove", path)
	if err != nil {
		return err
	}
	n := folder.entries[name]
	switch {
	case n == nil:
		return pathError("remove", path, syscall.ENOENT)
	case len(n.entries) > 0:
		return pathError("remove", path, syscall.ENOTEMPTY)
	}
	folder.set(name, nil)
	return nil
}

func (v *view) Lock(path string) (unlock func(), locked bool, err error) {
	leave, err := v.enter("lock", path)
	if err != nil {
		return nil, false, err
	}
	n, err := v.disk.find("lock", path)
	if err != nil || v.disk.NoLocks {
		leave()
		return func() {}, false, err
	}
	lock := v.disk.locks[n]
	if lock == nil {
		lock = make(chan struct{}, 1)
		v.disk.locks[n] = lock
	}
	leave()
	lock <- struct{}{}
	return func() { <-lock }, true, nil
}

type file struct {
	view *view
	node *node
	path string
}

func (f *file) Name() string { return f.path }

func (f *file) Close() error { return nil }

func (f *file) Stat() (fs.FileInfo, error) {
	f.view.disk.mutex.Lock()
	defer f.view.disk.mutex.Unlock()
	return f.node.info(filepath.Base(f.path)), nil
}

func (f *file) ReadAt(p []byte, offset int64) (int, error) {
	f.view.disk.mutex.Lock()
	defer f.view.disk.mutex.Unlock()
	if offset >= int64(len(f.node.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.node.data[offset:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *file) Write(p []byte) (int, error) {
	leave, err := f.view.enter("write", f.path)
	if err != nil {
		return 0, err
	}
	defer leave()
	f.node.data = append(f.node.data[:len(f.node.data):len(f.node.data)], p...)
	return len(p), nil
}

func (f *file) Sync() error {
	leave, err := f.view.enter("sync", f.path)
	if err != nil {
		return err
	}
	defer leave()
	n := f.node
	n.lasting = n.data
	if n.folder && len(n.changes) > 0 {
		n.changes, n.synced = nil, make(map[string]*node, len(n.entries))
		for name, e := range n.entries {
			n.synced[name] = e
		}
	}
	return nil
}

func (n *node) info(name string) fs.FileInfo {
	i := info{name: name, size: int64(len(n.data)), number: n.number, folder: n.folder}
	if i.folder {
		i.mode = fs.ModeDir
	}
	return i
}

// info describes a node; its number is that of an inode, which nothing else ever has.
type info struct {
	name   string
	size   int64
	number uint64
	mode   fs.FileMode
	folder bool
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode | 0o666 }
func (i info) ModTime() time.Time { return time.Unix(0, 0) }
func (i info) IsDir() bool        { return i.folder }
func (i info) Sys() any           { return &syscall.Stat_t{Ino: i.number} }
