package dataset

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/sealed"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/gcs/gcstest"
)

// everywhere runs a test on a disk and in a bucket.
func everywhere(t *testing.T, test func(t *testing.T, open func() storage.Folder)) {
	t.Run("disk", func(t *testing.T) {
		test(t, func() storage.Folder { return storage.NewLocal(t.TempDir()) })
	})
	t.Run("bucket", func(t *testing.T) { test(t, func() storage.Folder { return bucket(t) }) })
}

func bucket(t testing.TB) storage.Folder {
	t.Helper()
	folder, err := storage.Locate(gcstest.Start(t).Folder())
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// objects are all objects of a folder with their contents, and with their versions if
// these count.
func objects(t *testing.T, folder storage.Folder, versions bool) map[string]string {
	t.Helper()
	found := map[string]string{}
	for info, err := range folder.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		data, err := storage.ReadFile(t.Context(), folder, info.Name, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		found[info.Name] = string(data)
		if versions {
			found[info.Name] += " version " + info.Version
		}
	}
	return found
}

func place(t *testing.T, folder storage.Folder, name, content string) {
	t.Helper()
	if err := storage.WriteFile(t.Context(), folder, name, []byte(content), storage.Replace); err != nil {
		t.Fatal(err)
	}
}

// otherPlan is the plan with another seed.
func otherPlan(t *testing.T, units []Unit) *Plan {
	t.Helper()
	p, err := Draft{
		Pipeline: "wordcounts", PipelineVersion: 1, Schema: schemas.WordCount{}.Schema(), Seed: 8, ShardBytes: 10,
		Inputs: []Input{{Role: "documents", XXH3: "01"}}, Units: units,
	}.Plan()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What an attempt makes of what is in the place of its files.
func TestAttemptMeetsOthers(t *testing.T) {
	ctx := t.Context()
	p, units := testPlan(t, 4)
	other := otherPlan(t, units)
	sealed := func(edit func(*Receipt)) string {
		r := Receipt{Plan: p.Hash, Unit: 2, Funnel: &Funnel{}, ContentXXH3: HashString(7)}
		edit(&r)
		data, err := sealed.Seal(&r)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	const shard = "data/part-00002.parquet"
	tests := []struct {
		name string
		// before is there when the attempt begins, meanwhile comes before it ends.
		before, meanwhile map[string]string
		wanted            string
	}{
		{name: "nothing"},
		{name: "a damaged receipt", before: map[string]string{layout.ReceiptName(2): "{"}},
		{name: "a receipt of another plan",
			meanwhile: map[string]string{layout.ReceiptName(2): sealed(func(r *Receipt) { r.Plan = other.Hash })}},
		{name: "a receipt of another unit", meanwhile: map[string]string{layout.ReceiptName(2): sealed(func(r *Receipt) { r.Unit = 1 })}},
		{name: "a receipt without a funnel", before: map[string]string{layout.ReceiptName(2): sealed(func(r *Receipt) { r.Funnel = nil })}},
		{name: "another receipt of the unit", meanwhile: map[string]string{layout.ReceiptName(2): sealed(func(*Receipt) {})},
			wanted: "_run/units/00002.json in FOLDER: it was written differently: it records 0 rows with content 0000000000000007"},
		{name: "a damaged shard", before: map[string]string{shard: "PAR1"}},
		{name: "another shard meanwhile", meanwhile: map[string]string{shard: "PAR1"},
			wanted: shard + " in FOLDER: it was written differently: another attempt wrote other bytes"},
		{name: "another shard instead of a damaged one", before: map[string]string{shard: "PAR1"},
			meanwhile: map[string]string{shard: "PAR12"},
			wanted:    shard + " in FOLDER: it was written differently"},
	}
	everywhere(t, func(t *testing.T, open func() storage.Folder) {
		whole := open()
		if _, err := p.Create(ctx, whole, units); err != nil {
			t.Fatal(err)
		}
		if err := runUnitAlways(ctx, whole, p, 2); err != nil {
			t.Fatal(err)
		}
		want := objects(t, whole, false)
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				folder := open()
				if _, err := p.Create(ctx, folder, units); err != nil {
					t.Fatal(err)
				}
				for name, content := range test.before {
					place(t, folder, name, content)
				}
				a := begun(t, folder, p, 2, 200)
				for name, content := range test.meanwhile {
					place(t, folder, name, content)
				}
				err := a.Commit(ctx)
				if test.wanted == "" {
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(want, objects(t, folder, false)); diff != "" {
						t.Error(diff)
					}
					return
				}
				if !errors.Is(err, ErrUnequal) ||
					!strings.Contains(err.Error(), strings.ReplaceAll(test.wanted, "FOLDER", folder.String())) {
					t.Errorf("got %v, want %q", err, test.wanted)
				}
				for name, content := range test.meanwhile {
					if got := objects(t, folder, false)[name]; got != content {
						t.Errorf("%s is %q, it was %q", name, got, content)
					}
				}
			})
		}
	})
}

