package checkpoint

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage/workspace"
)

// store is one in a folder, whose records are states as JSON.
func store(t *testing.T) *Store {
	t.Helper()
	c := workspace.Config{Suffix: ".train", Last: "record.json", Unsynced: true}
	w, err := workspace.Open(t.Context(), filepath.Join(t.TempDir(), "out"), c)
	if err != nil {
		t.Fatal(err)
	}
	return &Store{
		Work: w, Folder: w.SecondPath("checkpoints"), Encoder: w.Root(), Record: "record.json", Keep: 2, Private: []string{"optimizer"},
		Read: func(folder string) (s State, err error) {
			data, err := os.ReadFile(filepath.Join(folder, "record.json"))
			if err == nil {
				err = json.Unmarshal(data, &s)
			}
			return s, err
		},
	}
}

// save writes a checkpoint with a model and the state of an optimizer.
func save(t *testing.T, c *Store, s State) {
	t.Helper()
	err := c.Save(t.Context(), s, func(folder string) error {
		return errors.Join(os.Mkdir(filepath.Join(folder, "sub"), 0o777),
			os.WriteFile(filepath.Join(folder, "sub", "model"), []byte{byte(s.Step)}, 0o666),
			os.WriteFile(filepath.Join(folder, "optimizer"), []byte{byte(s.Step), 1}, 0o666))
	}, func(files []File) ([]byte, error) {
		s.Files = files
		return json.Marshal(s)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// files lists what is in the checkpoints.
func files(t *testing.T, c *Store) (names []string) {
	t.Helper()
	if err := fs.WalkDir(os.DirFS(c.Folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return names
}

// As many as are to be kept stay, and the one of the best step. What a later step left goes.
func TestSaveKeeps(t *testing.T) {
	c := store(t)
	save(t, c, State{Step: 9})
	for step := int64(1); step <= 5; step++ {
		save(t, c, State{Step: step, Best: 2})
	}
	steps, err := c.List()
	if err != nil || !slices.Equal(steps, []int64{5, 4, 2}) {
		t.Errorf("%v, %v", steps, err)
	}
	s, err := c.Read(c.Path(5))
	if err != nil || len(s.Files) != 2 || s.Files[1].Name != "sub/model" || CheckFiles(c.Path(5), c.Record, s.Files) != nil {
		t.Errorf("%+v, %v", s, err)
	}
	if left, err := os.ReadDir(c.Work.SecondPath("_run/tmp")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	failed := errors.New("no room")
	if err := c.Save(t.Context(), State{Step: 6}, func(string) error { return failed }, nil); !errors.Is(err, failed) {
		t.Error(err)
	}
	if after, err := c.List(); err != nil || !slices.Equal(after, steps) {
		t.Errorf("%v, %v", after, err)
	}
}

// A checkpoint that was stripped is usable and can be restored as long as the encoder has its files unchanged.
func TestStripAndRestore(t *testing.T) {
	for name, test := range map[string]struct {
		edit func(c *Store) error
		want bool
	}{
		"as it is": {func(*Store) error { return nil }, true},
		"another encoder": {func(c *Store) error { return os.WriteFile(filepath.Join(c.Encoder, "sub", "model"), []byte{7}, 0o666) },
			false},
		"no encoder":           {func(c *Store) error { return os.RemoveAll(c.Encoder) }, false},
		"without an optimizer": {func(c *Store) error { return os.Remove(filepath.Join(c.Path(3), "optimizer")) }, false},
	} {
		c := store(t)
		for step := int64(1); step <= 3; step++ {
			save(t, c, State{Step: step, Best: 2})
		}
		s, err := c.Read(c.Path(3))
		if err != nil {
			t.Fatal(err)
		}
		record, err := json.Marshal(State{Step: 3, Files: Exclude(s.Files, c.Private)})
		if err == nil {
			err = errors.Join(c.Work.Copy(t.Context(), filepath.Join(c.Path(3), "sub", "model"), filepath.Join(c.Encoder, "sub", "model")),
				c.Work.Write(t.Context(), filepath.Join(c.Encoder, c.Record), strings.NewReader(string(record))))
		}
		if err := errors.Join(err, c.Strip()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"000002/record.json", "000003/optimizer", "000003/record.json"}, files(t, c)); diff != "" {
			t.Error(diff)
		}
		if err := test.edit(c); err != nil {
			t.Fatal(err)
		}
		usable, err := c.Usable()
		if err != nil || usable != test.want {
			t.Errorf("%s: usable %v, %v", name, usable, err)
		}
		err = errors.Join(c.Restore(t.Context(), c.Path(3), s), CheckFiles(c.Path(3), c.Record, s.Files))
		if (err == nil) != test.want || err != nil && !errors.Is(err, dataset.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
		if err := c.CheckBest(t.Context(), s); !errors.Is(err, dataset.ErrCorrupt) || !strings.Contains(err.Error(), "its best step 2: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNewestFirst(t *testing.T) {
	steps := []string{"000050", "1000000", "999000", "1000500"}
	if slices.SortFunc(steps, newestFirst); !slices.Equal(steps, []string{"1000500", "1000000", "999000", "000050"}) {
		t.Error(steps)
	}
}
