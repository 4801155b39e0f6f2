// Package storagetest holds the acceptance test that every storage backend must pass,
// a folder that fails at a chosen step, and a disk and a bucket in memory.
package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"testing"

	"sentweave/schemas/storage"
)

// Acceptance checks what storage.Folder promises. The function open is called
// for every sub-test and returns an empty folder.
func Acceptance(t *testing.T, open func(t *testing.T) storage.Folder) {
	tests := []struct {
		name string
		run  func(*testing.T, storage.Folder)
	}{
		{"written objects are read back", readBack},
		{"an object is invisible before Commit", invisibleBeforeCommit},
		{"Abort leaves nothing", abortLeavesNothing},
		{"IfAbsent lets one writer win", oneWriterWins},
		{"Replace replaces", replaceReplaces},
		{"IfVersion replaces what was seen, once", replacesOneVersion},
		{"Settle lets equal writers all succeed", settleEqual},
		{"Settle asks before it replaces", settleOther},
		{"listing is in byte order and by prefix", listing},
		{"missing objects are fs.ErrNotExist", missing},
		{"names cannot leave the folder", names},
		{"removal is idempotent", removal},
		{"RemoveVersion removes what was seen", removalOfVersion},
		{"a writer knows the version that it made", versionOfWriter},
		{"ReadAt works at every offset", readAt},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

func write(t *testing.T, f storage.Folder, name, content string) {
	t.Helper()
	if err := storage.WriteFile(t.Context(), f, name, []byte(content), storage.Replace); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, f storage.Folder, name string) string {
	t.Helper()
	data, err := storage.ReadFile(t.Context(), f, name, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func list(t *testing.T, f storage.Folder, prefix string) []string {
	t.Helper()
	var names []string
	for info, err := range f.List(t.Context(), prefix) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, info.Name)
	}
	return names
}

func readBack(t *testing.T, f storage.Folder) {
	for name, content := range map[string]string{"a": "", "b/c/d.txt": "text", "ü/ß": "\x00\xff"} {
		write(t, f, name, content)
		if got := read(t, f, name); got != content {
			t.Errorf("%s: got %q, want %q", name, got, content)
		}
		info, err := f.Stat(t.Context(), name)
		if err != nil || info.Size != int64(len(content)) || info.Name != name {
			t.Errorf("Stat(%s) = %+v, %v", name, info, err)
		}
	}
}

func invisibleBeforeCommit(t *testing.T, f storage.Folder) {
	w, err := f.Create(t.Context(), "data/x", storage.Replace)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if _, err := io.WriteString(w, "half"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Stat(t.Context(), "data/x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Stat before Commit: %v, want fs.ErrNotExist", err)
	}
	if got := list(t, f, "data/"); len(got) != 0 {
		t.Errorf("List before Commit: %v", got)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if got := read(t, f, "data/x"); got != "half" {
		t.Errorf("after Commit and Abort: %q", got)
	}
}

func abortLeavesNothing(t *testing.T, f storage.Folder) {
	w, err := f.Create(t.Context(), "x", storage.Replace)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "text"); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if got := list(t, f, ""); len(got) != 0 {
		t.Errorf("after Abort: %v", got)
	}
	if err := w.Commit(); err == nil {
		t.Error("Commit after Abort gives no error")
	}
}

func oneWriterWins(t *testing.T, f storage.Folder) {
	const writers = 16
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			errs[i] = storage.WriteFile(context.Background(), f, "plan.json", bytes.Repeat([]byte{byte('a' + i)}, 1000), storage.IfAbsent)
		})
	}
	wg.Wait()
	winner := -1
	for i, err := range errs {
		switch {
		case err == nil && winner >= 0:
			t.Errorf("writers %d and %d both won", winner, i)
		case err == nil:
			winner = i
		case !errors.Is(err, fs.ErrExist):
			t.Errorf("writer %d: %v, want fs.ErrExist", i, err)
		}
	}
	if winner < 0 {
		t.Fatal("nobody won")
	}
	if got, want := read(t, f, "plan.json"), string(bytes.Repeat([]byte{byte('a' + winner)}, 1000)); got != want {
		t.Errorf("the object is not the winner's: %.10q, want %.10q", got, want)
	}
}

