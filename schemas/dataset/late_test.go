package dataset

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/storage"
)

// watched calls a function before each operation on the folder behind it.
type watched struct {
	storage.Folder
	before func(operation, name string)
}

func (w watched) Stat(ctx context.Context, name string) (storage.Info, error) {
	w.before("stat", name)
	return w.Folder.Stat(ctx, name)
}

func (w watched) Open(ctx context.Context, name string) (storage.Object, error) {
	w.before("open", name)
	return w.Folder.Open(ctx, name)
}

func (w watched) List(ctx context.Context, prefix string) iter.Seq2[storage.Info, error] {
	w.before("list", prefix)
	return w.Folder.List(ctx, prefix)
}

func (w watched) Remove(ctx context.Context, name string) error {
	w.before("remove", name)
	return w.Folder.Remove(ctx, name)
}

func (w watched) RemoveVersion(ctx context.Context, name, version string) error {
	w.before("remove", name)
	return w.Folder.RemoveVersion(ctx, name, version)
}

func (w watched) Create(ctx context.Context, name string, condition storage.Condition) (storage.Writer, error) {
	w.before("create", name)
	writer, err := w.Folder.Create(ctx, name, condition)
	return watchedWriter{writer, w, name}, err
}

type watchedWriter struct {
	storage.Writer
	folder watched
	name   string
}

func (w watchedWriter) Commit() error {
	w.folder.before("commit", w.name)
	return w.Writer.Commit()
}

// An attempt, or a finalizer, is paused before each of its operations in turn, while
// another launcher overwrites the dataset with another plan and completes that. It must
// notice, and leave that dataset as it is, whatever the other plan's units hold.
func TestOvertakenAtEveryStep(t *testing.T) {
	ctx := t.Context()
	p, units := testPlan(t, 4)
	others := map[string]struct {
		units int
		rows  func(unit int) int
	}{
		"the same units": {4, func(unit int) int { return unit * 100 }},
		"other rows":     {4, func(unit int) int { return unit * 70 }},
		"fewer units":    {2, func(unit int) int { return unit * 70 }},
		"no rows":        {4, func(int) int { return 0 }},
	}
	late := map[string]func(t *testing.T, folder storage.Folder) error{
		"attempt": func(t *testing.T, folder storage.Folder) error { return begun(t, folder, p, 3, 300).Commit(ctx) },
		"finalizer": func(_ *testing.T, folder storage.Folder) error {
			_, err := p.Finalize(ctx, folder)
			return err
		},
	}
	everywhere(t, func(t *testing.T, open func() storage.Folder) {
		for name, o := range others {
			if testing.Short() && name != "fewer units" {
				continue // the schedules of two launchers go further
			}
			other := otherPlan(t, units[:o.units])
			for what, act := range late {
				t.Run(name+"/"+what, func(t *testing.T) {
					for step := 0; ; step += someSteps() {
						folder := open()
						if _, err := p.Create(ctx, folder, units); err != nil {
							t.Fatal(err)
						}
						for unit := range p.Units {
							if unit == 3 && what == "attempt" {
								break
							}
							if err := runUnitAlways(ctx, folder, p, unit); err != nil {
								t.Fatal(err)
							}
						}
						var want map[string]string
						steps, at := 0, ""
						var mutex sync.Mutex // receipts are read by many
						err := act(t, watched{folder, func(operation, name string) {
							mutex.Lock()
							defer mutex.Unlock()
							if steps == step {
								at = operation + " " + name
								want = overtake(t, folder, other, units[:o.units], o.rows)
							}
							steps++
						}})
						if want == nil {
							if step < 8 || err != nil {
								t.Errorf("%d steps, %v", step, err)
							}
							return
						}
						if err != nil && !errors.Is(err, ErrOtherPlan) {
							t.Errorf("overtaken before %s: %v", at, err)
						}
						if diff := cmp.Diff(want, objects(t, folder, true)); diff != "" {
							t.Errorf("overtaken before %s, it changes:\n%s", at, diff)
						}
						if _, err := Verify(ctx, folder); err != nil {
							t.Errorf("overtaken before %s: %v", at, err)
						}
					}
				})
			}
		}
	})
}

// overtake overwrites what is in a folder with the dataset of another plan, and
// returns what is there then.
func overtake(t *testing.T, folder storage.Folder, other *Plan, units []Unit, rows func(unit int) int) map[string]string {
	t.Helper()
	ctx := t.Context()
	if _, err := other.CreateOver(ctx, folder, units, true); err != nil {
		t.Fatal(err)
	}
	for unit := range units {
		a, err := Begin[schemas.WordCount](folder, other, unit, NewChain("wordcounts", "read"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows(unit) {
			if err := a.Write(ctx, schemas.WordCount{Word: fmt.Sprint("w", i), Language: "eng", Count: int64(max(1, unit))}); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Funnel().Keep("wordcounts", "eng", int64(rows(unit))); err != nil {
			t.Fatal(err)
		}
		if err := a.Commit(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := other.Finalize(ctx, folder); err != nil {
		t.Fatal(err)
	}
	return objects(t, folder, true)
}
