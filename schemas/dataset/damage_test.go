package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/dataset/sealed"
	"sentweave/schemas/storage"
)

// Each way in which a folder can be wrong gives one error that names the file
// and says what is wrong with it.
func TestWrongFolders(t *testing.T) {
	tests := []struct {
		name   string
		change func(t *testing.T, root string)
		do     func(ctx context.Context, p *Plan, folder storage.Folder) error
		want   []string
		// again: the same run, repeated, mends it.
		again bool
	}{
		{
			name: "a receipt of another plan",
			change: func(t *testing.T, root string) {
				edit(t, root, "_run/units/00001.json", func(r *Receipt) { r.Plan = "0123456789abcdef" })
			},
			want: []string{"_run/units/00001.json", "belongs to plan 0123456789abcdef", "does that unit again"}, again: true,
		},
		{
			name: "a receipt of another unit",
			change: func(t *testing.T, root string) {
				edit(t, root, "_run/units/00001.json", func(r *Receipt) { r.Unit = 2 })
			},
			want: []string{"_run/units/00001.json", "is of unit 2"}, again: true,
		},
		{
			name: "a receipt that names another shard",
			change: func(t *testing.T, root string) {
				edit(t, root, "_run/units/00001.json", func(r *Receipt) { r.Shard.Name = "data/part-00002.parquet" })
			},
			want: []string{"_run/units/00001.json", `names the shard "data/part-00002.parquet"`}, again: true,
		},
		{
			name: "a receipt without a funnel",
			change: func(t *testing.T, root string) {
				edit(t, root, "_run/units/00001.json", func(r *Receipt) { r.Funnel = nil })
			},
			want: []string{"_run/units/00001.json", "has no funnel"}, again: true,
		},
		{
			name: "a receipt whose content hash is none",
			change: func(t *testing.T, root string) {
				edit(t, root, "_run/units/00001.json", func(r *Receipt) { r.ContentXXH3 = "xyz" })
			},
			want: []string{"_run/units/00001.json", "corrupt"},
		},
		{
			name:   "a receipt whose shard is missing",
			change: func(t *testing.T, root string) { remove(t, root, "data/part-00001.parquet") },
			want:   []string{"_run/units/00001.json", "data/part-00001.parquet is missing"}, again: true,
		},
		{
			name: "a receipt whose shard has another size",
			change: func(t *testing.T, root string) {
				if err := os.Truncate(filepath.Join(root, "data/part-00001.parquet"), 3); err != nil {
					t.Fatal(err)
				}
			},
			want: []string{"data/part-00001.parquet", "it has 3 bytes, its receipt says"}, again: true,
		},
		{
			name: "units of other shapes",
			change: func(t *testing.T, root string) {
				edit(t, root, "_run/units/00001.json", func(r *Receipt) { r.Funnel = NewFunnel(NewChain("pages", "read")) })
			},
			want: []string{"_run/units/00001.json", "chains"},
		},
		{
			name: "a missing file of the plan",
			change: func(t *testing.T, root string) {
				remove(t, root, onlyOne(t, root, "_run/plan/*/00000.json"))
			},
			do: func(ctx context.Context, p *Plan, folder storage.Folder) error {
				_, err := p.LoadUnit(ctx, folder, 1)
				return err
			},
			want: []string{"00000.json", "no such file"},
		},
		{
			name: "a file of the plan with other units",
			change: func(t *testing.T, root string) {
				editFile(t, root, onlyOne(t, root, "_run/plan/*/00000.json"),
					func(f *unitFile) { f.Units = f.Units[1:] })
			},
			do: func(ctx context.Context, p *Plan, folder storage.Folder) error {
				_, err := p.LoadUnits(ctx, folder, 0)
				return err
			},
			want: []string{"00000.json", "it has 2 units, the plan says 3"},
		},
		{
			name: "a file of the plan in another order",
			change: func(t *testing.T, root string) {
				editFile(t, root, onlyOne(t, root, "_run/plan/*/00000.json"), func(f *unitFile) {
					f.Units[0], f.Units[1] = f.Units[1], f.Units[0]
				})
			},
			do: func(ctx context.Context, p *Plan, folder storage.Folder) error {
				_, err := p.LoadUnits(ctx, folder, 0)
				return err
			},
			want: []string{"00000.json", "unit 1 is in the place of unit 0"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx := t.Context()
			root := t.TempDir()
			folder := storage.NewLocal(root)
			p, units := testPlan(t, 3)
			if _, err := runAll(ctx, folder, p, units); err != nil {
				t.Fatal(err)
			}
			want := snapshot(t, root)
			remove(t, root, ManifestName)
			test.change(t, root)
			do := test.do
			if do == nil {
				do = func(ctx context.Context, p *Plan, folder storage.Folder) error {
					_, err := p.Finalize(ctx, folder)
					return err
				}
			}
			err := do(ctx, p, folder)
			if err == nil || strings.Contains(err.Error(), "\n") {
				t.Fatalf("got %v, want one error", err)
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("got %q, want %q in it", err, part)
				}
			}
			if !test.again {
				return
			}
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("%v does not match ErrCorrupt", err)
			}
			if _, err := runAll(ctx, folder, p, units); err != nil {
				t.Fatalf("run again: %v", err)
			}
			for name, content := range snapshot(t, root) {
				if content != want[name] {
					t.Errorf("run again: %s is another file", name)
				}
			}
		})
	}
}