func replaceReplaces(t *testing.T, f storage.Folder) {
	write(t, f, "x", "one, which is longer")
	write(t, f, "x", "two")
	if got := read(t, f, "x"); got != "two" {
		t.Errorf("got %q", got)
	}
}

func replacesOneVersion(t *testing.T, f storage.Folder) {
	replace := func(version, content string) error {
		return storage.WriteFile(context.Background(), f, "x", []byte(content), storage.IfVersion(version))
	}
	stat := func() string {
		t.Helper()
		info, err := f.Stat(t.Context(), "x")
		if err != nil || info.Version == "" {
			t.Fatalf("Stat: %+v, %v", info, err)
		}
		return info.Version
	}
	if err := replace("", "one"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("an object that is not there was replaced: %v", err)
	}
	write(t, f, "x", "one")
	first := stat()
	if stat() != first {
		t.Error("the version of an object changes by itself")
	}
	for info, err := range f.List(t.Context(), "x") {
		if err != nil || info.Version != first {
			t.Errorf("List tells of %+v, %v; Stat of version %s", info, err, first)
		}
	}
	const writers = 16
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() { errs[i] = replace(first, string(rune('a'+i))) })
	}
	wg.Wait()
	winner := -1
	for i, err := range errs {
		switch {
		case err == nil && winner >= 0:
			t.Errorf("writers %d and %d both won", winner, i)
		case err == nil:
			winner = i
		case !errors.Is(err, fs.ErrExist):
			t.Errorf("writer %d: %v, want fs.ErrExist", i, err)
		}
	}
	if winner < 0 {
		t.Fatal("nobody won")
	}
	if got := read(t, f, "x"); got != string(rune('a'+winner)) {
		t.Errorf("the object holds %q, writer %d won", got, winner)
	}
	second := stat()
	if second == first {
		t.Error("another object has the same version")
	}
	if err := f.Remove(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	if err := replace(second, "late"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a removed object was replaced: %v", err)
	}
	if got := list(t, f, "x"); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

func settleEqual(t *testing.T, f storage.Folder) {
	const writers = 8
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			file := storage.File{Name: "a/x", Data: []byte("the same")}
			errs[i] = storage.Settle(context.Background(), f, file, 100, func(present []byte) error {
				return fmt.Errorf("another's %q", present)
			})
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if got := read(t, f, "a/x"); got != "the same" {
		t.Errorf("the object holds %q", got)
	}
}

func settleOther(t *testing.T, f storage.Folder) {
	write(t, f, "x", "damaged")
	settle := func(replaceable error) error {
		return storage.Settle(t.Context(), f, storage.File{Name: "x", Data: []byte("right")}, 100, func(present []byte) error {
			if string(present) != "damaged" {
				t.Errorf("asked about %q", present)
			}
			return replaceable
		})
	}
	refusal := errors.New("no")
	if err := settle(refusal); !errors.Is(err, refusal) || read(t, f, "x") != "damaged" {
		t.Errorf("%v, and the object holds %q", err, read(t, f, "x"))
	}
	if err := settle(nil); err != nil || read(t, f, "x") != "right" {
		t.Errorf("%v, and the object holds %q", err, read(t, f, "x"))
	}
}

func listing(t *testing.T, f storage.Folder) {
	for _, name := range []string{"a/b", "a-b", "a", "b/2", "b/10", "b.x", "c/d/e", "Z"} {
		if name == "a" { // a name cannot be an object and a folder on a disk
			name = "a!"
		}
		write(t, f, name, name)
	}
	for prefix, want := range map[string][]string{
		"":     {"Z", "a!", "a-b", "a/b", "b.x", "b/10", "b/2", "c/d/e"},
		"b":    {"b.x", "b/10", "b/2"},
		"b/":   {"b/10", "b/2"},
		"c/d/": {"c/d/e"},
		"x":    nil,
	} {
		got := list(t, f, prefix)
		got = slices.DeleteFunc(got, func(name string) bool { return len(name) > 4 && name[:5] == "_run/" })
		if !slices.Equal(got, want) {
			t.Errorf("List(%q) = %q, want %q", prefix, got, want)
		}
	}
}

func missing(t *testing.T, f storage.Folder) {
	if _, err := f.Stat(t.Context(), "no/such"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Stat: %v", err)
	}
	if _, err := f.Open(t.Context(), "no/such"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open: %v", err)
	}
	if got := list(t, f, ""); len(got) != 0 {
		t.Errorf("List: %v", got)
	}
}

func names(t *testing.T, f storage.Folder) {
	for _, name := range []string{"", ".", "..", "../x", "/x", "a/../../x", "a//b", "a/", "x\x00"} {
		if err := storage.WriteFile(t.Context(), f, name, nil, storage.Replace); err == nil {
			t.Errorf("name %q was accepted for writing", name)
		}
		if _, err := f.Open(t.Context(), name); err == nil {
			t.Errorf("name %q was accepted for reading", name)
		}
		if err := f.Remove(t.Context(), name); err == nil {
			t.Errorf("name %q was accepted for removal", name)
		}
	}
}

func removal(t *testing.T, f storage.Folder) {
	write(t, f, "x/y", "text")
	for range 2 {
		if err := f.Remove(t.Context(), "x/y"); err != nil {
			t.Fatal(err)
		}
	}
	if got := list(t, f, "x/"); len(got) != 0 {
		t.Errorf("after removal: %v", got)
	}
}

func removalOfVersion(t *testing.T, f storage.Folder) {
	stat := func() storage.Info {
		t.Helper()
		info, err := f.Stat(t.Context(), "x/y")
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	write(t, f, "x/y", "one")
	first := stat()
	write(t, f, "x/y", "two")
	for _, version := range []string{first.Version, "", "none"} {
		if err := f.RemoveVersion(t.Context(), "x/y", version); err != nil || read(t, f, "x/y") != "two" {
			t.Errorf("version %q of another object: %v", version, err)
		}
	}
	second := stat()
	for range 2 {
		if err := f.RemoveVersion(t.Context(), "x/y", second.Version); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.RemoveVersion(t.Context(), "no/such", second.Version); err != nil {
		t.Error(err)
	}
	if got := list(t, f, "x/"); len(got) != 0 {
		t.Errorf("after removal: %v", got)
	}
	if err := f.RemoveVersion(t.Context(), "../x", second.Version); err == nil {
		t.Error("a name outside the folder was accepted")
	}
	write(t, f, "x/y", "three")
	write(t, f, "z", "other")
	objects := []storage.Info{stat(), first, {Name: "no/such", Version: "1"}}
	if err := storage.RemoveVersions(t.Context(), f, objects); err != nil {
		t.Error(err)
	}
	if got := list(t, f, "x/"); len(got) != 0 || read(t, f, "z") != "other" {
		t.Errorf("after the removal of several: %v", got)
	}
}

func versionOfWriter(t *testing.T, f storage.Folder) {
	for _, condition := range []storage.Condition{storage.IfAbsent, storage.Replace} {
		w, err := f.Create(t.Context(), "x", condition)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		if _, err := io.WriteString(w, string(condition)+"."); err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		if info, err := f.Stat(t.Context(), "x"); err != nil || w.Version() == "" || info.Version != w.Version() {
			t.Errorf("the writer says %q, the object is %+v, %v", w.Version(), info, err)
		}
	}
}

func readAt(t *testing.T, f storage.Folder) {
	content := fmt.Sprint("0123456789", "abcdef")
	write(t, f, "x", content)
	o, err := f.Open(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	for offset := range len(content) {
		got := make([]byte, len(content)-offset)
		if n, err := o.ReadAt(got, int64(offset)); n != len(got) || (err != nil && err != io.EOF) || string(got) != content[offset:] {
			t.Errorf("ReadAt(%d) = %d %q %v", offset, n, got, err)
		}
	}
	if n, err := o.ReadAt(make([]byte, 4), int64(len(content)-2)); n != 2 || err != io.EOF {
		t.Errorf("ReadAt over the end = %d, %v, want 2 bytes and io.EOF", n, err)
	}
}
