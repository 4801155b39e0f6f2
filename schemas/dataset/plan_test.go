package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset/layout"
	"sentweave/schemas/dataset/rowtest"
	"sentweave/schemas/storage"
)

// draftOf is a draft of so many units with so many spans each.
func draftOf(units, spans int) Draft {
	d := Draft{
		Pipeline: "wordcounts", PipelineVersion: 1, Schema: schemas.WordCount{}.Schema(), Seed: 7,
		Config: map[string]any{"cased": true}, ShardBytes: 10, Inputs: []Input{{Role: "documents", Files: 1, Bytes: 10, XXH3: "00"}},
	}
	for i := range units {
		u := Unit{Ordinal: i}
		for j := range spans {
			u.Spans = append(u.Spans, Span{Name: fmt.Sprintf("pages/%06d/%06d.html", i, j), To: 100})
		}
		d.Units = append(d.Units, u)
	}
	return d
}

func planOf(t testing.TB, d Draft) *Plan {
	t.Helper()
	p, err := d.Plan()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlanInSeveralFiles(t *testing.T) {
	tests := []struct{ units, spans, files, perFile, chunks int }{
		{0, 0, 0, 1000, 0},
		{1, 1, 1, 1000, 1},
		{1000, 1, 1, 1000, 1},
		{2500, 1, 3, 1000, 3},
		{2, 60_000, 2, 1, 1}, // many small files to a unit: fewer units to a file
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.units, " units of ", test.spans), func(t *testing.T) {
			ctx := t.Context()
			root := t.TempDir()
			folder := storage.NewLocal(root)
			d := draftOf(test.units, test.spans)
			p := planOf(t, d)
			if _, err := p.Create(ctx, folder, d.Units); err != nil {
				t.Fatal(err)
			}
			p, err := LoadPlan(ctx, folder)
			if err != nil {
				t.Fatal(err)
			}
			if p.UnitsPerFile != test.perFile || p.Chunks() != test.chunks {
				t.Errorf("%d units a file, %d chunks; want %d and %d", p.UnitsPerFile, p.Chunks(), test.perFile, test.chunks)
			}
			files, err := filepath.Glob(filepath.Join(root, "_run/plan/*/*.json"))
			if err != nil || len(files) != test.files {
				t.Errorf("%d files, %v; want %d", len(files), err, test.files)
			}
			var all []Unit
			for chunk := range p.Chunks() {
				units, err := p.LoadUnits(ctx, folder, chunk)
				if err != nil {
					t.Fatal(err)
				}
				if ChunkOf(units[0].Ordinal) != chunk || ChunkOf(units[len(units)-1].Ordinal) != chunk {
					t.Errorf("chunk %d has the units %d to %d", chunk, units[0].Ordinal, units[len(units)-1].Ordinal)
				}
				all = append(all, units...)
			}
			if diff := cmp.Diff(d.Units, all); diff != "" {
				t.Errorf("other units come back:\n%s", diff)
			}
			for _, i := range []int{0, test.units / 2, test.units - 1} {
				if i < 0 || i >= test.units {
					continue
				}
				if u, err := p.LoadUnit(ctx, folder, i); err != nil || !cmp.Equal(u, d.Units[i]) {
					t.Errorf("unit %d: %v, %v", i, u.Ordinal, err)
				}
			}
			for _, unit := range []int{-1, test.units} {
				if _, err := p.LoadUnit(ctx, folder, unit); err == nil || !strings.Contains(err.Error(), fmt.Sprint("no unit ", unit)) {
					t.Errorf("unit %d of %d: %v", unit, test.units, err)
				}
			}
			for _, chunk := range []int{-1, test.chunks} {
				if _, err := p.LoadUnits(ctx, folder, chunk); err == nil || !strings.Contains(err.Error(), fmt.Sprint("no chunk ", chunk)) {
					t.Errorf("chunk %d of %d: %v", chunk, test.chunks, err)
				}
			}
		})
	}
}

// However many spans a unit has, a file of the plan has at most maxSpansPerFile
// or one unit, and chunks consist of whole files.
func TestUnitsPerFile(t *testing.T) {
	spans := make([]Span, 1_000_000)
	for _, test := range []struct{ units, spans, want int }{
		{0, 0, 1000}, {1, 100_000, 1000}, {5000, 100, 1000}, {5000, 101, 500}, {5000, 999, 100}, {5000, 1000, 100}, {3000, 4000, 25},
		{3000, 20_000, 5}, {3000, 33_000, 2}, {2000, 50_001, 1}, {10, 1_000_000, 1}, {1, 1_000_000, 1},
	} {
		units := make([]Unit, test.units)
		for i := range units {
			units[i].Spans = spans[:test.spans]
		}
		got := unitsPerFile(units)
		if got != test.want || unitsPerChunk%got != 0 || got > 1 && mostSpans(units, got) > maxSpansPerFile {
			t.Errorf("%d units of %d spans: %d to a file, want %d", test.units, test.spans, got, test.want)
		}
	}
}

