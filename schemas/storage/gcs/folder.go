package gcs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	gcs "cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"

	"sentweave/schemas/storage"
)

// Folder is the objects of a bucket whose names begin with a prefix.
type Folder struct {
	bucket, prefix string // the prefix is empty or ends in a slash
	connect        func() (*gcs.Client, error)
	bounds         bounds
}

// String implements storage.Folder.
func (f *Folder) String() string { return f.location("") }

func (f *Folder) location(name string) string {
	return strings.TrimSuffix(Scheme+"://"+f.bucket+"/"+f.prefix+name, "/")
}

// object returns the handle of a checked name.
func (f *Folder) object(name string) (*gcs.ObjectHandle, error) {
	if err := storage.CheckName(name); err != nil {
		return nil, err
	}
	c, err := f.connect()
	if err != nil {
		return nil, err
	}
	// Objects with Content-Encoding gzip are read as they lie there: else their size
	// would not be that of what is read.
	return c.Bucket(f.bucket).Object(f.prefix + name).ReadCompressed(true), nil
}

// fault turns an error of the client into one that names the object, matches
// fs.ErrNotExist, fs.ErrExist and fs.ErrPermission, and says what is to be done.
func (f *Folder) fault(op, name string, err error) error {
	if err == nil {
		return nil
	}
	var answer *googleapi.Error
	_ = errors.As(err, &answer)
	code := 0
	if answer != nil {
		code = answer.Code
	}
	switch {
	case errors.Is(err, gcs.ErrBucketNotExist):
		err = fmt.Errorf("the bucket %s does not exist: %w", f.bucket, fs.ErrNotExist)
	case errors.Is(err, gcs.ErrObjectNotExist):
		err = fs.ErrNotExist
	case code == http.StatusNotFound && op == "write":
		return fmt.Errorf("%s %s: the bucket %s does not exist: make it, or choose another", op, f.location(name), f.bucket)
	case code == http.StatusNotFound:
		err = fs.ErrNotExist
	case code == http.StatusPreconditionFailed:
		err = fs.ErrExist
	case code == http.StatusForbidden, code == http.StatusUnauthorized:
		err = fmt.Errorf("%w: %s; the account needs roles/storage.objectUser on the bucket, or objectViewer to read", fs.ErrPermission,
			firstLine(answer.Message))
	case code == http.StatusTooManyRequests:
		err = fmt.Errorf("the bucket's quota is used up: %w", err)
	case unauthorized.MatchString(err.Error()):
		err = fmt.Errorf("%w: %w; %s", fs.ErrPermission, err, credentials)
	}
	return &fs.PathError{Op: op, Path: f.location(name), Err: err}
}

// unauthorized is in the errors of the libraries that get tokens, which have many types.
var unauthorized = regexp.MustCompile(`\b(oauth2|auth|credentials): `)

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// cause is why a call under a context with bounds has failed.
func (f *Folder) cause(bounded context.Context, err error) error {
	switch cause := context.Cause(bounded); {
	case errors.Is(cause, errStalled):
		return fmt.Errorf("%w for %s: %w", cause, f.bounds.call, err)
	case cause != nil:
		return cause
	default:
		return err
	}
}

var errStalled = errors.New("the service has not answered, or too slowly,")

// Stat implements storage.Folder.
func (f *Folder) Stat(ctx context.Context, name string) (storage.Info, error) {
	attrs, err := f.attributes(ctx, name)
	if err != nil {
		return storage.Info{}, err
	}
	return storage.Info{Name: name, Size: attrs.Size, Version: versionOf(attrs.Generation)}, nil
}

// A version is a generation, which the service counts up.
func versionOf(generation int64) string { return strconv.FormatInt(generation, 10) }

func (f *Folder) attributes(ctx context.Context, name string) (*gcs.ObjectAttrs, error) {
	o, err := f.object(name)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, f.bounds.call, errStalled)
	defer cancel()
	attrs, err := o.Attrs(ctx)
	if err != nil {
		return nil, f.fault("stat", name, f.cause(ctx, err))
	}
	return attrs, nil
}

// List implements storage.Folder. Objects whose names end in a slash, which
// browsers make in the place of folders, are left out.
func (f *Folder) List(ctx context.Context, prefix string) iter.Seq2[storage.Info, error] {
	return func(yield func(storage.Info, error) bool) {
		c, err := f.connect()
		if err != nil {
			yield(storage.Info{}, err)
			return
		}
		query := &gcs.Query{Prefix: f.prefix + prefix, Projection: gcs.ProjectionNoACL}
		if err := query.SetAttrSelection([]string{"Name", "Size", "Generation"}); err != nil {
			yield(storage.Info{}, err)
			return
		}
		listing, end := context.WithCancelCause(ctx)
		defer end(nil)
		for objects := c.Bucket(f.bucket).Objects(listing, query); ; {
			timer := time.AfterFunc(f.bounds.call, func() { end(errStalled) })
			attrs, err := objects.Next() // a page, or the next of one that is there
			timer.Stop()
			if errors.Is(err, iterator.Done) {
				return
			}
			if err != nil {
				yield(storage.Info{}, f.fault("list", prefix, f.cause(listing, err)))
				return
			}
			if strings.HasSuffix(attrs.Name, "/") {
				continue
			}
			info := storage.Info{Name: strings.TrimPrefix(attrs.Name, f.prefix), Size: attrs.Size, Version: versionOf(attrs.Generation)}
			if err := storage.CheckName(info.Name); err != nil {
				err = fmt.Errorf("%s: the name is not a clean path, so no folder can hold it", f.location(info.Name))
				if !yield(storage.Info{Name: info.Name}, err) {
					return
				}
				continue
			}
			if !yield(info, nil) {
				return
			}
		}
	}
}

// Remove implements storage.Folder.
func (f *Folder) Remove(ctx context.Context, name string) error {
	o, err := f.object(name)
	if err != nil {
		return err
	}
	return f.remove(ctx, name, o)
}

// RemoveVersion implements storage.Folder.
func (f *Folder) RemoveVersion(ctx context.Context, name, version string) error {
	o, err := f.object(name)
	if err != nil {
		return err
	}
	generation, err := strconv.ParseInt(version, 10, 64)
	if err != nil || generation <= 0 {
		return nil // which no object has
	}
	err = f.remove(ctx, name, o.If(gcs.Conditions{GenerationMatch: generation}))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func (f *Folder) remove(ctx context.Context, name string, o *gcs.ObjectHandle) error {
	ctx, cancel := context.WithTimeoutCause(ctx, f.bounds.call, errStalled)
	defer cancel()
	err := o.Delete(ctx)
	if err != nil {
		err = f.fault("remove", name, f.cause(ctx, err))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
