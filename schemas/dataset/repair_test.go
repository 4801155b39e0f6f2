package dataset

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
)

// exchange is a run as that of a dedup: units 0 and 1 spill, units 2 and 3 write
// rows and need both spill files. It returns the units that were done.
func exchange(ctx context.Context, folder storage.Folder, p *Plan, units []Unit) (did []int, err error) {
	if state, err := p.Create(ctx, folder, units); err != nil || state == Complete {
		return nil, err
	}
	for unit := range units {
		if done, err := p.Committed(ctx, folder, unit); err != nil {
			return did, err
		} else if done {
			continue
		}
		did = append(did, unit)
		if err := exchangeUnit(ctx, folder, p, unit); err != nil {
			return did, err
		}
	}
	_, err = p.Finalize(ctx, folder)
	return did, err
}

func exchangeUnit(ctx context.Context, folder storage.Folder, p *Plan, unit int) error {
	if unit < 2 {
		a, err := BeginSpill(ctx, folder, p, unit, NewChain("wordcounts", "count"))
		if err != nil {
			return err
		}
		defer a.Abort()
		if _, err := a.Write([]byte("keyed records")); err != nil {
			return err
		}
		a.Rejects().Add(schemas.Reject{ID: "r", Step: "count", Reason: "too_long", Language: "deu"})
		if err := a.Funnel().Drop("wordcounts", "deu", "count", "too_long", 1); err != nil {
			return err
		}
		return a.Commit(ctx)
	}
	for spill := range 2 {
		if _, err := folder.Stat(ctx, SpillName(spill)); err != nil {
			return err
		}
	}
	a, err := Begin[schemas.WordCount](folder, p, unit, NewChain("wordcounts", "count"))
	if err != nil {
		return err
	}
	defer a.Abort()
	if err := a.Write(ctx, schemas.WordCount{Word: "w", Language: "eng", Count: int64(unit)}); err != nil {
		return err
	}
	if err := a.Funnel().Keep("wordcounts", "eng", 1); err != nil {
		return err
	}
	return a.Commit(ctx)
}

func truncate(t *testing.T, root, name string) {
	t.Helper()
	if err := os.Truncate(filepath.Join(root, name), 20); err != nil {
		t.Fatal(err)
	}
}

