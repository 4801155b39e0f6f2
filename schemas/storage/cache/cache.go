// Package cache keeps local folders in the place of remote ones, for programs that
// need files on disk. It holds copies of remote folders, and scratch folders whose
// content will go to a remote one. A local location is used directly.
//
// Everything in the cache can be fetched or made again. When the folders together are
// larger than Bytes, the least recently used are deleted, except those that a process
// is using, and those of Paid.
package cache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/filelock"
)

// bytes is what the folders may take together, beside those in use.
const bytes = 16 << 30

// Variable names the folder of the cache, if it is not the user's own.
const Variable = "SENTWEAVE_CACHE"

// Parts of the cache.
const (
	copies     = "copies"
	scratch    = "scratch"
	persistent = "kept"
	paid       = "paid" // never removed
)

// Folder is a folder on the local disk. It must be closed; until then it stays.
type Folder struct {
	// Path is that of the folder. Its last element is that of the location.
	Path string
	lock *os.File // of the folder that it is in; nil for a local location
}

// Close lets the folder go when room is needed.
func (f *Folder) Close() error {
	if f.lock == nil {
		return nil
	}
	return f.lock.Close()
}

// Remove deletes the folder of a remote location, and closes it.
func (f *Folder) Remove() error {
	if f.lock == nil {
		return nil
	}
	return errors.Join(os.RemoveAll(filepath.Dir(f.Path)), f.Close())
}

// Fetch returns a local folder with those objects of a location whose names are
// wanted. A copy goes by the location and by the versions of all its objects: as long
// as nobody writes there, it is made once. Objects below _run/, which are those of
// runs and no result, do not count and cannot be wanted. A remote location without
// any object is an error that matches fs.ErrNotExist.
func Fetch(ctx context.Context, location string, want func(name string) bool) (*Folder, error) {
	if !storage.IsRemote(location) {
		return &Folder{Path: location}, nil
	}
	remote, err := storage.Locate(location)
	if err != nil {
		return nil, err
	}
	key := xxh3.New()
	var objects []storage.Info
	exists := false
	fmt.Fprintf(key, "%s\n", remote)
	for info, err := range remote.List(ctx, "") {
		if err != nil {
			return nil, fmt.Errorf("fetch %s: %w", location, err)
		}
		if strings.HasPrefix(info.Name, "_run/") {
			continue
		}
		exists = true
		fmt.Fprintf(key, "%q %s %d\n", info.Name, info.Version, info.Size)
		if want(info.Name) {
			objects = append(objects, info)
		}
	}
	if !exists {
		return nil, fmt.Errorf("%s holds nothing: %w", location, fs.ErrNotExist)
	}
	sum := key.Sum128().Bytes()
	f, err := open(copies, fmt.Sprintf("%x", sum), path.Base(remote.String()), filelock.Shared)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", location, err)
	}
	if err := f.fill(ctx, remote, objects); err != nil {
		return nil, errors.Join(fmt.Errorf("fetch %s: %w", location, wayOut(err)), f.Close())
	}
	return f, nil
}

// fill downloads what is not there.
func (f *Folder) fill(ctx context.Context, remote storage.Folder, objects []storage.Info) error {
	var missing []storage.Info
	need := int64(0)
	for _, info := range objects {
		have, err := os.Stat(filepath.Join(f.Path, filepath.FromSlash(info.Name)))
		if err != nil || have.Size() != info.Size { // files appear whole or not at all
			missing = append(missing, info)
			need += info.Size
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := MakeRoom(need); err != nil {
		return err
	}
	for _, info := range missing {
		if err := storage.Download(ctx, remote, info.Name, filepath.Join(f.Path, filepath.FromSlash(info.Name))); err != nil {
			return err
		}
	}
	return nil
}

// Scratch returns a local folder for work on a location, for one process at a time.
// It may hold what an earlier process has left there.
func Scratch(location string) (*Folder, error) {
	if !storage.IsRemote(location) {
		return &Folder{Path: location}, nil
	}
	remote, err := storage.Locate(location)
	if err != nil {
		return nil, err
	}
	if err := MakeRoom(0); err != nil {
		return nil, err
	}
	sum := xxh3.HashString128(remote.String()).Bytes()
	f, err := open(scratch, fmt.Sprintf("%x", sum), path.Base(remote.String()), filelock.Exclusive)
	if errors.Is(err, filelock.ErrBusy) {
		return nil, fmt.Errorf("another process on this machine works on %s: wait for it, or choose another --out", location)
	}
	return f, err
}

// Entry returns the local folder of what is kept under a key, for many processes at a time.
func Entry(key string) (*Folder, error) { return entryOf(persistent, key) }

// Paid is an Entry for what costs money to make again: it is not removed to make room.
func Paid(key string) (*Folder, error) { return entryOf(paid, key) }

func entryOf(part, key string) (*Folder, error) {
	sum := xxh3.HashString128(key).Bytes()
	f, err := open(part, fmt.Sprintf("%x", sum), persistent, filelock.Shared)
	if err != nil {
		return nil, fmt.Errorf("open the cache: %w", wayOut(err))
	}
	return f, nil
}

// open locks and makes an entry for a folder of a name. A shared lock waits for a removal.
func open(part, key, name string, mode filelock.Mode) (*Folder, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	entry := filepath.Join(root, part, key)
	f := &Folder{Path: filepath.Join(entry, name)}
	for {
		if err := os.MkdirAll(f.Path, 0o777); err != nil {
			return nil, err
		}
		if f.lock, err = os.Open(entry); err != nil {
			if errors.Is(err, fs.ErrNotExist) { // removed just now
				continue
			}
			return nil, err
		}
		if _, err := filelock.Lock(f.lock, mode, mode == filelock.Shared); err != nil {
			return nil, errors.Join(err, f.lock.Close())
		}
		locked, lockedErr := f.lock.Stat()
		current, err := os.Stat(entry)
		if lockedErr == nil && err == nil && os.SameFile(locked, current) {
			break
		}
		_ = f.lock.Close() // somebody made room before it was locked
	}
	if err := os.MkdirAll(f.Path, 0o777); err != nil {
		return nil, errors.Join(err, f.lock.Close())
	}
	now := time.Now()
	_ = os.Chtimes(entry, now, now) // without it, it goes earlier
	return f, nil
}

// Root is the folder of the cache: $SENTWEAVE_CACHE, or the user's own for this program.
func Root() (string, error) {
	if dir := os.Getenv(Variable); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w; $%s names a folder for copies of what lies elsewhere", err, Variable)
	}
	return filepath.Join(dir, "sentweave"), nil
}

func wayOut(err error) error {
	return storage.WayOut(err, ", or give another disk's folder as $"+Variable)
}
