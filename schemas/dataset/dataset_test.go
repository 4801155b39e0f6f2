package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
)

// testPlan plans word counts: unit u has u rows (so the first unit is empty)
// and drops one.
func testPlan(t *testing.T, units int) (*Plan, []Unit) {
	t.Helper()
	var pieces []Piece
	for i := range units {
		pieces = append(pieces, Piece{Span: Span{Name: fmt.Sprintf("in/%d", i), To: 10}, Weight: 10})
	}
	d := Draft{
		Pipeline: "wordcounts", PipelineVersion: 1, Schema: schemas.WordCount{}.Schema(), Seed: 7,
		Config: map[string]any{"cased": true, "limit": 3}, ShardBytes: 10,
		Inputs: []Input{{Role: "documents", Files: int64(units), Bytes: int64(units) * 10, XXH3: "00"}},
		Units:  Pack(pieces, 10),
	}
	p, err := d.Plan()
	if err != nil {
		t.Fatal(err)
	}
	return p, d.Units
}

func runUnit(ctx context.Context, folder storage.Folder, p *Plan, unit int) error {
	if done, err := p.Committed(ctx, folder, unit); done || err != nil {
		return err
	}
	a, err := Begin[schemas.WordCount](folder, p, unit, NewChain("wordcounts", "read", "length"))
	if err != nil {
		return err
	}
	defer a.Abort()
	for i := range unit {
		row := schemas.WordCount{Word: fmt.Sprintf("word-%d-%d", unit, i), Language: "eng", Count: int64(i + 1)}
		if err := a.Write(ctx, row); err != nil {
			return err
		}
		if err := a.Funnel().Keep("wordcounts", "eng", 1); err != nil {
			return err
		}
	}
	if err := a.Funnel().Drop("wordcounts", "deu", "length", "too_long", 1); err != nil {
		return err
	}
	a.Rejects().Add(schemas.Reject{ID: fmt.Sprint("r", unit), Step: "length", Reason: "too_long", Language: "deu",
		Sample: strings.Repeat("ä", 400)})
	return a.Commit(ctx)
}

func runAll(ctx context.Context, folder storage.Folder, p *Plan, units []Unit) (*Manifest, error) {
	if _, err := p.Create(ctx, folder, units); err != nil {
		return nil, err
	}
	for i := range p.Units {
		if err := runUnit(ctx, folder, p, i); err != nil {
			return nil, err
		}
	}
	return p.Finalize(ctx, folder)
}

// snapshot returns the content of every file, without the run's own ones.
func snapshot(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for info, err := range storage.NewLocal(root).List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(root, info.Name))
		if err != nil {
			t.Fatal(err)
		}
		files[info.Name] = string(data)
	}
	return files
}

func TestRun(t *testing.T) {
	ctx := t.Context()
	root := t.TempDir()
	folder := storage.NewLocal(root)
	p, units := testPlan(t, 5)
	if _, err := Load(ctx, folder); !errors.Is(err, ErrNoDataset) {
		t.Errorf("empty folder: %v", err)
	}
	if state, err := p.Create(ctx, folder, units); err != nil || state != Fresh {
		t.Fatalf("first plan: %v, %v", state, err)
	}
	if state, err := p.Create(ctx, folder, units); err != nil || state != Resumed {
		t.Fatalf("same plan again: %v, %v", state, err)
	}
	if _, err := Load(ctx, folder); !errors.Is(err, ErrIncomplete) {
		t.Errorf("plan without manifest: %v", err)
	}
	if _, err := p.Finalize(ctx, folder); !errors.Is(err, ErrIncomplete) {
		t.Errorf("finalize without receipts: %v", err)
	}
	m, err := runAll(ctx, folder, p, units)
	if err != nil {
		t.Fatal(err)
	}
	if m.Rows != 0+1+2+3+4 || len(m.Shards) != 4 || m.Shards[0].Name != "data/part-00001.parquet" {
		t.Errorf("rows %d, shards %v", m.Rows, m.Shards)
	}
	if m.Rejects == nil || m.Rejects.Rows != 5 {
		t.Errorf("rejects: %+v", m.Rejects)
	}
	if state, err := p.Create(ctx, folder, units); err != nil || state != Complete {
		t.Errorf("complete: %v, %v", state, err)
	}
	verified, err := Verify(ctx, folder)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, verified); diff != "" {
		t.Errorf("the manifest changes when it is read back:\n%s", diff)
	}
	var words []string
	for row, err := range Rows[schemas.WordCount](ctx, folder, m) {
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, row.Word)
	}
	want := []string{"word-1-0", "word-2-0", "word-2-1", "word-3-0", "word-3-1", "word-3-2", "word-4-0", "word-4-1", "word-4-2", "word-4-3"}
	if !slices.Equal(words, want) {
		t.Errorf("rows %q, want %q", words, want)
	}
	if _, err := LoadAs[schemas.Pair](ctx, folder); err == nil {
		t.Error("a dataset of word counts was opened as pairs")
	}
}

