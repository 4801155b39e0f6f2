package dataset

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"sentweave/schemas/storage"
)

func entries(t *testing.T, j *Journal) (list []string) {
	t.Helper()
	for entry, err := range j.Entries(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(entry))
	}
	slices.Sort(list)
	return list
}

func TestJournal(t *testing.T) {
	folder := storage.NewLocal(t.TempDir())
	plan, units := testPlan(t, 2)
	if _, err := plan.Create(t.Context(), folder, units); err != nil {
		t.Fatal(err)
	}
	j, other := plan.Journal(folder, 0), plan.Journal(folder, 1)
	if got := entries(t, j); got != nil {
		t.Errorf("an empty journal has %q", got)
	}
	for _, entry := range []string{"b", "a", "b"} { // the last one by another attempt
		if err := j.Write(t.Context(), []byte(entry)); err != nil {
			t.Fatal(err)
		}
	}
	if err := other.Write(t.Context(), []byte("c")); err != nil {
		t.Fatal(err)
	}
	if got := entries(t, plan.Journal(folder, 0)); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %q", got)
	}
	if err := j.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := append(entries(t, j), entries(t, other)...); !slices.Equal(got, []string{"c"}) {
		t.Errorf("after a unit's removal there is %q", got)
	}
	if err := plan.clean(t.Context(), folder, &Manifest{}); err != nil {
		t.Fatal(err)
	}
	if got := entries(t, other); got != nil {
		t.Errorf("a complete dataset keeps %q", got)
	}
}

// A damaged entry is an error and no answer.
func TestJournalDamaged(t *testing.T) {
	root := t.TempDir()
	j := (&Plan{Units: 1}).Journal(storage.NewLocal(root), 0)
	if err := j.Write(t.Context(), []byte("answer")); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(root, "_run/journal/00000/*"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%q, %v", names, err)
	}
	if err := os.WriteFile(names[0], []byte("anser"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, err := range j.Entries(t.Context()) {
		if err == nil {
			t.Error("no error")
		}
	}
}

// Attempts of one unit come one after another, of different units side by side.
func TestJournalLock(t *testing.T) {
	folder := storage.NewLocal(t.TempDir())
	plan := &Plan{Units: 2}
	unlock, err := plan.Journal(folder, 0).Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other, err := plan.Journal(folder, 1).Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other()
	impatient, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := plan.Journal(folder, 0).Lock(impatient); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("a second attempt got the lock: %v", err)
	}
	locked := make(chan error)
	go func() {
		again, err := plan.Journal(folder, 0).Lock(t.Context())
		if err == nil {
			again()
		}
		locked <- err
	}()
	unlock()
	if err := <-locked; err != nil {
		t.Error(err)
	}
	if got := entries(t, plan.Journal(folder, 0)); got != nil {
		t.Errorf("the lock is an entry: %q", got)
	}
}