// begun is an attempt that has written so many rows; runUnitAlways writes a hundred
// times the unit's number.
func begun(t *testing.T, folder storage.Folder, p *Plan, unit, rows int) *Attempt[schemas.WordCount] {
	t.Helper()
	a, err := Begin[schemas.WordCount](folder, p, unit, NewChain("wordcounts", "read", "length"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Abort)
	for i := range rows {
		if err := a.Write(t.Context(),
			schemas.WordCount{Word: fmt.Sprint("w", i), Language: "eng", Count: int64(max(1, unit))}); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Funnel().Keep("wordcounts", "eng", int64(rows)); err != nil {
		t.Fatal(err)
	}
	a.Rejects().Add(schemas.Reject{ID: fmt.Sprint("r", unit), Step: "length", Reason: "too_long", Language: "deu"})
	return a
}

// Attempts and finalizers that were given up for dead, and come to their ends when the
// dataset is long complete, change nothing, not even the version of an object.
func TestZombies(t *testing.T) {
	for _, kept := range []*UnitRange{nil, {First: 0, Count: 1}} {
		zombies(t, kept)
	}
}

// zombies are those of a plan that keeps some spill files.
func zombies(t *testing.T, kept *UnitRange) {
	ctx := t.Context()
	p, units := testPlan(t, 4)
	p.SpillsKept = kept
	if _, err := sealed.Seal(p); err != nil {
		t.Fatal(err)
	}
	everywhere(t, func(t *testing.T, open func() storage.Folder) {
		folder := open()
		if _, err := p.Create(ctx, folder, units); err != nil {
			t.Fatal(err)
		}
		early := begun(t, folder, p, 2, 200) // before anything was there
		spilling, err := BeginSpill(ctx, folder, p, 0, NewChain("wordcounts", "read", "length"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprint(spilling, "keys of unit 0"); err != nil {
			t.Fatal(err)
		}
		if err := spillUnit(ctx, folder, p, 0); err != nil {
			t.Fatal(err)
		}
		for unit := 1; unit < p.Units; unit++ {
			if err := runUnitAlways(ctx, folder, p, unit); err != nil {
				t.Fatal(err)
			}
		}
		late := begun(t, folder, p, 3, 300) // when the shard was there
		if _, err := p.Finalize(ctx, folder); err != nil {
			t.Fatal(err)
		}
		want := objects(t, folder, true)
		if _, stays := want[SpillName(0)]; stays != kept.Has(0) {
			t.Errorf("kept %+v: a spill file stays: %v", kept, stays)
		}
		for name, commit := range map[string]func(context.Context) error{"early": early.Commit, "late": late.Commit,
			"spilling": spilling.Commit} {
			// On a disk, cleaning up has taken their temporary files.
			if err := commit(ctx); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := p.assemble(ctx, folder, false, nil); err != nil { // a finalizer that had looked before
			t.Error(err)
		}
		if diff := cmp.Diff(want, objects(t, folder, true)); diff != "" {
			t.Errorf("a zombie has changed something:\n%s", diff)
		}

		// The same attempts outlive an --overwrite: the dataset is that of another plan.
		early, late = begun(t, folder, p, 2, 200), begun(t, folder, p, 3, 300)
		other := otherPlan(t, units)
		if _, err := other.CreateOver(ctx, folder, units, true); err != nil {
			t.Fatal(err)
		}
		for unit := range p.Units {
			if unit == 2 {
				continue // not done yet
			}
			if err := runUnit(ctx, folder, other, unit); err != nil {
				t.Fatal(err)
			}
		}
		want = objects(t, folder, true)
		for _, a := range []*Attempt[schemas.WordCount]{early, late} {
			if err := a.Commit(ctx); !errors.Is(err, ErrOtherPlan) ||
				!strings.Contains(err.Error(), "overwritten while it was being made") {
				t.Errorf("an attempt of a plan that is gone: %v", err)
			}
		}
		if _, err := p.Finalize(ctx, folder); err == nil {
			t.Error("a finalizer of a plan that is gone succeeds")
		}
		if diff := cmp.Diff(want, objects(t, folder, true)); diff != "" {
			t.Errorf("a zombie of another plan has changed something:\n%s", diff)
		}
		// One that slipped in between the look and the write is made good.
		place(t, folder, ManifestName, "{}")
		if err := runUnit(ctx, folder, other, 2); err != nil {
			t.Fatal(err)
		}
		if _, err := other.assemble(ctx, folder, false, nil); err != nil {
			t.Error(err)
		}
		if _, err := Verify(ctx, folder); err != nil {
			t.Error(err)
		}
	})
}

// A spill file that stood there when a late attempt began is gone when it ends: all was
// finalized in between, so that its work is done.
func TestSpillAfterFinalize(t *testing.T) {
	for name, folder := range map[string]storage.Folder{"disk": storage.NewLocal(t.TempDir()), "bucket": bucket(t)} {
		ctx := t.Context()
		p, units := testPlan(t, 3)
		if _, err := p.Create(ctx, folder, units); err != nil {
			t.Fatal(err)
		}
		for unit := range p.Units {
			run := runUnitAlways
			if unit == 0 {
				run = spillUnit
			}
			if err := run(ctx, folder, p, unit); err != nil {
				t.Fatal(err)
			}
		}
		late, err := BeginSpill(ctx, folder, p, 0, NewChain("wordcounts", "read", "length"))
		if err != nil {
			t.Fatal(err)
		}
		defer late.Abort()
		if _, err := late.Write([]byte("keys of unit 0")); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Finalize(ctx, folder); err != nil {
			t.Fatal(err)
		}
		if err := late.Commit(ctx); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Launchers, attempts and finalizers all at once, with a service that fails before and
// after it has done what it was asked: one plan, and the bytes of a quiet run on a disk.
func TestRaceInABucket(t *testing.T) {
	ctx := t.Context()
	p, units := testPlan(t, 6)
	quiet := storage.NewLocal(t.TempDir())
	run := func(ctx context.Context, folder storage.Folder, p *Plan, unit int) error {
		if unit < 2 {
			return spillUnit(ctx, folder, p, unit)
		}
		return runUnitAlways(ctx, folder, p, unit)
	}
	if _, err := p.Create(ctx, quiet, units); err != nil {
		t.Fatal(err)
	}
	for unit := range p.Units {
		if err := run(ctx, quiet, p, unit); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Finalize(ctx, quiet); err != nil {
		t.Fatal(err)
	}
	want := objects(t, quiet, false)
	folder := bucket(t)
	gcstest.Start(t).Unlucky(t, 3, 12)
	const launchers = 3
	states, errs := make([]Fate, launchers), make([]error, launchers)
	var group sync.WaitGroup
	for i := range launchers {
		group.Go(func() {
			if states[i], errs[i] = p.Create(ctx, folder, units); errs[i] != nil {
				return
			}
			for unit := range p.Units {
				errs[i] = errors.Join(errs[i], run(ctx, folder, p, (unit+i)%p.Units))
			}
			_, err := p.Finalize(ctx, folder)
			errs[i] = errors.Join(errs[i], err)
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	fresh := 0
	for i, s := range states {
		if s == Fresh && errs[i] == nil {
			fresh++
		}
	}
	if fresh > 1 {
		t.Errorf("%d launchers have created the plan", fresh)
	}
	if diff := cmp.Diff(want, objects(t, folder, false)); diff != "" {
		t.Errorf("the bucket holds something else than the disk:\n%s", diff)
	}
}