func TestVerifyNamesForeignFiles(t *testing.T) {
	ctx := t.Context()
	root := t.TempDir()
	folder := storage.NewLocal(root)
	p, units := testPlan(t, 3)
	if _, err := runAll(ctx, folder, p, units); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"data/part-00009.parquet", "data/notes.txt", "rejects/part-00001.parquet", "data/part-00000.parquet"} {
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(ctx, folder); !errors.Is(err, ErrCorrupt) || !strings.HasSuffix(err.Error(), name+" is not in the manifest") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		remove(t, root, name)
	}
	for _, name := range []string{"README.md", "_run/notes.txt"} { // what readers of data/ do not see is nobody's business
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Verify(ctx, folder); err != nil {
		t.Error(err)
	}
}

// Verify recounts: a manifest whose own hash is right but whose figures are not.
func TestVerifyRecounts(t *testing.T) {
	ctx := t.Context()
	tests := []struct {
		name   string
		change func(*Manifest)
		want   string
	}{
		{"rows", func(m *Manifest) { m.Rows++ }, "the shards sum to 3 rows"},
		{"bytes", func(m *Manifest) { m.Bytes-- }, "the shards sum to 3 rows"},
		{"content", func(m *Manifest) { m.ContentXXH3 = HashString(1) }, "the manifest says 0000000000000001"},
		{"rows of a shard", func(m *Manifest) { m.Shards[0].Rows++; m.Rows++ }, "it has 1 rows, the manifest says 2"},
		{"hash of a shard", func(m *Manifest) { m.Shards[0].XXH3 = HashString(1) }, "its xxh3 is"},
		{"size of a shard", func(m *Manifest) { m.Shards[0].Bytes++; m.Bytes++ }, "bytes, the manifest says"},
		{"rejects", func(m *Manifest) { m.Rejects.Rows = 7 }, "rejects/part-00000.parquet: corrupt: it has 3 rows, the manifest says 7"},
		{"balance", func(m *Manifest) { addTo(m.Funnel.Chains[0].Steps[0], 1, 0) }, "in 4, out 3, dropped 0"},
		{"last out", func(m *Manifest) {
			for i := range m.Funnel.Chains[0].Steps {
				addTo(m.Funnel.Chains[0].Steps[i], 1, 1)
			}
		}, "the funnel lets 4 rows through, the manifest says 3"},
		{"no funnel", func(m *Manifest) { m.Funnel = nil }, "it has no funnel"},
		{"a shard left out", func(m *Manifest) { m.Rows -= m.Shards[1].Rows; m.Bytes -= m.Shards[1].Bytes; m.Shards = m.Shards[:1] },
			"data/part-00002.parquet is not in the manifest"},
	}
	for _, test := range tests {
		root := t.TempDir()
		folder := storage.NewLocal(root)
		p, units := testPlan(t, 3)
		if _, err := runAll(ctx, folder, p, units); err != nil {
			t.Fatal(err)
		}
		editFile(t, root, ManifestName, test.change)
		if _, err := Verify(ctx, folder); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
}

func edit(t *testing.T, root, name string, change func(*Receipt)) {
	t.Helper()
	editFile(t, root, name, change)
}

// editFile changes a sealed file and seals it again.
func editFile[R any, P interface {
	*R
	sealed.Record
}](t *testing.T, root, name string, change func(P)) {
	t.Helper()
	path := filepath.Join(root, name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var record R
	if err := json.Unmarshal(data, &record); err != nil {
		t.Fatal(err)
	}
	change(&record)
	if data, err = sealed.Seal(P(&record)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, root, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(root, name)); err != nil {
		t.Fatal(err)
	}
}

func onlyOne(t *testing.T, root, pattern string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil || len(names) != 1 {
		t.Fatalf("%s: %q, %v", pattern, names, err)
	}
	name, err := filepath.Rel(root, names[0])
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// addTo counts English items in and out of a step.
func addTo(s Step, in, out int64) {
	c := s.Languages["eng"]
	c.In, c.Out = c.In+in, c.Out+out
	s.Languages["eng"] = c
}