// A damaged complete dataset, run again, does the units again whose files are
// not what they were, and no others; and the result has the same bytes.
func TestRunOverDamage(t *testing.T) {
	tests := []struct {
		name   string
		damage func(t *testing.T, root string)
		did    []int
	}{
		{"nothing", func(*testing.T, string) {}, nil},
		{"manifest cut", func(t *testing.T, root string) { truncate(t, root, ManifestName) }, nil},
		{"rejects missing", func(t *testing.T, root string) { remove(t, root, layout.RejectsName) }, nil},
		{"shard missing", func(t *testing.T, root string) { remove(t, root, ShardName(3)) }, []int{0, 1, 3}},
		{"shard cut", func(t *testing.T, root string) { truncate(t, root, ShardName(2)) }, []int{0, 1, 2}},
		{"manifest and receipt cut", func(t *testing.T, root string) {
			truncate(t, root, ManifestName)
			truncate(t, root, layout.ReceiptName(2))
		}, []int{0, 1, 2}},
		{"shards and receipts missing", func(t *testing.T, root string) {
			for _, name := range []string{"data", "_run/units"} {
				if err := os.RemoveAll(filepath.Join(root, name)); err != nil {
					t.Fatal(err)
				}
			}
		}, []int{0, 1, 2, 3}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx := t.Context()
			root := t.TempDir()
			folder := storage.NewLocal(root)
			p, units := testPlan(t, 4)
			if _, err := exchange(ctx, folder, p, units); err != nil {
				t.Fatal(err)
			}
			want := snapshot(t, root)
			test.damage(t, root)
			did, err := exchange(ctx, folder, p, units)
			if err != nil || !cmp.Equal(did, test.did) {
				t.Errorf("did %v, %v; want %v", did, err, test.did)
			}
			if diff := cmp.Diff(want, snapshot(t, root)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What was paid for is not made again unasked: its file can be put back.
func TestRepairPaid(t *testing.T) {
	ctx, root := t.Context(), t.TempDir()
	folder := storage.NewLocal(root)
	p, units := testPlan(t, 3)
	if _, err := runAll(ctx, folder, p, units); err != nil {
		t.Fatal(err)
	}
	if err := storage.WriteFile(ctx, folder, SpentFolder+"x.run.json", []byte("{}"), storage.Replace); err != nil {
		t.Fatal(err)
	}
	m, err := Load(ctx, folder)
	if err != nil {
		t.Fatal(err)
	}
	lost := m.Shards[0].Name
	kept, err := os.ReadFile(filepath.Join(root, lost))
	if err != nil {
		t.Fatal(err)
	}
	truncate(t, root, lost)
	before := snapshot(t, root)
	if _, err := p.Create(ctx, folder, units); err == nil || !strings.Contains(err.Error(), lost) ||
		!strings.Contains(err.Error(), "paid for") || cmp.Diff(before, snapshot(t, root)) != "" {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile(filepath.Join(root, lost), kept, 0o644); err != nil {
		t.Fatal(err)
	}
	if state, err := p.Create(ctx, folder, units); err != nil || state != Complete {
		t.Errorf("put back: %v, %v", state, err)
	}
	truncate(t, root, lost)
	if err := os.RemoveAll(filepath.Join(root, filepath.FromSlash(SpentFolder))); err != nil {
		t.Fatal(err)
	}
	if state, err := p.Create(ctx, folder, units); err != nil || state != Resumed {
		t.Errorf("without the record: %v, %v", state, err)
	}
}

// someSteps is how far apart the steps are at which something happens: every third, or every sixth in short runs.
func someSteps() int {
	if testing.Short() {
		return 6
	}
	return 3
}

// Mending stops at each step and is then repeated.
func TestRepairStopsAtEveryStep(t *testing.T) {
	ctx := t.Context()
	p, units := testPlan(t, 4)
	for n := int64(0); ; n += int64(someSteps()) {
		root := t.TempDir()
		if _, err := exchange(ctx, storage.NewLocal(root), p, units); err != nil {
			t.Fatal(err)
		}
		want := snapshot(t, root)
		remove(t, root, ShardName(3))
		crashing, _ := storagetest.CrashAt(root, n)
		_, err := exchange(ctx, crashing, p, units)
		if err != nil && !errors.Is(err, storagetest.ErrCrash) {
			t.Fatalf("step %d: %v", n, err)
		}
		if _, err := exchange(ctx, storage.NewLocal(root), p, units); err != nil {
			t.Errorf("step %d, then again: %v", n, err)
		}
		if diff := cmp.Diff(want, snapshot(t, root)); diff != "" {
			t.Errorf("step %d, then again:\n%s", n, diff)
		}
		if err == nil {
			if n < 10 {
				t.Errorf("only %d steps", n)
			}
			return
		}
	}
}

// Without receipts a damaged dataset is refused, with a way out that works.
func TestDamagedCopyIsRefused(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, root string){
		"data/part-00002.parquet": func(t *testing.T, root string) { remove(t, root, ShardName(2)) },
		"data/part-00003.parquet": func(t *testing.T, root string) { truncate(t, root, ShardName(3)) },
		ManifestName:              func(t *testing.T, root string) { truncate(t, root, ManifestName) },
	} {
		ctx := t.Context()
		root := t.TempDir()
		folder := storage.NewLocal(root)
		p, units := testPlan(t, 4)
		if _, err := runAll(ctx, folder, p, units); err != nil {
			t.Fatal(err)
		}
		want := snapshot(t, root)
		if err := os.RemoveAll(filepath.Join(root, "_run")); err != nil {
			t.Fatal(err)
		}
		if state, err := p.Create(ctx, folder, units); err != nil || state != Complete {
			t.Errorf("a copy: %v, %v", state, err)
		}
		damage(t, root)
		_, err := p.Create(ctx, folder, units)
		if !errors.Is(err, ErrOtherPlan) || !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), name) ||
			!strings.Contains(err.Error(), "--overwrite") {
			t.Errorf("%s: %v", name, err)
		}
		if err := overwriteAll(ctx, folder); err != nil {
			t.Fatal(err)
		}
		if _, err := runAll(ctx, folder, p, units); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, snapshot(t, root)); diff != "" {
			t.Error(diff)
		}
	}
}

// What Load and Progress say of a folder without a manifest is what Finalize does.
func TestProgress(t *testing.T) {
	shard := func(t *testing.T, root string) { remove(t, root, ShardName(3)) }
	tests := []struct {
		name    string
		damage  func(t *testing.T, root string)
		done    int
		damaged int
		want    []string
	}{
		{"only the manifest", func(*testing.T, string) {}, 4, 0,
			[]string{"has 4 of 4 units", "only the manifest is missing: `sentweave finalize "}},
		{"a shard", shard, 1, 3, []string{"has 1 of 4 units", "3 units are damaged, the first: _run/units/00003.json",
			"run the same `sentweave wordcounts` again"}},
		{"a receipt is cut", func(t *testing.T, root string) { truncate(t, root, layout.ReceiptName(2)) }, 1, 3,
			[]string{"has 1 of 4 units", "_run/units/00002.json", "run the same"}},
		{"a receipt is missing", func(t *testing.T, root string) { remove(t, root, layout.ReceiptName(2)) }, 1, 2,
			[]string{"has 3 of 4 units", "run the same"}}, // by listing alone
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx := t.Context()
			root := t.TempDir()
			folder := storage.NewLocal(root)
			p, units := testPlan(t, 4)
			if _, err := exchange(ctx, folder, p, units); err != nil {
				t.Fatal(err)
			}
			want := snapshot(t, root)
			remove(t, root, ManifestName)
			test.damage(t, root)
			progress, err := p.Progress(ctx, folder)
			if err != nil || progress.Done != test.done || progress.Damaged != test.damaged ||
				(progress.Fault == nil) != (test.damaged == 0) {
				t.Errorf("%+v, %v", progress, err)
			}
			_, err = Load(ctx, folder)
			for _, part := range test.want {
				if !errors.Is(err, ErrIncomplete) || !strings.Contains(err.Error(), part) {
					t.Errorf("%v does not name %q", err, part)
				}
			}
			_, err = p.FinalizeChecked(ctx, folder)
			if (err == nil) != (test.done == p.Units) {
				t.Errorf("finalize: %v", err)
			}
			if err != nil {
				return
			}
			if diff := cmp.Diff(want, snapshot(t, root)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func flip(t *testing.T, root, name string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(filepath.Join(root, name), data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestFinalizeChecked(t *testing.T) {
	ctx := t.Context()
	root := t.TempDir()
	folder := storage.NewLocal(root)
	p, units := testPlan(t, 4)
	if _, err := runAll(ctx, folder, p, units); err != nil {
		t.Fatal(err)
	}
	want := snapshot(t, root)
	for _, damage := range []func(){
		func() {},
		func() { truncate(t, root, ManifestName) },
		func() { flip(t, root, layout.RejectsName) },
		func() { remove(t, root, ManifestName); remove(t, root, layout.RejectsName) },
	} {
		damage()
		if _, err := p.FinalizeChecked(ctx, folder); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, snapshot(t, root)); diff != "" {
			t.Error(diff)
		}
	}
	flip(t, root, ShardName(3))
	for range 2 {
		if _, err := p.FinalizeChecked(ctx, folder); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), ShardName(3)) ||
			!strings.Contains(err.Error(), "delete that file") {
			t.Errorf("a shard of other bytes: %v", err)
		}
		os.Remove(filepath.Join(root, ManifestName)) // and without a manifest
	}
	if _, err := os.Stat(filepath.Join(root, ManifestName)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a manifest was written: %v", err)
	}
	remove(t, root, ShardName(3)) // the way out
	if _, err := runAll(ctx, folder, p, units); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, snapshot(t, root)); diff != "" {
		t.Error(diff)
	}
}

func TestCheckFiles(t *testing.T) {
	ctx := t.Context()
	tests := []struct {
		name          string
		damage        func(t *testing.T, root string)
		sizes, hashes string // parts of the errors; empty for none
	}{
		{"whole", func(*testing.T, string) {}, "", ""},
		{"missing", func(t *testing.T, root string) { remove(t, root, ShardName(2)) }, "part-00002.parquet in ", "part-00002.parquet in "},
		{"cut", func(t *testing.T, root string) { truncate(t, root, ShardName(2)) }, "it has 20 bytes, the manifest says",
			"it has 20 bytes, the manifest says"},
		{"flipped", func(t *testing.T, root string) { flip(t, root, ShardName(2)) }, "", "part-00002.parquet in "},
		{"rejects cut", func(t *testing.T, root string) { truncate(t, root, layout.RejectsName) }, layout.RejectsName, layout.RejectsName},
		{"two", func(t *testing.T, root string) { remove(t, root, ShardName(1)); remove(t, root, ShardName(2)) },
			"and 1 more files; `sentweave verify", "and 1 more files"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			folder := storage.NewLocal(root)
			p, units := testPlan(t, 4)
			m, err := runAll(ctx, folder, p, units)
			if err != nil {
				t.Fatal(err)
			}
			test.damage(t, root)
			for want, err := range map[string]error{"sizes: " + test.sizes: m.CheckSizes(ctx, folder),
				"hashes: " + test.hashes: m.CheckHashes(ctx, folder)} {
				_, part, _ := strings.Cut(want, ": ")
				if (err == nil) != (part == "") || err != nil && (!errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), part)) {
					t.Errorf("%s: %v", want, err)
				}
			}
		})
	}
}
