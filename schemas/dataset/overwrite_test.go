package dataset

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
)

// A dataset on which something was spent is deleted by nobody but its owner.
func TestOverwriteSpent(t *testing.T) {
	ctx, root := t.Context(), t.TempDir()
	p, units := testPlan(t, 3)
	if _, err := runAll(ctx, storage.NewLocal(root), p, units); err != nil {
		t.Fatal(err)
	}
	if err := storage.WriteFile(ctx, storage.NewLocal(root), SpentFolder+"x.run.json", []byte("{}"), storage.Replace); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, root)
	if err := overwriteAll(ctx, storage.NewLocal(root)); err == nil || !strings.Contains(err.Error(), "paid for") ||
		len(snapshot(t, root)) != len(before) {
		t.Errorf("got %v", err)
	}
}

// The deletion of a dataset stops at each step, then is repeated: nothing of the
// dataset is left. It also holds for a copy without _run, which has no plan.
func TestOverwriteStopsAtEveryStep(t *testing.T) {
	ctx := t.Context()
	p, units := testPlan(t, 3)
	for _, copied := range []bool{false, true} {
		for n := int64(0); ; n++ {
			root := t.TempDir()
			if _, err := runAll(ctx, storage.NewLocal(root), p, units); err != nil {
				t.Fatal(err)
			}
			if copied {
				if err := os.RemoveAll(filepath.Join(root, "_run")); err != nil {
					t.Fatal(err)
				}
			}
			crashing, _ := storagetest.CrashAt(root, n)
			err := overwriteAll(ctx, crashing)
			if err != nil && !errors.Is(err, storagetest.ErrCrash) {
				t.Fatalf("step %d: %v", n, err)
			}
			if m, loadErr := Load(ctx, storage.NewLocal(root)); loadErr == nil && m.CheckHashes(ctx, storage.NewLocal(root)) != nil {
				t.Errorf("step %d: the dataset %s still counts as complete", n, m.Check)
			}
			if err := overwriteAll(ctx, storage.NewLocal(root)); err != nil {
				t.Errorf("copy %t, step %d, then again: %v", copied, n, err)
			}
			if got := snapshot(t, root); len(got) != 0 {
				t.Errorf("copy %t, step %d: left %v", copied, n, got)
			}
			if err == nil {
				break
			}
		}
	}
}

// overwriteAll deletes the dataset of a folder, complete or not. If the folder holds a
// file that does not belong to the layout, it is refused before anything is deleted,
// and the error names the file; the new dataset would be refused there too. A folder
// with records of spending is refused as well, because the money cannot be got back.
func overwriteAll(ctx context.Context, folder storage.Folder) error {
	err := error(nil)
	for range mostRounds {
		seen, statErr := planVersion(ctx, folder)
		if statErr != nil {
			return statErr
		}
		var version string
		if version, err = condemn(ctx, folder, seen); err == nil && version != "" {
			return storage.RemoveVersions(ctx, folder, []storage.Info{{Name: layout.PlanName, Version: version}})
		}
		if !errors.Is(err, errOutrun) {
			break
		}
	}
	return err
}
