package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/funnel"
	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/sealed"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
)

// A dataset of more languages than its manifest tells keeps those with the most items,
// sums the others, and has all in a file, whatever the units are. What the receipts take
// does not grow with the languages, and the file is read by WholeFunnel and by Verify.
func TestManyLanguages(t *testing.T) {
	ctx := t.Context()
	const languages = 2*funnel.MostLanguages + 300
	count := func(i int) int64 { return int64(1 + i*7%languages) }
	var manifests []*Manifest
	for _, units := range []int{1, 3} {
		root := t.TempDir()
		folder := storage.NewLocal(root)
		p, list := testPlan(t, units)
		if _, err := p.Create(ctx, folder, list); err != nil {
			t.Fatal(err)
		}
		for unit := range units {
			a, err := Begin[schemas.WordCount](folder, p, unit, NewChain("pages", "read"), NewChain("words", "read"))
			if err != nil {
				t.Fatal(err)
			}
			for i := range languages {
				code := fmt.Sprintf("l%04d", i)
				if i%units == unit {
					err = errors.Join(err, a.Funnel().Keep("pages", code, count(i)))
				}
				err = errors.Join(err, a.Funnel().Drop("pages", code, "read", "empty", 2))
				a.Rejects().Add(schemas.Reject{ID: fmt.Sprint(i), Step: "read", Reason: "empty", Language: code,
					Sample: strings.Repeat("x", 400)})
			}
			if err := errors.Join(err, a.Funnel().Keep("words", "eng", 5), a.Commit(ctx)); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(filepath.Join(root, layout.ReceiptName(unit)))
			if err != nil || info.Size() > 2_000 {
				t.Errorf("a receipt of %d languages has %d bytes, %v", languages, info.Size(), err)
			}
		}
		m, err := p.Finalize(ctx, folder)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(ctx, folder); err != nil {
			t.Error(err)
		}
		manifests = append(manifests, m)
		step := m.Funnel.Chains[0].Steps[0]
		if len(step.Languages) != funnel.MostLanguages+1 || m.Counts == nil {
			t.Fatalf("the manifest tells %d languages, and a file is %v", len(step.Languages), m.Counts)
		}
		kept, dropped := int64(0), int64(2*units)
		for i := range languages {
			c, told := step.Languages[fmt.Sprintf("l%04d", i)]
			if want := count(i) > languages-funnel.MostLanguages; told != want || told && c.Out != count(i) {
				t.Errorf("language %d with %d items: %v, %v", i, count(i), told, c)
			}
			kept += count(i)
		}
		if total := step.Total(); total.Out != kept || total.Dropped["empty"] != dropped*languages {
			t.Errorf("in all %+v, want %d and %d", total, kept, dropped*languages)
		}
		whole, err := m.WholeFunnel(ctx, folder)
		if err != nil {
			t.Fatal(err)
		}
		for i := range languages {
			if c := whole.Chains[0].Steps[0].Languages[fmt.Sprintf("l%04d", i)]; c.Out != count(i) || c.Dropped["empty"] != dropped {
				t.Errorf("the file tells of language %d: %+v", i, c)
			}
		}
		if m.Rejects == nil || m.Rejects.Rows < FloorLanguages || m.Rejects.Rows > FloorLanguages+SamplesKept {
			t.Errorf("rejects: %+v", m.Rejects)
		}
		if err := os.Truncate(filepath.Join(root, layout.FunnelName), 99); err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(ctx, folder); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), layout.FunnelName) {
			t.Errorf("a cut file of counts: %v", err)
		}
		if state, err := p.Create(ctx, folder, list); err != nil || state != Complete {
			t.Errorf("create again: %v, %v", state, err)
		}
		if again, err := Verify(ctx, folder); err != nil || again.Check != m.Check {
			t.Errorf("mended: %v", err)
		}
	}
	if a, b := manifests[0], manifests[1]; a.Rejects.XXH3 != b.Rejects.XXH3 {
		t.Error("other units keep other rejects")
	}
}

// The files beside a receipt are part of what is committed: without one of them, or with
// one that is cut, the unit is done again; one that is changed in its place stops the end
// of the run, with the way out.
func TestFilesBesideReceipts(t *testing.T) {
	ctx := t.Context()
	for _, which := range []string{"counts", "samples"} {
		root := t.TempDir()
		folder := storage.NewLocal(root)
		p, units := testPlan(t, 2)
		if _, err := p.Create(ctx, folder, units); err != nil {
			t.Fatal(err)
		}
		for unit := range p.Units {
			if err := begun(t, folder, p, unit, 3).Commit(ctx); err != nil {
				t.Fatal(err)
			}
		}
		name := p.countsName(1)
		if which == "samples" {
			name = p.samplesName(1)
		}
		path := filepath.Join(root, filepath.FromSlash(name))
		flip(t, root, name)
		if _, err := p.Finalize(ctx, folder); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), name) ||
			!strings.Contains(err.Error(), "delete that file") {
			t.Errorf("%s changed: %v", which, err)
		}
		for what, harm := range map[string]func() error{
			"cut":     func() error { return os.Truncate(path, 20) },
			"missing": func() error { return os.Remove(path) },
		} {
			if err := harm(); err != nil {
				t.Fatal(err)
			}
			if done, err := p.Committed(ctx, folder, 1); done || err != nil {
				t.Errorf("%s %s: committed %v, %v", which, what, done, err)
			}
			if err := begun(t, folder, p, 1, 3).Commit(ctx); err != nil {
				t.Fatal(err)
			}
			if done, err := p.Committed(ctx, folder, 1); !done || err != nil {
				t.Errorf("%s done again: committed %v, %v", which, done, err)
			}
		}
		if _, err := p.Finalize(ctx, folder); err != nil {
			t.Error(err)
		}
		if _, err := Verify(ctx, folder); err != nil {
			t.Error(err)
		}
	}
}

