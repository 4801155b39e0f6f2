package units

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
)

// A dataset is opened for rows of one kind, and again only while it is the same.
func TestDataset(t *testing.T) {
	job, env := newJob(t, 2, 3, &spread{})
	if _, err := OpenDataset[schemas.WordCount](t.Context(), job.Output); !errors.Is(err, dataset.ErrIncomplete) {
		t.Errorf("an unfinished dataset: %v", err)
	}
	if _, err := job.RunIn(t.Context(), env, 2); err != nil {
		t.Fatal(err)
	}
	d, err := OpenDataset[schemas.WordCount](t.Context(), job.Output)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	unit := dataset.Unit{}
	for _, p := range d.Manifest().Pieces(1) {
		unit.Spans = append(unit.Spans, p.Span)
	}
	if err := DatasetRows(t.Context(), d, unit, func(schemas.WordCount) error { rows++; return nil }); err != nil || rows != 2*3 {
		t.Errorf("%d rows, %v", rows, err)
	}
	// Rows that two units of a job read are told to the user once.
	var m meter
	for range 2 {
		ctx, end := gauged(m.measured(t.Context()), unit, nil)
		if err := DatasetRows(ctx, d, unit, func(schemas.WordCount) error { return nil }); err != nil {
			t.Fatal(err)
		}
		end()
	}
	if m.items != 2*3 {
		t.Errorf("%d rows are counted, want %d", m.items, 2*3)
	}
	if err := Reopen[schemas.WordCount](t.Context(), &Dataset{Location: d.Location, Check: d.Check}); err != nil {
		t.Error(err)
	}
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"another kind": {openAs[schemas.Document](t, job.Output), "holds rows of wordcount v1, this step reads document"},
		"made anew":    {Reopen[schemas.WordCount](t.Context(), &Dataset{Location: d.Location, Check: "0"}), "was made anew"},
		"nothing":      {openAs[schemas.Document](t, t.TempDir()), "it holds neither manifest.json nor a plan"},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, test.err, test.want)
		}
	}
}

func openAs[T schemas.Row](t *testing.T, location string) error {
	t.Helper()
	_, err := OpenDataset[T](t.Context(), location)
	return err
}

// A file must be, in the worker, the one of the plan: in size and content.
func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "vocabulary.txt")
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("[PAD]\n[UNK]\n")
	file, input, err := OpenFile(t.Context(), "vocabulary", name)
	if err != nil {
		t.Fatal(err)
	}
	if file.Bytes != 12 || input.Bytes != 12 || input.Files != 1 || input.Role != "vocabulary" {
		t.Errorf("%+v %+v", file, input)
	}
	for content, want := range map[string]string{
		"[PAD]\n[UNK]\n": "", "[UNK]\n[PAD]\n": "has changed", "[PAD]\n": "has changed", "": "has changed",
	} {
		write(content)
		if err := file.Verify(t.Context()); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := file.Verify(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is gone: %v", err)
	}
	if _, _, err := OpenFile(t.Context(), "vocabulary", name); !errors.Is(err, os.ErrNotExist) ||
		!strings.HasPrefix(err.Error(), "vocabulary: ") {
		t.Errorf("a file that is not there: %v", err)
	}
}
