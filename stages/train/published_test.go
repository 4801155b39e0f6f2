package train

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// The record beside a model tells whether its training is finished, and by their sizes whether its files are whole.
func TestReadPublished(t *testing.T) {
	const periods = `"config": {"periods": [{"name": "a"}, {"name": "b"}]}, "files": [{"name": "model", "bytes": 3}]`
	for text, want := range map[string]Published{
		`{"steps": 9, "step": 9, "period": "b", ` + periods + `}`:                                 {Steps: 9, Taken: 9, Finished: true},
		`{"steps": 9, "step": 4, "period": "a", ` + periods + `}`:                                 {Steps: 9, Taken: 4},
		`{"steps": 9, "step": 7, "period": "b", "validated": {"stopped": true}, ` + periods + `}`: {Steps: 9, Taken: 7, Finished: true},
		`{"steps": 9, "step": 4, "period": "a", "validated": {"stopped": true}, ` + periods + `}`: {Steps: 9, Taken: 4},
		`{"steps": 9, "step": 0, "period": "", "config": {"periods": []}, "files": []}`:           {Steps: 9},
	} {
		root := t.TempDir()
		folder := storage.NewLocal(root)
		if _, err := ReadPublished(t.Context(), folder); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("nothing: %v", err)
		}
		if err := os.WriteFile(filepath.Join(root, RecordName), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := ReadPublished(t.Context(), folder)
		if err != nil || got.Steps != want.Steps || got.Taken != want.Taken || got.Finished != want.Finished {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		for content, damaged := range map[string]bool{"abc": false, "ab": len(got.Files) > 0} {
			if err := os.WriteFile(filepath.Join(root, "model"), []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := got.CheckSizes(t.Context(), folder); errors.Is(err, dataset.ErrCorrupt) != damaged {
				t.Errorf("%s with %q: %v", text, content, err)
			}
		}
		if err := os.Remove(filepath.Join(root, "model")); err != nil {
			t.Fatal(err)
		}
		if err := got.CheckSizes(t.Context(), folder); errors.Is(err, dataset.ErrCorrupt) != (len(got.Files) > 0) {
			t.Errorf("%s without its file: %v", text, err)
		}
	}
}
