package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/cache"
	"sentweave/schemas/storage/gcs/gcstest"
)

var (
	errKilled = errors.New("killed")
	errLost   = errors.New("lost")
)

// open opens a workspace on a machine with a disk of its own.
func open(t *testing.T, location string, intercept func(storage.Step, string) error) *Workspace {
	t.Helper()
	t.Setenv(cache.Variable, t.TempDir())
	w, err := Open(t.Context(), location, Config{Suffix: ".work", Last: "last.json", Lost: errLost, Intercept: intercept})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Take(time.Now()); err != nil {
		t.Fatal(err)
	}
	return w
}

// work makes a folder of three files and a file, adds to a log, and removes the folder.
func work(t *testing.T, w *Workspace) error {
	t.Helper()
	folder, err := w.Temporary(w.SecondPath("states/1"))
	if err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "last.json", "z"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Publish(folder, w.SecondPath("states/1")); err != nil {
		return err
	}
	if err := w.Write(t.Context(), w.Path("result"), strings.NewReader("result")); err != nil {
		return err
	}
	log, err := w.Append(w.Path("log"))
	if err != nil {
		return err
	}
	_, err = log.Write([]byte("line\n"))
	if err := errors.Join(err, log.Settle(true), log.Close()); err != nil {
		return err
	}
	return w.RemoveAll(w.SecondPath("states"))
}

// objects lists what is beside a location in the bucket, or on the disk.
func objects(t *testing.T, location string) (names []string) {
	t.Helper()
	parent, _, err := storage.Split(location)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := storage.Locate(parent)
	if err != nil {
		t.Fatal(err)
	}
	for info, err := range folder.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, info.Name)
	}
	return names
}

// A bucket has the changes of the disk in their order, what says that a folder is whole after the others, and before
// them when it goes.
func TestRepeatedInABucket(t *testing.T) {
	location := gcstest.Start(t).Folder() + "/made"
	var steps []string
	w := open(t, location, func(step storage.Step, name string) error {
		if step == StepUpload || step == StepDelete {
			steps = append(steps, fmt.Sprint(step, " ", name))
		}
		return nil
	})
	if err := work(t, w); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"upload made.work/states/1/a", "upload made.work/states/1/z", "upload made.work/states/1/last.json", "upload made/result",
		"upload made/log", "delete made.work/states/1/last.json", "delete made.work/states/1/a", "delete made.work/states/1/z",
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Error(diff)
	}
	if err := w.Close(true); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"made/log", "made/result"}, objects(t, location)); diff != "" {
		t.Error(diff)
	}
}

// Work that is killed before any step leaves folders that are whole or lack what says so. Another machine has, after Pull,
// what the bucket holds, and does the work again.
func TestKilledAnywhere(t *testing.T) {
	for _, remote := range []bool{false, true} {
		for n := 0; ; n++ {
			location := filepath.Join(t.TempDir(), "made")
			if remote {
				location = gcstest.Start(t).Folder() + "/made"
			}
			steps := 0
			w := open(t, location, func(storage.Step, string) error {
				if steps++; steps > n {
					return errKilled
				}
				return nil
			})
			err := work(t, w)
			if err != nil && !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			complete := err == nil
			_ = w.Close(false)
			names := objects(t, location)
			has := func(name string) bool { return slices.Contains(names, "made.work/states/1/"+name) }
			if has("last.json") && !(has("a") && has("z")) {
				t.Errorf("after %d steps there are %v", n, names)
			}
			w = open(t, location, nil)
			if err := w.Sweep(); err != nil {
				t.Fatal(err)
			}
			if err := w.Pull(t.Context(), func(string) bool { return true }); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(w.Path("result")); (err == nil) != slices.Contains(names, "made/result") {
				t.Errorf("after %d steps: %v, and there are %v", n, err, names)
			}
			if err := errors.Join(w.RemoveAll(w.SecondPath("states")), work(t, w), w.Close(true)); err != nil {
				t.Fatalf("again after %d steps: %v", n, err)
			}
			if diff := cmp.Diff([]string{"made/log", "made/result"}, objects(t, location)); diff != "" {
				t.Errorf("after %d steps: %s", n, diff)
			}
			if complete {
				if n < 12 {
					t.Errorf("only %d steps", n)
				}
				break
			}
		}
	}
}

