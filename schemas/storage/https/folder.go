// Package https reads files of web servers below an address: https://HOST/FOLDER. Nothing is listed, written or kept on the
// disk; names come from a list, such as the warc.paths.gz of Common Crawl.
//
// A file is read as one stream, by a request for a range of bytes. Where the stream breaks or stalls, another request goes on at
// the byte that was reached. Each answer must be of the version of the file that was opened: its ETag, or else the time of its last
// change, and its size are compared before a byte is used. Of a server without ranges the bytes before are read again and passed over.
//
// Requests that fail for a reason that may pass are repeated after pauses that double, or that the server asks for. Redirects are
// followed to https alone. Plain http is for servers on this machine.
package https

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"sentweave/schemas/storage"
)

// Register has storage.Locate take addresses. Nothing is connected to before a folder is used.
func Register() {
	storage.Register("https", open)
	storage.Register("http", open)
}

// Folder is the files of a server below an address.
type Folder struct {
	base   url.URL // its path ends in a slash
	client *client
}

// shared is the client of all folders of the process.
var shared = newClient(http.DefaultTransport.(*http.Transport), patient)

func open(location string) (storage.Folder, error) {
	u, err := url.Parse(location)
	switch {
	case err != nil:
		return nil, fmt.Errorf("location %q is no address such as https://HOST/FOLDER: %w", location, errors.Unwrap(err))
	case u.User != nil:
		return nil, fmt.Errorf("location %s://%s holds a user or password, which would be written into plans: give an address that needs none",
			u.Scheme, u.Host)
	case u.Host == "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, fmt.Errorf("location %q: give https://HOST/FOLDER, without what follows a ? or #", location)
	case !Allowed(u):
		return nil, fmt.Errorf("location %q: plain http is read from this machine alone: give https://%s", location, u.Host+u.Path)
	}
	return &Folder{base: url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(u.Path, "/") + "/"}, client: shared}, nil
}

// Allowed says whether an address may be asked for: by https, or by http on this machine.
func Allowed(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

// String implements storage.Folder.
func (f *Folder) String() string { return strings.TrimSuffix(f.base.String(), "/") }

// address is that of a name.
func (f *Folder) address(name string) string {
	u := f.base
	u.Path += name
	return u.String()
}

// state is what answers say of a version of a file.
type state struct {
	size              int64
	tag, lastModified string
}

// stateOf reads the headers of an answer. The size is that of the whole file, -1 if unknown.
func stateOf(response *http.Response) state {
	s := state{size: response.ContentLength, tag: response.Header.Get("ETag"), lastModified: response.Header.Get("Last-Modified")}
	if response.StatusCode == http.StatusPartialContent || response.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		_, total, _ := strings.Cut(response.Header.Get("Content-Range"), "/")
		size, err := strconv.ParseInt(total, 10, 64)
		if err != nil {
			size = -1
		}
		s.size = size
	}
	return s
}

// same says whether an answer is of the same version, as far as it tells. Weak tags name the same file as strong ones.
func (s state) same(other state) bool {
	differ := func(a, b string) bool {
		return a != "" && b != "" && strings.TrimPrefix(a, "W/") != strings.TrimPrefix(b, "W/")
	}
	if other.size >= 0 && other.size != s.size || differ(s.tag, other.tag) {
		return false
	}
	return s.tag != "" && other.tag != "" || !differ(s.lastModified, other.lastModified)
}

// Stat implements storage.Folder. The version is the ETag, else the time of the last change, else "".
func (f *Folder) Stat(ctx context.Context, name string) (storage.Info, error) {
	s, err := f.look(ctx, name)
	return storage.Info{Name: name, Size: s.size, Version: cmp.Or(s.tag, s.lastModified)}, err
}

// look asks for the size and version of a file: by HEAD or, where a server refuses that or tells no size, by its first byte.
func (f *Folder) look(ctx context.Context, name string) (s state, err error) {
	if err := storage.CheckName(name); err != nil {
		return state{}, err
	}
	failures := 0
	err = f.repeat(ctx, name, &failures, func() (err error) {
		if s, err = f.ask(ctx, request{method: http.MethodHead, name: name}); err == nil || !errors.Is(err, errMethod) {
			return err
		}
		s, err = f.ask(ctx, request{method: http.MethodGet, name: name, ranged: "bytes=0-0"})
		return err
	})
	return s, err
}

func (f *Folder) ask(ctx context.Context, ask request) (state, error) {
	answer, err := f.send(ctx, ask)
	if err != nil {
		return state{}, err
	}
	answer.close()
	if answer.size < 0 {
		return state{}, fmt.Errorf("%w: the size of the file is not among the headers", errMethod)
	}
	return answer.state, nil
}

// Open implements storage.Folder. Reads are of the version that was there when it was opened, and end with ctx.
func (f *Folder) Open(ctx context.Context, name string) (storage.Object, error) {
	s, err := f.look(ctx, name)
	if err != nil {
		return nil, err
	}
	return &object{ctx: ctx, folder: f, name: name, state: s}, nil
}

// List implements storage.Folder: it is an error that matches errors.ErrUnsupported.
func (f *Folder) List(context.Context, string) iter.Seq2[storage.Info, error] {
	return func(yield func(storage.Info, error) bool) {
		yield(storage.Info{}, fmt.Errorf("%s: a web server lists no files: `corpus` reads those that --paths names, and other verbs read local folders and gs://: %w",
			f, errors.ErrUnsupported))
	}
}

func (f *Folder) readOnly(name string) error {
	return &fs.PathError{Op: "write", Path: f.address(name), Err: fmt.Errorf("addresses of the web are read only: give a local folder or gs://: %w",
		errors.ErrUnsupported)}
}

// Create implements storage.Folder: it is an error, as are the others that change something.
func (f *Folder) Create(_ context.Context, name string, _ storage.Condition) (storage.Writer, error) {
	return nil, f.readOnly(name)
}

// Remove implements storage.Folder.
func (f *Folder) Remove(_ context.Context, name string) error { return f.readOnly(name) }

// RemoveVersion implements storage.Folder.
func (f *Folder) RemoveVersion(_ context.Context, name, _ string) error { return f.readOnly(name) }

// isPage says whether an answer is a web page in the place of a file with another ending, as portals, and servers that
// miss the file, give it.
func isPage(response *http.Response, name string) bool {
	ending := strings.ToLower(path.Ext(name))
	return strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") && ending != "" && !strings.Contains(ending, "htm")
}
