package storage_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sentweave/schemas/storage"
)

// Files that belong together stand all or not at all, at whichever step writing fails; those that were there before
// keep a whole form.
func TestWriteFiles(t *testing.T) {
	files := []storage.File{{Name: "a", Data: []byte("new a")}, {Name: "sub/b", Data: []byte("new b")},
		{Name: "page", Data: []byte("new page")}}
	for _, before := range []bool{false, true} {
		for fails := 0; ; fails++ {
			root, steps, wrote := t.TempDir(), 0, false
			if before {
				for _, f := range files {
					if err := storage.WriteFile(t.Context(), storage.NewLocal(root), f.Name, []byte("old"), storage.Replace); err != nil {
						t.Fatal(err)
					}
				}
			}
			full := errors.New("no space left")
			failed := storage.Step("")
			folder := storage.NewLocal(root).Intercepted(func(step storage.Step, name string) error {
				if step == storage.StepRemove {
					return nil
				}
				wrote = wrote || step == storage.StepRename
				if steps++; steps == fails+1 {
					failed = step
					return full
				}
				return nil
			})
			err := storage.WriteFiles(t.Context(), folder, files)
			if failed == "" {
				if err != nil {
					t.Fatal(err)
				}
				break
			}
			if !errors.Is(err, full) {
				t.Fatalf("%v at step %d", err, fails)
			}
			var stand []string
			for _, f := range files {
				switch data, err := os.ReadFile(filepath.Join(root, f.Name)); {
				case err == nil && string(data) == string(f.Data):
					stand = append(stand, "new")
				case err == nil && string(data) == "old":
					stand = append(stand, "old")
				case !errors.Is(err, os.ErrNotExist):
					t.Errorf("step %d leaves %q: %v", fails, data, err)
				}
			}
			want := []string(nil)
			if before {
				want = []string{"old", "old", "old"}
			}
			if failed == storage.StepWrite || failed == storage.StepCreate || !before {
				if !slices.Equal(stand, want) {
					t.Errorf("%s, step %d, leaves %q, want %q", failed, fails, stand, want)
				}
			} else if len(stand) != len(files) {
				t.Errorf("%s, step %d, leaves %q", failed, fails, stand)
			}
			if left, _ := filepath.Glob(filepath.Join(root, storage.TemporaryFolder, "*")); len(left) > 0 {
				t.Error(fmt.Sprint(left))
			}
		}
	}
}

// A file beside which its temporary stands leaves nothing else.
func TestBeside(t *testing.T) {
	root := t.TempDir()
	folder := storage.NewLocal(root).Beside()
	if err := storage.WriteFile(t.Context(), folder, "out.jsonl", []byte("x"), storage.Replace); err != nil {
		t.Fatal(err)
	}
	w, err := folder.Create(t.Context(), "other", storage.Replace)
	if err != nil {
		t.Fatal(err)
	}
	if during, _ := os.ReadDir(root); len(during) != 2 || during[0].Name()[0] != '.' {
		t.Errorf("%v", during)
	}
	w.Abort()
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 1 || entries[0].Name() != "out.jsonl" {
		t.Errorf("%v, %v", entries, err)
	}
}