// A receipt that nobody can read, because it is too large or of an older program, counts
// as absent: its unit is done again, and takes its place.
func TestUnreadableReceiptIsAbsent(t *testing.T) {
	ctx := t.Context()
	for what, content := range map[string]string{
		"too large": strings.Repeat(" ", maxReceipt+1),
		"older":     `{"plan": "x", "unit": 0, "rejects": []}`,
		"empty":     "",
	} {
		folder := storage.NewLocal(t.TempDir())
		p, units := testPlan(t, 1)
		if _, err := p.Create(ctx, folder, units); err != nil {
			t.Fatal(err)
		}
		if err := storage.WriteFile(ctx, folder, layout.ReceiptName(0), []byte(content), storage.Replace); err != nil {
			t.Fatal(err)
		}
		if done, err := p.Committed(ctx, folder, 0); done || err != nil {
			t.Errorf("%s: committed %v, %v", what, done, err)
		}
		if progress, err := p.Progress(ctx, folder); err != nil || progress.Damaged != 1 ||
			!strings.Contains(p.WayOn(folder, progress), "does that unit again") {
			t.Errorf("%s: %+v, %v", what, progress, err)
		}
		if _, err := p.Finalize(ctx, folder); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "does that unit again") {
			t.Errorf("%s: %v", what, err)
		}
		if err := begun(t, folder, p, 0, 3).Commit(ctx); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := p.Finalize(ctx, folder); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// What is larger than what is read is not published.
func TestNothingUnreadableIsPublished(t *testing.T) {
	ctx, folder := t.Context(), storage.NewLocal(t.TempDir())
	p, units := testPlan(t, 1)
	if _, err := p.Create(ctx, folder, units); err != nil {
		t.Fatal(err)
	}
	a := begun(t, folder, p, 0, 3)
	for i := range maxReceipt / 20 { // reasons that the data invent, which is a fault of a pipeline
		if err := a.Funnel().Drop("wordcounts", "eng", "length", fmt.Sprintf("reason %012d", i), 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Commit(ctx); !errors.Is(err, storage.ErrTooLarge) {
		t.Errorf("a receipt: %v", err)
	}
	large := *p
	large.Config = []byte(`"` + strings.Repeat("x", maxPlan) + `"`)
	if err := large.begin(ctx, storage.NewLocal(t.TempDir()), units, storage.IfAbsent); !errors.Is(err, storage.ErrTooLarge) {
		t.Errorf("a plan: %v", err)
	}
	if _, err := (Draft{Units: make([]Unit, maxUnits+1)}).Plan(); err == nil || !strings.Contains(err.Error(), "--shard-bytes") {
		t.Errorf("too many units: %v", err)
	}
	many := Manifest{Shards: make([]Shard, jsonfile.MaxValues/4)}
	if _, err := sealed.Seal(&many); err == nil {
		t.Error("a manifest is sealed that has more values than are read")
	}
}

// A dataset of the format before is read as it is, and verified without its receipts. A
// run of it that is not finished is refused by name, and can be overwritten.
func TestFormatBefore(t *testing.T) {
	ctx := t.Context()
	root := t.TempDir()
	folder := storage.NewLocal(root)
	now, units := testPlan(t, 2)
	old := *now
	old.Format = format - 1
	if _, err := sealed.Seal(&old); err != nil {
		t.Fatal(err)
	}
	if err := old.begin(ctx, folder, units, storage.IfAbsent); err != nil {
		t.Fatal(err)
	}
	for unit := range old.Units {
		if err := begun(t, folder, &old, unit, 3).Commit(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for what, do := range map[string]func() error{
		"load":     func() error { _, err := Load(ctx, folder); return err },
		"finalize": func() error { _, err := old.Finalize(ctx, folder); return err },
		"progress": func() error { _, err := old.Progress(ctx, folder); return err },
	} {
		if err := do(); !errors.Is(err, ErrOtherPlan) || !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "older program") {
			t.Errorf("%s of an unfinished run: %v", what, err)
		}
	}
	if _, err := now.Create(ctx, folder, units); !errors.Is(err, ErrOtherPlan) ||
		!strings.Contains(err.Error(), "layout format is 1 there and 2 here") {
		t.Errorf("create beside it: %v", err)
	}
	// Its manifest, as the older program wrote it.
	f := finalizer{plan: now, folder: folder}
	f.sums.Manifest = Manifest{Plan: old}
	if err := old.receipts(ctx, folder, func(_ int, l loaded) error { return errors.Join(l.err, f.sums.add(l.receipt)) }); err != nil {
		t.Fatal(err)
	}
	var err error
	if f.rejects, err = f.sums.merge(ctx, folder, func([]schemas.Count) error { return nil }); err != nil {
		t.Fatal(err)
	}
	f.sums.ContentXXH3 = HashString(f.sums.content)
	f.plan = &old
	if err := f.publish(ctx); err != nil {
		t.Fatal(err)
	}
	for unit := range old.Units { // whose receipts this program does not know
		if err := os.WriteFile(filepath.Join(root, layout.ReceiptName(unit)), []byte(`{"plan": "`+old.Hash+`", "rejects": []}`),
			0o666); err != nil {
			t.Fatal(err)
		}
	}
	if m, err := Verify(ctx, folder); err != nil || m.Plan.Format != format-1 {
		t.Errorf("verify: %v", err)
	}
	n := 0
	for _, err := range Rows[schemas.WordCount](ctx, folder, &f.sums.Manifest) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != 6 {
		t.Errorf("%d rows", n)
	}
	if _, err := now.CreateOver(ctx, folder, units, true); err != nil {
		t.Errorf("overwrite: %v", err)
	}
}