// The run stops at each write, sync, rename and removal, one by one; run again
// it gives the bytes of a run that was never stopped.
func TestStopAtEveryStep(t *testing.T) {
	ctx := t.Context()
	p, units := testPlan(t, 3)
	clean := t.TempDir()
	counting, steps := storagetest.CrashAt(clean, -1)
	if _, err := runAll(ctx, counting, p, units); err != nil {
		t.Fatal(err)
	}
	want := snapshot(t, clean)
	total := steps()
	if total < 40 {
		t.Fatalf("only %d steps to stop at", total)
	}
	for n := range total {
		root := t.TempDir()
		crashing, _ := storagetest.CrashAt(root, n)
		if _, err := runAll(ctx, crashing, p, units); !errors.Is(err, storagetest.ErrCrash) && err != nil {
			t.Fatalf("step %d: %v", n, err)
		}
		if _, err := Load(ctx, storage.NewLocal(root)); err == nil {
			if _, err := Verify(ctx, storage.NewLocal(root)); err != nil {
				t.Errorf("stopped at step %d, the folder claims to be complete, but: %v", n, err)
			}
		}
		if _, err := runAll(ctx, storage.NewLocal(root), p, units); err != nil {
			t.Fatalf("stopped at step %d, then run again: %v", n, err)
		}
		if diff := cmp.Diff(want, snapshot(t, root)); diff != "" {
			t.Errorf("stopped at step %d, then run again, gives other files:\n%s", n, diff)
		}
	}
}

func TestOtherPlanIsRefused(t *testing.T) {
	ctx := t.Context()
	base := Draft{
		Pipeline: "wordcounts", PipelineVersion: 1, Schema: schemas.WordCount{}.Schema(), Seed: 7,
		Config: map[string]any{"cased": true}, ShardBytes: 10,
		Inputs: []Input{{Role: "documents", Files: 1, Bytes: 10, XXH3: "00"}}, Units: []Unit{{Ordinal: 0}},
	}
	tests := []struct {
		name   string
		change func(*Draft)
		want   string
	}{
		{"version", func(d *Draft) { d.PipelineVersion = 2 }, "pipeline version is 1 there and 2 here"},
		{"pipeline", func(d *Draft) { d.Pipeline = "other" }, "pipeline is wordcounts there and other here"},
		{"config", func(d *Draft) { d.Config = map[string]any{"cased": false} }, "config cased is true there and false here"},
		{"new key", func(d *Draft) { d.Config = map[string]any{"cased": true, "x": 1} }, "config x is unset there and 1 here"},
		{"seed", func(d *Draft) { d.Seed = 8 }, "seed is 7 there and 8 here"},
		{"input", func(d *Draft) { d.Inputs[0].XXH3 = "01" }, `the input "documents" has other content`},
		{"input size", func(d *Draft) { d.Inputs[0] = Input{Role: "documents", Files: 2, Bytes: 20, XXH3: "01"} },
			`the input "documents" has 1 file of 10 bytes there and 2 of 20 here`},
		{"units", func(d *Draft) { d.Units = []Unit{{Ordinal: 0}, {Ordinal: 1}} }, "number of units is 1 there and 2 here"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			folder := storage.NewLocal(t.TempDir())
			first, err := base.Plan()
			if err != nil {
				t.Fatal(err)
			}
			empty, emptyErr := first.Standing(ctx, folder)
			if _, err := first.Create(ctx, folder, base.Units); err != nil {
				t.Fatal(err)
			}
			if begun, err := first.Standing(ctx, folder); empty != Fresh || begun != Resumed || errors.Join(emptyErr, err) != nil {
				t.Errorf("the plan finds %v and %v in its own folder: %v", empty, begun, errors.Join(emptyErr, err))
			}
			other := base
			other.Inputs = slices.Clone(base.Inputs)
			test.change(&other)
			second, err := other.Plan()
			if err != nil {
				t.Fatal(err)
			}
			_, refused := second.Standing(ctx, folder)
			_, err = second.Create(ctx, folder, other.Units)
			if !errors.Is(err, ErrOtherPlan) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if refused == nil || refused.Error() != err.Error() {
				t.Errorf("Standing says %v, Create %v", refused, err)
			}
		})
	}
}

