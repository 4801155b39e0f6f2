// Package storage reads and writes objects in folders. Datasets touch the outside only
// through its interface Folder, so other backends can be added behind it.
//
// # Guarantees
//
// An object appears under its name whole or not at all: a Writer publishes on Commit,
// and nothing is visible before. Create with IfAbsent or IfVersion lets exactly one of
// several concurrent writers win; the others get an error that matches fs.ErrExist.
// Names use slashes, are relative and never leave the folder. storagetest.Acceptance
// checks every backend for this.
package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// Folder is a tree of objects under one location. All methods may be called
// from many goroutines. Errors name the object and match fs.ErrNotExist and
// fs.ErrExist where these are the reason.
type Folder interface {
	// String returns the location in the form in which a user gives it.
	String() string
	// Stat describes one object.
	Stat(ctx context.Context, name string) (Info, error)
	// Open opens an object for reads at any offset.
	Open(ctx context.Context, name string) (Object, error)
	// Create starts a new object. Nothing is visible before the writer's Commit.
	Create(ctx context.Context, name string, condition Condition) (Writer, error)
	// List yields the objects whose names begin with prefix, in byte order of their
	// names, at any depth. A folder that does not exist has no objects. An object
	// that cannot be looked at is yielded by its name and with the error.
	List(ctx context.Context, prefix string) iter.Seq2[Info, error]
	// Remove deletes one object. It is not an error if the object does not exist.
	Remove(ctx context.Context, name string) error
	// RemoveVersion deletes the version of an object that Stat or List returned. If
	// the object is gone, or was written since, it does nothing and returns no error.
	RemoveVersion(ctx context.Context, name, version string) error
}

// ErrDangling is the error for links in a local folder that lead to nothing.
var ErrDangling = errors.New("link that leads nowhere")

// ErrIrregular is the error for entries of a local folder that are neither files nor
// folders: links to folders, which could form circles, and devices.
var ErrIrregular = errors.New("it is a link to a folder, or no file; links to folders are not followed")

// ErrUnavailable is the error for objects that may be there, but that a remote place did not give, for all tries.
var ErrUnavailable = errors.New("not available")

// Info describes an object.
type Info struct {
	// Name is relative to the folder, with slashes.
	Name string
	Size int64
	// Version tells the states of an object apart: it changes whenever the object is
	// written. It means nothing else, and can only be compared with versions of the
	// same name.
	Version string
}

// Object is an open object. ReadAt may be called from many goroutines.
type Object interface {
	io.ReaderAt
	io.Closer
	// Size is the object's length in bytes.
	Size() int64
}

// Condition says when Commit may publish.
type Condition string

const (
	// Replace publishes whether or not an object of that name exists.
	Replace Condition = ""
	// IfAbsent publishes only if no object of that name exists; otherwise Commit
	// returns an error that matches fs.ErrExist and leaves the present one alone.
	IfAbsent Condition = "absent"

	versioned = "version "
)

// IfVersion publishes only if it replaces the version of the object that Stat or List
// returned. If the object has been written or removed since, Commit returns an error
// that matches fs.ErrExist, and changes nothing.
func IfVersion(version string) Condition { return versioned + Condition(version) }

// Version returns the version that an object must have, false for other conditions.
func (c Condition) Version() (version string, ok bool) {
	return strings.CutPrefix(string(c), versioned)
}

// Writer writes one object. After Commit or Abort it is spent. Abort after
// Commit does nothing, so that it can be deferred.
type Writer interface {
	io.Writer
	// Commit makes the object durable and visible. After a Write that failed it
	// returns that error and publishes nothing.
	Commit() error
	// Version is that of the object which Commit has published.
	Version() string
	// Abort drops what was written.
	Abort()
}

// backends open the locations of a scheme.
var backends = map[string]func(location string) (Folder, error){}

// Register makes At open locations that begin with the scheme with a function.
// Programs call it for each of their backends, before anything else.
func Register(scheme string, open func(location string) (Folder, error)) { backends[scheme] = open }

// Locate returns the folder at a location, which need not exist yet: the path of a
// local folder, or a location with the scheme of a registered backend.
func Locate(location string) (Folder, error) {
	if location == "" {
		return nil, fmt.Errorf("the location of a folder is empty")
	}
	if err := checkScheme(location); err != nil {
		return nil, err
	}
	if scheme, _, ok := strings.Cut(location, "://"); ok {
		return backends[scheme](location)
	}
	info, err := os.Stat(location)
	if err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file; a folder is wanted", location)
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("%s lies in what is a file; a folder is wanted", location)
	}
	return NewLocal(location), nil
}

// CheckName returns an error unless name is a clean relative path that stays in
// its folder.
func CheckName(name string) error {
	if name == "" || name == "." || name != path.Clean(name) || !filepath.IsLocal(filepath.FromSlash(name)) ||
		strings.ContainsRune(name, 0) {
		return &fs.PathError{Op: "name", Path: name, Err: fs.ErrInvalid}
	}
	return nil
}

// ErrTooLarge: an object has more bytes than are read whole.
var ErrTooLarge = errors.New("too large")

// ReadFile returns the content of an object of at most limit bytes. A larger
// one is an error that matches ErrTooLarge: small objects (plans, receipts, manifests) are
// read whole, so that their size must be bounded.
func ReadFile(ctx context.Context, folder Folder, name string, limit int64) ([]byte, error) {
	object, err := folder.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	if object.Size() > limit {
		return nil, fmt.Errorf("read %s in %s: %w: %d bytes are more than the limit of %d", name, folder, ErrTooLarge, object.Size(), limit)
	}
	data := make([]byte, object.Size())
	if _, err := io.ReadFull(io.NewSectionReader(object, 0, object.Size()), data); err != nil {
		return nil, fmt.Errorf("read %s in %s: %w", name, folder, err)
	}
	return data, nil
}

// IsHidden says whether a name, or a folder on its way, begins with a point or an
// underscore: files of systems and of runs, not of users.
func IsHidden(name string) bool {
	for element := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(element, ".") || strings.HasPrefix(element, "_") {
			return true
		}
	}
	return false
}

// CheckWritable returns an error if no object can be written under name, before there is anything to write.
func CheckWritable(ctx context.Context, folder Folder, name string) error {
	w, err := folder.Create(ctx, name, Replace)
	if err == nil {
		w.Abort()
	}
	return err
}

// WriteFile publishes data under name.
func WriteFile(ctx context.Context, folder Folder, name string, data []byte, condition Condition) error {
	_, err := WriteVersion(ctx, folder, name, data, condition)
	return err
}

// writeTries is how often a file is written that somebody removes before it has its name:
// another process that has ended the same work and sweeps.
const writeTries = 5

// WriteVersion is WriteFile and also returns the version that it has published.
func WriteVersion(ctx context.Context, folder Folder, name string, data []byte, condition Condition) (version string, err error) {
	for try := 1; ; try++ {
		version, err = writeVersion(ctx, folder, name, data, condition)
		if try == writeTries || !errors.Is(err, fs.ErrNotExist) {
			return version, err
		}
	}
}

func writeVersion(ctx context.Context, folder Folder, name string, data []byte, condition Condition) (string, error) {
	w, err := folder.Create(ctx, name, condition)
	if err != nil {
		return "", err
	}
	defer w.Abort()
	if _, err := w.Write(data); err != nil {
		return "", fmt.Errorf("write %s in %s: %w", name, folder, err)
	}
	err = w.Commit()
	return w.Version(), err
}