// A process whose workspace another one has taken changes nothing.
func TestLost(t *testing.T) {
	location := gcstest.Start(t).Folder() + "/made"
	first := open(t, location, nil)
	second := open(t, location, nil)
	for _, err := range []error{work(t, first), first.RemoveAll(first.Path("result"))} {
		if err != nil && !errors.Is(err, errLost) {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]string{"made.work/owner.json"}, objects(t, location)); diff != "" {
		t.Error(diff)
	}
	if err := errors.Join(first.Close(true), work(t, second)); err != nil {
		t.Error(err)
	}
}

// Pull makes the folders those of the bucket: a file of another size, one that is gone there and an empty folder go. One
// of the same size stays where it is not wanted.
func TestPull(t *testing.T) {
	location := gcstest.Start(t).Folder() + "/made"
	w := open(t, location, nil)
	for _, name := range []string{"same", "longer", "sub/wanted", "other/x"} {
		if err := w.Write(t.Context(), w.Path(name), strings.NewReader("bucket")); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range map[string]string{"same": "locals", "longer": "local, longer", "sub/wanted": "locals", "gone/x": "x"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(w.Path(name)), 0o777), os.WriteFile(w.Path(name), []byte(data), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(w.Path("other")); err != nil {
		t.Fatal(err)
	}
	if err := w.Pull(t.Context(), func(path string) bool { return filepath.Base(path) == "wanted" }); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, name := range []string{"same", "longer", "sub/wanted", "gone", "other"} {
		data, err := os.ReadFile(w.Path(name))
		_, statErr := os.Stat(w.Path(name))
		found[name] = fmt.Sprint(string(data), " ", err == nil, statErr == nil)
	}
	want := map[string]string{
		"same": "locals true true", "longer": " false false", "sub/wanted": "bucket true true", "gone": " false false",
		"other": " false true",
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
}

// What a killed process leaves that has made nothing counts as nothing, under the earlier name of temporary folders, too.
func TestNames(t *testing.T) {
	for left, want := range map[string]string{
		"made/_run/tmp/x": "", "made/_tmp/x": "", "made.work/_run/tmp/x": "", "made.work/lock": "",
		"made/lock": "lock", "made/_run/plan.json": "_run", "made.work/notes.txt": "notes.txt", "made.work/_run/lock": "_run",
	} {
		root := t.TempDir()
		path := filepath.Join(root, left)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
		w := open(t, filepath.Join(root, "made"), nil)
		var got []string
		for _, folder := range []string{w.Root(), w.SecondPath("")} {
			names, err := w.Names(t.Context(), folder)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, names...)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", left, got, want)
		}
		if err := w.Sweep(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); (err == nil) == strings.Contains(strings.ReplaceAll(left, "_run/tmp", "_tmp"), "_tmp") {
			t.Errorf("%s after the sweep: %v", left, err)
		}
	}
}

// A folder that is filled whole takes the place of the one that is there; one that is not changes nothing. Nothing
// temporary is left.
func TestReplace(t *testing.T) {
	bucket := gcstest.Start(t).Folder() + "/made"
	for _, location := range []string{filepath.Join(t.TempDir(), "sub", "made"), bucket} {
		replace := func(content string, failure error) error {
			return Replace(t.Context(), location, "last.json", func(folder string) error {
				return errors.Join(os.Mkdir(filepath.Join(folder, "sub"), 0o777),
					os.WriteFile(filepath.Join(folder, "sub", "x"), []byte(content), 0o666),
					os.WriteFile(filepath.Join(folder, "last.json"), []byte(content), 0o666), failure)
			})
		}
		for i, failure := range []error{nil, nil, errKilled} {
			if err := replace(fmt.Sprint(i), failure); !errors.Is(err, failure) {
				t.Error(err)
			}
		}
		folder, err := storage.Locate(location)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"sub/x", "last.json"} {
			if data, err := storage.ReadFile(t.Context(), folder, name, 10); err != nil || string(data) != "1" {
				t.Errorf("%s in %s: %q, %v", name, location, data, err)
			}
		}
		if diff := cmp.Diff([]string{"made/last.json", "made/sub/x"}, objects(t, location)); diff != "" {
			t.Errorf("%s: %s", location, diff)
		}
	}
}
