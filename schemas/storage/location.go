package storage

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A location is the path of a local file or folder, or begins with the scheme of a
// backend: gs://BUCKET/FOLDER, or https://HOST/FOLDER, which is read only. The functions below are to locations what package
// filepath is to paths.

// IsRemote says whether a location has a scheme.
func IsRemote(location string) bool { return strings.Contains(location, "://") }

// IsAddress says whether a location is on a web server, whose files are read by their names alone: nobody lists or writes them.
func IsAddress(location string) bool {
	return strings.HasPrefix(location, "https://") || strings.HasPrefix(location, "http://")
}

// hosts are the addresses by which browsers and other programs name what lies in a
// bucket, with the scheme that names it here.
var hosts = []struct{ prefix, scheme string }{
	{"https://storage.googleapis.com/", "gs"}, {"https://storage.cloud.google.com/", "gs"},
	{"https://console.cloud.google.com/storage/browser/", "gs"}, {"https://www.googleapis.com/storage/v1/b/", "gs"},
}

// checkScheme refuses a location with a scheme that there is no backend for, and one
// that would be taken for a path but was meant to have a scheme.
func checkScheme(location string) error {
	scheme, _, remote := strings.Cut(location, "://")
	for _, h := range hosts {
		if rest, ok := strings.CutPrefix(location, h.prefix); ok {
			return fmt.Errorf("location %q is an address for browsers: give %s://%s", location, h.scheme, rest)
		}
	}
	if remote && backends[scheme] != nil {
		return nil
	}
	if remote {
		choices := ""
		for _, name := range slices.Sorted(maps.Keys(backends)) {
			if name == "http" { // of this machine alone
				continue
			}
			choices += ", or a location with " + name + "://"
		}
		return fmt.Errorf("location %q: scheme %q is not supported, give the path of a local folder%s", location, scheme, choices)
	}
	for scheme := range backends {
		if rest, ok := strings.CutPrefix(location, scheme+":"); ok {
			return fmt.Errorf("location %q: a location begins with %s:// (give %s://%s), and a local folder of that name with ./", location,
				scheme, scheme, strings.TrimLeft(rest, "/"))
		}
	}
	return nil
}

// Absolute returns a location that means the same in a process with another
// working folder.
func Absolute(location string) (string, error) {
	if location == "" || IsRemote(location) {
		return location, nil
	}
	if err := checkScheme(location); err != nil {
		return "", err
	}
	return filepath.Abs(location)
}

// Join returns the location of a name with slashes in a folder.
func Join(folder string, names ...string) string {
	if IsRemote(folder) {
		folder, name := strings.TrimSuffix(folder, "/"), path.Join(names...)
		if name == "" || name == "." {
			return folder
		}
		return folder + "/" + name
	}
	return filepath.Join(append([]string{folder}, filepath.FromSlash(path.Join(names...)))...)
}

// Split returns the folder of a file, and its name in it.
func Split(location string) (folder, name string, err error) {
	if !IsRemote(location) {
		if err := checkScheme(location); err != nil {
			return "", "", err
		}
		return filepath.Dir(location), filepath.Base(location), nil
	}
	scheme, rest, _ := strings.Cut(location, "://")
	i := strings.LastIndexByte(rest, '/')
	if i <= 0 || i == len(rest)-1 {
		return "", "", fmt.Errorf("location %q names no file: give %s://BUCKET/FILE", location, scheme)
	}
	return scheme + "://" + rest[:i], rest[i+1:], nil
}

// LocateFile returns the folder of a file that a user names, and the file's name there. Temporary files of a local folder have
// hidden names beside the file. A location that ends with a slash is an error.
func LocateFile(location string) (Folder, string, error) {
	if strings.HasSuffix(location, "/") {
		return nil, "", fmt.Errorf("%s is the name of a folder; give a file", location)
	}
	absolute, err := Absolute(location)
	if err != nil {
		return nil, "", err
	}
	parent, name, err := Split(absolute)
	if err != nil {
		return nil, "", err
	}
	folder, err := Locate(parent)
	if local, ok := folder.(*Local); ok {
		folder = local.Beside()
	}
	return folder, name, err
}

// Relative returns the name of a location in a folder, with slashes, or false if it
// lies elsewhere. Both are absolute. The name of the folder itself is ".".
func Relative(folder, location string) (name string, inside bool) {
	if IsRemote(folder) || IsRemote(location) {
		folder, location = strings.TrimSuffix(folder, "/"), strings.TrimSuffix(location, "/")
		if folder == location {
			return ".", true
		}
		return strings.CutPrefix(location, folder+"/")
	}
	relative, err := filepath.Rel(folder, location)
	if err != nil || !filepath.IsLocal(relative) {
		return "", false
	}
	return filepath.ToSlash(relative), true
}

// Resolved is an absolute location whose links are followed as far as it exists. A remote location has none.
func Resolved(location string) string {
	if IsRemote(location) {
		return location
	}
	if absolute, err := filepath.Abs(location); err == nil {
		location = absolute
	}
	if target, err := filepath.EvalSymlinks(location); err == nil {
		return target
	}
	if target, err := os.Readlink(location); err == nil { // to what does not exist
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(location), target)
		}
		return filepath.Clean(target)
	}
	if parent := filepath.Dir(location); parent != location {
		return filepath.Join(Resolved(parent), filepath.Base(location))
	}
	return location
}

// Beneath returns an error where a name in a folder leads out of the folder by a link. Whoever names a file
// in a file that others may have written asks first.
func Beneath(folder Folder, name string) error {
	local, ok := folder.(*Local)
	if !ok {
		return nil
	}
	if _, inside := Relative(Resolved(local.root), Resolved(local.path(name))); !inside {
		return fmt.Errorf("%s leads out of %s by a link: copy the file into the folder", name, folder)
	}
	return nil
}

// OpenFile opens the file at a location.
func OpenFile(ctx context.Context, location string) (Object, error) {
	folder, name, err := atFile(location)
	if err != nil {
		return nil, err
	}
	return folder.Open(ctx, name)
}

// ReadLocation reads a file whole, of at most limit bytes.
func ReadLocation(ctx context.Context, location string, limit int64) ([]byte, error) {
	folder, name, err := atFile(location)
	if err != nil {
		return nil, err
	}
	return ReadFile(ctx, folder, name, limit)
}

func atFile(location string) (folder Folder, name string, err error) {
	parent, name, err := Split(location)
	if err == nil {
		folder, err = Locate(parent)
	}
	return folder, name, err
}