func TestDamageIsNamed(t *testing.T) {
	ctx := t.Context()
	flip := func(t *testing.T, path string) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)/2] ^= 1
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cut := func(t *testing.T, path string) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, info.Size()/2); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(t *testing.T, path string) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	shard, manifest, rejects := "data/part-00002.parquet", "manifest.json", "rejects/part-00000.parquet"
	tests := []struct {
		name    string
		damage  func(*testing.T, string)
		file    string
		readers bool // readers of rows notice, not verify alone
	}{
		{"shard flipped", flip, shard, true},
		{"shard cut", cut, shard, true},
		{"shard removed", remove, shard, true},
		{"manifest flipped", flip, manifest, true},
		{"manifest cut", cut, manifest, true},
		{"rejects flipped", flip, rejects, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			folder := storage.NewLocal(root)
			p, units := testPlan(t, 4)
			if _, err := runAll(ctx, folder, p, units); err != nil {
				t.Fatal(err)
			}
			test.damage(t, filepath.Join(root, test.file))
			if _, err := Verify(ctx, folder); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), filepath.Base(test.file)) {
				t.Errorf("verify: %v", err)
			}
			if !test.readers {
				return
			}
			m, err := Load(ctx, folder)
			if err == nil {
				for _, rowErr := range Rows[schemas.WordCount](ctx, folder, m) {
					err = rowErr
				}
			}
			if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), filepath.Base(test.file)) {
				t.Errorf("reader: %v", err)
			}
		})
	}
	t.Run("receipt cut", func(t *testing.T) {
		root := t.TempDir()
		folder := storage.NewLocal(root)
		p, units := testPlan(t, 4)
		if _, err := runAll(ctx, folder, p, units); err != nil {
			t.Fatal(err)
		}
		want := snapshot(t, root)
		cut(t, filepath.Join(root, "_run/units/00002.json"))
		if _, err := Verify(ctx, folder); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "00002.json") {
			t.Errorf("verify: %v", err)
		}
		remove(t, filepath.Join(root, "manifest.json"))
		if _, err := p.Finalize(ctx, folder); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "00002.json") {
			t.Errorf("finalize: %v", err)
		}
		if _, err := runAll(ctx, folder, p, units); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, snapshot(t, root)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOverwriteDeletesOnlyOurs(t *testing.T) {
	ctx := t.Context()
	root := t.TempDir()
	folder := storage.NewLocal(root)
	if err := os.WriteFile(filepath.Join(root, "thesis.txt"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	p, units := testPlan(t, 3)
	if _, err := p.Create(ctx, folder, units); err == nil || !strings.Contains(err.Error(), "thesis.txt") {
		t.Errorf("a folder with other files was accepted: %v", err)
	}
	if err := overwriteAll(ctx, folder); err == nil {
		t.Error("a folder with other files was overwritten")
	}
	if err := os.Remove(filepath.Join(root, "thesis.txt")); err != nil {
		t.Fatal(err)
	}
	if _, err := runAll(ctx, folder, p, units); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mynotes.txt", "data/sub/y", "data/notes.txt",
		"rejects/x.parquet"} { // nothing goes before all is looked at
		storagetest.WriteFiles(t, root, map[string]string{name: "x"})
		before := snapshot(t, root)
		if err := overwriteAll(ctx, folder); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) ||
			!strings.Contains(err.Error(), "nothing was deleted") {
			t.Errorf("with %s: %v", name, err)
		}
		if diff := cmp.Diff(before, snapshot(t, root)); diff != "" {
			t.Errorf("with %s:\n%s", name, diff)
		}
		remove(t, root, name)
	}
	if err := overwriteAll(ctx, folder); err != nil {
		t.Fatal(err)
	}
	if got := snapshot(t, root); len(got) != 0 {
		t.Errorf("left after overwriting: %v", got)
	}
}
