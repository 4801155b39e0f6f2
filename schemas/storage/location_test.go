package storage_test

import (
	"os"
	"path/filepath"
	"testing"

	"sentweave/schemas/storage"
)

func TestJoinAndSplit(t *testing.T) {
	for _, test := range []struct{ folder, name, want string }{
		{"data", "a/b.txt", "data/a/b.txt"},
		{"/x/", "a", "/x/a"},
		{".", "a", "a"},
		{"gs://b", "a", "gs://b/a"},
		{"gs://b/x/", "a/b.txt", "gs://b/x/a/b.txt"},
	} {
		got := storage.Join(test.folder, test.name)
		if got != filepath.FromSlash(test.want) {
			t.Errorf("%s + %s is %s, want %s", test.folder, test.name, got, test.want)
		}
		folder, name, err := storage.Split(got)
		if err != nil || storage.Join(folder, name) != got {
			t.Errorf("%s splits into %s and %s, %v", got, folder, name, err)
		}
	}
	for _, location := range []string{"gs://", "gs://b", "gs://b/", "gs://b/x/"} {
		if folder, name, err := storage.Split(location); err == nil {
			t.Errorf("%s splits into %s and %s", location, folder, name)
		}
	}
}

func TestJoinNothing(t *testing.T) {
	for _, name := range []string{"", "."} {
		if got := storage.Join("gs://b/x/", name); got != "gs://b/x" {
			t.Errorf("gs://b/x/ + %q is %s", name, got)
		}
	}
}

func TestRelative(t *testing.T) {
	for _, test := range []struct {
		folder, location, want string
		inside                 bool
	}{
		{"/a", "/a/b/c", "b/c", true}, {"/a", "/a", ".", true}, {"/a", "/ab", "", false}, {"/a/b", "/a", "", false},
		{"gs://b/x", "gs://b/x/y/z", "y/z", true}, {"gs://b/x", "gs://b/x/", ".", true}, {"gs://b/x", "gs://b/xy", "", false},
		{"gs://b", "gs://c/x", "", false}, {"gs://b", "gs://b/x", "x", true}, {"/a", "gs://b/x", "", false}, {"gs://b", "/a", "", false},
	} {
		got, inside := storage.Relative(test.folder, test.location)
		if inside != test.inside || inside && got != test.want {
			t.Errorf("%s in %s: %q, %t, want %q, %t", test.location, test.folder, got, inside, test.want, test.inside)
		}
	}
}

func TestAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for location, want := range map[string]string{
		"": "", "gs://bucket/folder": "gs://bucket/folder", "/a/../b": "/b", "data": filepath.Join(here, "data"), ".": here,
	} {
		if got, err := storage.Absolute(location); got != want || err != nil {
			t.Errorf("%q: %q %v, want %q", location, got, err, want)
		}
	}
}