// A unit that no file of the plan can hold is refused before the plan is there.
func TestPlanRefusesUnitsThatCannotBeRead(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: encodes 64 MB")
	}
	d := draftOf(1, 1)
	d.Units[0].Spans = []Span{{Name: strings.Repeat("x", maxPlan)}}
	folder := storage.NewLocal(t.TempDir())
	if _, err := planOf(t, d).Create(t.Context(), folder, d.Units); err == nil ||
		!strings.Contains(err.Error(), "choose a smaller shard size") {
		t.Errorf("got %v", err)
	}
	if _, err := LoadPlan(t.Context(), folder); !isAbsent(err) {
		t.Errorf("the plan is there: %v", err)
	}
}

func TestDraftFaults(t *testing.T) {
	d := draftOf(3, 1)
	d.Units[1].Ordinal = 2
	if _, err := d.Plan(); err == nil || !strings.Contains(err.Error(), "unit 2 is at place 1") {
		t.Errorf("ordinals: %v", err)
	}
	d = draftOf(3, 1)
	d.Config = func() {}
	if _, err := d.Plan(); err == nil || !strings.Contains(err.Error(), "encode config") {
		t.Errorf("config: %v", err)
	}
	d = draftOf(3, 1)
	if _, err := planOf(t, d).Create(t.Context(), storage.NewLocal(t.TempDir()), d.Units[:2]); err == nil ||
		!strings.Contains(err.Error(), "2 units are given, the plan has 3") {
		t.Errorf("units: %v", err)
	}
}

// The order of a struct's fields is not part of a plan, its values are, to the
// last digit.
func TestConfigIsCanonical(t *testing.T) {
	hash := func(config any) string {
		d := draftOf(1, 1)
		d.Config = config
		return planOf(t, d).Hash
	}
	type ab struct {
		A int    `json:"a"`
		B string `json:"b"`
	}
	type ba struct {
		B string `json:"b"`
		A int    `json:"a"`
	}
	want := hash(ab{1, "<x>"})
	if got := hash(ba{"<x>", 1}); got != want {
		t.Error("the order of the fields changes the hash")
	}
	if got := hash(map[string]any{"b": "<x>", "a": 1}); got != want {
		t.Error("a map gives another hash than a struct")
	}
	seen := map[string]any{}
	for _, config := range []any{nil, ab{}, map[string]any{}, uint64(1<<64 - 1), uint64(1<<64 - 2), 0.1, 0.10000000000000002, "1",
		[]int{1, 2}, []int{2, 1}} {
		h := hash(config)
		if other, ok := seen[h]; ok {
			t.Errorf("configs %v and %v give one hash", config, other)
		}
		seen[h] = config
	}
}

// Whatever differs, the refusal names it: an empty difference would let another
// run go on in the folder.
func TestDifferenceIsNeverSilent(t *testing.T) {
	base := planOf(t, draftOf(2, 1))
	changes := map[string]func(*Draft){
		"bytes of an input, same hash": func(d *Draft) { d.Inputs[0].Bytes = 11 },
		"role of an input":             func(d *Draft) { d.Inputs[0].Role = "x" },
		"one input more":               func(d *Draft) { d.Inputs = append(d.Inputs, d.Inputs[0]) },
		"spans":                        func(d *Draft) { d.Units[1].Spans[0].To = 99 },
		"config":                       func(d *Draft) { d.Config = map[string]any{"cased": "true"} },
		"no config":                    func(d *Draft) { d.Config = nil },
		"config of a number":           func(d *Draft) { d.Config = 3 },
		"null and unset":               func(d *Draft) { d.Config = map[string]any{"cased": true, "x": nil} },
	}
	for name, change := range changes {
		d := draftOf(2, 1)
		change(&d)
		other := planOf(t, d)
		if got := base.difference(other); got == "" || other.difference(base) == "" {
			t.Errorf("%s: no difference", name)
		} else {
			t.Logf("%s: %s", name, got)
		}
	}
	forged := *base
	forged.Hash = "0000000000000000"
	if got := base.difference(&forged); !strings.Contains(got, "plan hash") {
		t.Errorf("another hash alone: %q", got)
	}
}

