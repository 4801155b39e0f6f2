package inputs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zeebo/xxh3"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
)

func everything(string) bool { return true }

func put(t testing.TB, root, name, content string) {
	t.Helper()
	storagetest.WriteFiles(t, root, map[string]string{name: content})
}

func TestList(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"b/2", "b/10", "b.x", "a-b", "a/b", "Z", "ü", "skip.txt"} {
		put(t, root, name, "content of "+name)
	}
	put(t, root, "empty", "")
	files, err := List(t.Context(), storage.NewLocal(root), func(name string) bool { return name != "skip.txt" })
	if err != nil {
		t.Fatal(err)
	}
	var want []File
	for _, name := range []string{"Z", "a-b", "a/b", "b.x", "b/10", "b/2", "empty", "ü"} {
		content := "content of " + name
		if name == "empty" {
			content = ""
		}
		want = append(want, File{Name: name, Bytes: int64(len(content)), XXH3: xxh3.HashString(content)})
	}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Error(diff)
	}
	if files, err := List(t.Context(), storage.NewLocal(filepath.Join(root, "no such")), everything); err != nil || len(files) != 0 {
		t.Errorf("a folder that is not there: %v, %v", files, err)
	}
}

// All wanted files that cannot be read are named at once; the others are not
// looked at.
func TestListNamesAllFaults(t *testing.T) {
	root := t.TempDir()
	put(t, root, "good.html", "x")
	put(t, root, "bad-\xff.html", "x")
	put(t, root, "bad-\xfe.txt", "x")
	for name, target := range map[string]string{"gone.html": "nowhere", "loop.html": "loop.html", "gone.txt": "nowhere",
		"link.html": "good.html"} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	html := func(name string) bool { return strings.HasSuffix(name, ".html") }
	_, err := List(t.Context(), storage.NewLocal(root), html)
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 3 {
		t.Errorf("%d faults, want 3: %q", len(lines), lines)
	}
	for _, part := range []string{`"bad-\xff.html" is not UTF-8; rename the file`, "gone.html: no such file",
		"loop.html: too many levels of symbolic links", "list " + root} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("got %q, want %q in it", err, part)
		}
	}
	for _, name := range []string{"gone.html", "loop.html", "bad-\xff.html"} {
		unlink(t, root, name)
	}
	files, err := List(t.Context(), storage.NewLocal(root), html)
	if err != nil || len(files) != 2 || files[1].Name != "link.html" || files[1].XXH3 != files[0].XXH3 {
		t.Errorf("the rest: %v, %v", files, err)
	}
}

// A folder that links to itself is listed once.
func TestListEndsAtLoops(t *testing.T) {
	root := t.TempDir()
	put(t, root, "a/x", "1")
	for _, link := range [][2]string{{".", "a/self"}, {"..", "a/up"}, {root, "root"}} {
		if err := os.Symlink(link[0], filepath.Join(root, link[1])); err != nil {
			t.Fatal(err)
		}
	}
	files, err := List(t.Context(), storage.NewLocal(root), everything)
	if err != nil || len(files) != 1 || files[0].Name != "a/x" {
		t.Errorf("got %v, %v", files, err)
	}
}

// What cannot be opened or read is named; every file of it.
func TestListNamesUnreadable(t *testing.T) {
	root := t.TempDir()
	for i := range 50 {
		put(t, root, fmt.Sprintf("%02d", i), "x")
	}
	folder := refusing{storage.NewLocal(root), map[string]error{"07": fs.ErrPermission, "31": syscall.EIO}}
	_, err := List(t.Context(), folder, everything)
	if !errors.Is(err, fs.ErrPermission) || !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), "07") ||
		!strings.Contains(err.Error(), "31") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := List(ctx, storage.NewLocal(root), everything); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := List(t.Context(), storage.NewLocal(filepath.Join(root, "file")), everything); err == nil ||
		!strings.Contains(err.Error(), "not a directory") {
		t.Errorf("a file as a folder: %v", err)
	}
}

// refusing is a folder of which some objects cannot be opened.
type refusing struct {
	storage.Folder
	errs map[string]error
}

func (f refusing) Open(ctx context.Context, name string) (storage.Object, error) {
	if err := f.errs[name]; err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f.Folder.Open(ctx, name)
}

// The input's hash follows from names and contents alone: not from the times,
// nor from the order in which the disk gives the entries, nor from the folder.
func TestListingInput(t *testing.T) {
	hash := func(names []string, edit func(root string)) string {
		root := t.TempDir()
		for _, name := range names {
			put(t, root, name, "content of "+name)
		}
		if edit != nil {
			edit(root)
		}
		files, err := List(t.Context(), storage.NewLocal(root), everything)
		if err != nil {
			t.Fatal(err)
		}
		input := ListingInput("pages", files)
		if input.Files != int64(len(files)) || input.Role != "pages" {
			t.Errorf("input %+v", input)
		}
		return input.XXH3
	}
	names := []string{"a/x", "a-b", "b", "c/d/e"}
	want := hash(names, nil)
	reversed := slices.Clone(names)
	slices.Reverse(reversed)
	if hash(reversed, nil) != want {
		t.Error("the order in which files are made changes the hash")
	}
	if hash(names, func(root string) { put(t, root, "b", "content of b") }) != want {
		t.Error("a file that was written again with the same content changes the hash")
	}
	seen := map[string]string{want: "as it is"}
	for what, edit := range map[string]func(root string){
		"content":    func(root string) { put(t, root, "b", "content of B") },
		"file more":  func(root string) { put(t, root, "d", "") },
		"file less":  func(root string) { unlink(t, root, "b") },
		"file moved": func(root string) { put(t, root, "bb", "content of b"); unlink(t, root, "b") },
		"swapped": func(root string) {
			put(t, root, "b", "content of a-b")
			put(t, root, "a-b", "content of b")
		},
	} {
		got := hash(names, edit)
		if other, ok := seen[got]; ok {
			t.Errorf("%s gives the hash of %s", what, other)
		}
		seen[got] = what
	}
}

// Names that hold what the listing's lines are made of do not run together.
func TestListingInputTellsNamesApart(t *testing.T) {
	a := ListingInput("x", []File{{Name: "a\" 1 0000000000000001\n\"b", Bytes: 1, XXH3: 1}})
	b := ListingInput("x", []File{{Name: "a", Bytes: 1, XXH3: 1}, {Name: "b", Bytes: 1, XXH3: 1}})
	if a.XXH3 == b.XXH3 {
		t.Error("one hash for two listings")
	}
}

func BenchmarkList(b *testing.B) {
	const files = 20_000
	root := b.TempDir()
	for i := range files {
		put(b, root, fmt.Sprintf("%03d/%05d.html", i/500, i), strings.Repeat("0123456789", 300))
	}
	folder := storage.NewLocal(root)
	b.SetBytes(files * 3_000)
	for b.Loop() {
		if list, err := List(b.Context(), folder, everything); err != nil || len(list) != files {
			b.Fatal(len(list), err)
		}
	}
	b.ReportMetric(float64(files)*float64(b.N)/b.Elapsed().Seconds(), "files/s")
}

func unlink(t testing.TB, root, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(root, name)); err != nil {
		t.Fatal(err)
	}
}
