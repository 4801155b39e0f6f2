package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// filesOf lists the files of a folder by their names, without those that have times.
func filesOf(t *testing.T, root string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && filepath.Base(filepath.Dir(path)) != eventsFolder {
			name, _ := filepath.Rel(root, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return names
}

// withPrivate has the fake model save a file that is not for the encoder's folder.
func withPrivate() Options {
	o := options(nil)
	o.Private = []string{"1_Pooling/config.json"}
	return o
}

// The encoder's folder holds the encoder; the one of the training what it needs to go on,
// or nothing.
func TestFoldersOfAWholeTraining(t *testing.T) {
	c := twoPeriods(t)
	out := filepath.Join(t.TempDir(), "out")
	if _, _, err := Run(t.Context(), out, c, withPrivate()); err != nil {
		t.Fatal(err)
	}
	encoder := []string{"cmlm/model.json", "cmlm/training.json", "losses.jsonl", "model.json", "training.json"}
	if diff := cmp.Diff(encoder, filesOf(t, out)); diff != "" {
		t.Error(diff)
	}
	left := []string{"checkpoints/000016/1_Pooling/config.json", "checkpoints/000016/training.json", "lock", "training.json"}
	if diff := cmp.Diff(left, filesOf(t, out+Suffix)); diff != "" {
		t.Error(diff)
	}
	o := withPrivate()
	o.Discard = true
	for range 2 { // the second time there is nothing left
		if result, existed, err := Run(t.Context(), out, c, o); err != nil || !existed {
			t.Errorf("%+v, %v", result, err)
		}
		if _, err := os.Stat(out + Suffix); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: %v is left", err, filesOf(t, out+Suffix))
		}
		o.Discard = false
	}
	if diff := cmp.Diff(encoder, filesOf(t, out)); diff != "" {
		t.Error(diff)
	}
	c.Periods[1].Steps += 3
	if _, _, err := Run(t.Context(), out, c, withPrivate()); err == nil ||
		!strings.Contains(err.Error(), "the state of its optimizer is gone") {
		t.Errorf("got %v", err)
	}
	c.Periods[1].Steps -= 3
	if result, existed, err := Run(t.Context(), out, c, withPrivate()); err != nil || !existed {
		t.Errorf("after steps that were refused: %+v, %v", result, err)
	}
	o.Overwrite = true
	for range 2 { // more steps of the same training, then another one
		c.Periods[1].Steps += 3
		if result, _, err := Run(t.Context(), out, c, o); err != nil || result.Steps != c.steps(2) {
			t.Errorf("%+v, %v", result, err)
		}
		c.Seed++
	}
}

// A training goes on for more steps with the state of its optimizer: at a constant rate
// it ends as one that had these steps from the beginning, killed on its way or not.
func TestMoreSteps(t *testing.T) {
	c := twoPeriods(t)
	for i := range c.Periods {
		c.Periods[i].Decay = "none"
	}
	long := c
	long.Periods = slices.Clone(c.Periods)
	long.Periods[1].Steps += 5
	long.Periods[1].Warmup = 1 // which changes no rate
	straight := filepath.Join(t.TempDir(), "out")
	if _, _, err := Run(t.Context(), straight, long, withPrivate()); err != nil {
		t.Fatal(err)
	}
	weights := func(out string) string {
		data, err := os.ReadFile(filepath.Join(out, "model.json"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	want := weights(straight)
	for n := 0; ; n += 3 * stride() {
		out := filepath.Join(t.TempDir(), "out")
		if _, _, err := Run(t.Context(), out, c, withPrivate()); err != nil {
			t.Fatal(err)
		}
		changes := 0
		o := withPrivate()
		o.intercept = func(storage.Step, string) error {
			if changes++; changes > n {
				return errKilled
			}
			return nil
		}
		_, _, err := Run(t.Context(), out, long, o)
		if err != nil && !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		killed := err != nil
		if _, _, err := Run(t.Context(), out, long, withPrivate()); err != nil {
			t.Fatalf("after %d changes: %v", n, err)
		}
		if weights(out) != want {
			t.Fatalf("killed after %d changes, it is another model", n)
		}
		r, err := readRecord(out)
		if err != nil || r.Step != 21 || r.Steps != 21 || len(r.Changes) != 2 || r.Changes[0].Step != 16 ||
			r.Changes[0].Field != "config.periods[1].steps" || r.Changes[1].Field != "config.periods[1].warmup" {
			t.Fatalf("killed after %d changes: %+v, %v", n, r, err)
		}
		// Fewer steps are another training.
		if _, _, err := Run(t.Context(), out, c, withPrivate()); !errors.Is(err, dataset.ErrOtherPlan) {
			t.Fatalf("fewer steps: %v", err)
		}
		if !killed {
			if n < 20 {
				t.Fatalf("only %d changes", n)
			}
			return
		}
	}
}

// What may change where it is asked for is refused elsewhere, with the flag that asks,
// and is in the record.
func TestChangeable(t *testing.T) {
	c := twoPeriods(t)
	c.Model = json.RawMessage(`{"threads":2}`)
	out := stopped(t, c, 8)
	c.Model = json.RawMessage(`{"threads":1}`)
	o := options(nil)
	o.Changeable = map[string]string{"config.model.threads": "--other-threads"}
	if _, _, err := Run(t.Context(), out, c, o); !errors.Is(err, dataset.ErrOtherPlan) ||
		!strings.Contains(err.Error(), "config.model.threads is 2 there and 1 here (--other-threads goes on all the same)") {
		t.Errorf("got %v", err)
	}
	o.Changeable["config.model.threads"] = ""
	var notices []string
	o.Observer.Notice = func(text string) { notices = append(notices, text) }
	result, _, err := Run(t.Context(), out, c, o)
	if err != nil {
		t.Fatal(err)
	}
	want := []Change{{7, "config.model.threads", json.RawMessage("2"), json.RawMessage("1")}}
	if diff := cmp.Diff(want, result.Record.Changes); diff != "" {
		t.Error(diff)
	}
	if !slices.ContainsFunc(notices, func(s string) bool {
		return strings.Contains(s,
			"config.model.threads is 2 there and 1 here, so the result is not that of a training that has not changed")
	}) {
		t.Errorf("%q", notices)
	}
}

// What no training wrote is told before anything is deleted.
func TestOverwriteBesideOthers(t *testing.T) {
	c := twoPeriods(t)
	for _, name := range []string{"README.md", ".train/notes.txt"} {
		out := filepath.Join(t.TempDir(), "out")
		if _, _, err := Run(t.Context(), out, c, options(nil)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(out, name)
		if folder, file := filepath.Split(name); folder != "" {
			path = filepath.Join(out+Suffix, file)
		}
		if err := os.WriteFile(path, []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
		before := append(filesOf(t, out), filesOf(t, out+Suffix)...)
		other := c
		other.Seed++
		o := options(nil)
		o.Overwrite = true
		_, _, err := Run(t.Context(), out, other, o)
		if !errors.Is(err, fs.ErrExist) ||
			!strings.Contains(err.Error(), fmt.Sprintf("%q, which no training wrote", filepath.Base(path))) ||
			!strings.Contains(err.Error(), "nothing was deleted") {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(before, append(filesOf(t, out), filesOf(t, out+Suffix)...)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// An encoder whose files have changed is not trained again without a word.
func TestChangedEncoder(t *testing.T) {
	c := twoPeriods(t)
	out := filepath.Join(t.TempDir(), "out")
	if _, _, err := Run(t.Context(), out, c, options(nil)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "model.json"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, _, err := Run(t.Context(), out, c, options(nil))
	if !errors.Is(err, dataset.ErrCorrupt) || !strings.Contains(err.Error(), "has changed since it was trained") ||
		!strings.Contains(err.Error(), "model.json has 1 bytes") {
		t.Errorf("got %v", err)
	}
	o := options(nil)
	o.Overwrite = true
	if result, existed, err := Run(t.Context(), out, c, o); err != nil || existed || result.Steps != c.steps(2) {
		t.Errorf("%+v, %v", result, err)
	}
	if result, existed, err := Run(t.Context(), out, c, o); err != nil || !existed {
		t.Errorf("the second time: %+v, %v", result, err)
	}
}

// A training without a checkpoint has nothing to lose: another one takes its place.
func TestNothingToLose(t *testing.T) {
	c := twoPeriods(t)
	out := stopped(t, c, 1)
	c.Seed++
	if result, _, err := Run(t.Context(), out, c, options(nil)); err != nil || result.Steps != c.steps(2) {
		t.Fatalf("%+v, %v", result, err)
	}
	c.Seed++
	if _, _, err := Run(t.Context(), out, c, options(nil)); !errors.Is(err, dataset.ErrOtherPlan) {
		t.Errorf("a whole training: %v", err)
	}
}

// The folder in which the program runs can be that of an encoder.
func TestTrainingInTheFolderItself(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	if err := os.Mkdir(out, 0o777); err != nil {
		t.Fatal(err)
	}
	c := twoPeriods(t)
	t.Chdir(out)
	for range 2 {
		if result, _, err := Run(t.Context(), ".", c, options(nil)); err != nil {
			t.Fatalf("%+v, %v", result, err)
		}
	}
	for _, folder := range []string{out, out + Suffix} {
		if _, err := os.Stat(filepath.Join(folder, RecordName)); err != nil {
			t.Error(err)
		}
	}
}