// Two launchers start at once. With equal plans one is the first and the other
// goes on; with different plans one wins, the other is told so, and the plan in
// the folder is the winner's, whole.
func TestTwoLaunchers(t *testing.T) {
	for _, same := range []bool{true, false} {
		for round := range 25 {
			ctx := t.Context()
			folder := storage.NewLocal(filepath.Join(t.TempDir(), "out"))
			drafts := [2]Draft{draftOf(1200, 1), draftOf(1200, 1)}
			if !same {
				drafts[1].Seed = 8
			}
			var plans [2]*Plan
			var states [2]Fate
			var errs [2]error
			for i, d := range drafts {
				plans[i] = planOf(t, d)
			}
			var start, done sync.WaitGroup
			start.Add(1)
			for i := range 2 {
				done.Go(func() {
					start.Wait()
					states[i], errs[i] = plans[i].Create(ctx, folder, drafts[i].Units)
				})
			}
			start.Done()
			done.Wait()
			stored, err := LoadPlan(ctx, folder)
			if err != nil {
				t.Fatal(err)
			}
			if same {
				if errs[0] != nil || errs[1] != nil || states[0]+states[1] != Fresh+Resumed {
					t.Fatalf("round %d, same plan: %v %v, %v %v", round, states[0], errs[0], states[1], errs[1])
				}
			} else {
				winner := 0
				if errs[0] != nil {
					winner = 1
				}
				if errs[winner] != nil || states[winner] != Fresh || !errors.Is(errs[1-winner], ErrOtherPlan) ||
					stored.Hash != plans[winner].Hash {
					t.Fatalf("round %d, other plan: %v, %v", round, errs[0], errs[1])
				}
			}
			for chunk := range stored.Chunks() {
				if _, err := stored.LoadUnits(ctx, folder, chunk); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// A folder with the manifest of one run and the plan of another is refused.
func TestPlanBesideAnotherManifest(t *testing.T) {
	ctx := context.Background()
	root := t.TempDir()
	folder := storage.NewLocal(root)
	if _, err := writeDataset(ctx, folder, rowtest.List(rowtest.WordCount, 0, 3), 1); err != nil {
		t.Fatal(err)
	}
	d := draftOf(1, 1)
	p := planOf(t, d)
	other := t.TempDir()
	if _, err := p.Create(ctx, storage.NewLocal(other), d.Units); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(other, layout.PlanName), filepath.Join(root, layout.PlanName)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Create(ctx, folder, d.Units); !errors.Is(err, ErrOtherPlan) {
		t.Errorf("got %v", err)
	}
	if _, err := p.Finalize(ctx, folder); err == nil {
		t.Error("the manifest of the other run was taken over")
	}
}

func TestOtherFormats(t *testing.T) {
	ctx := t.Context()
	for _, name := range []string{layout.PlanName, ManifestName} {
		for found, want := range map[int]string{format + 1: "use the newer program", oldestFormat - 1: "make the dataset again"} {
			root := t.TempDir()
			folder := storage.NewLocal(root)
			p, units := testPlan(t, 2)
			if _, err := runAll(ctx, folder, p, units); err != nil {
				t.Fatal(err)
			}
			// As another version of the program would write it: other fields, too.
			path := filepath.Join(root, filepath.FromSlash(name))
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var tree map[string]any
			if err := json.Unmarshal(data, &tree); err != nil {
				t.Fatal(err)
			}
			plan := tree
			if name == ManifestName {
				plan = tree["plan"].(map[string]any)
			}
			plan["format"], plan["flavour"], tree["colour"] = found, 1, "blue"
			if data, err = json.Marshal(tree); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, data, 0o666); err != nil {
				t.Fatal(err)
			}
			if name == layout.PlanName { // else the manifest is read first
				if err := os.Remove(filepath.Join(root, ManifestName)); err != nil {
					t.Fatal(err)
				}
			}
			_, loadErr := Load(ctx, folder)
			_, createErr := p.Create(ctx, folder, units)
			for what, err := range map[string]error{"load": loadErr, "create": createErr} {
				if !errors.Is(err, ErrFormat) || errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), want) ||
					!strings.Contains(err.Error(), name) {
					t.Errorf("%s of %s with format %d: %v", what, name, found, err)
				}
			}
		}
	}
}
