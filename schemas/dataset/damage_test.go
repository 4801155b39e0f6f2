package dataset

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
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
				editFile(t, root, onlyOne(t, root, "_run/plan/*/00000.json"), func(f *unitFile) *string { f.Units = f.Units[1:]; return &f.Check })
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
				editFile(t, root, onlyOne(t, root, "_run/plan/*/00000.json"), func(f *unitFile) *string {
					f.Units[0], f.Units[1] = f.Units[1], f.Units[0]
					return &f.Check
				})
			},
			do: func(ctx context.Context, p *Plan, folder storage.Folder) error {
				_, err := p.LoadUnits(ctx, folder, 0)
				return err
			},
			want: []string{"00000.json", "unit 1 stands in the place of unit 0"},
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
		if _, err := Verify(ctx, folder); !errors.Is(err, ErrCorrupt) || !strings.HasSuffix(err.Error(), name+" is not in the manifest") || strings.Contains(err.Error(), "\n") {
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
		{"balance", func(m *Manifest) { m.Funnel.Chains[0].Steps[0].add("eng", Count{In: 1}) }, "in 4, out 3, dropped 0"},
		{"last out", func(m *Manifest) {
			for i := range m.Funnel.Chains[0].Steps {
				m.Funnel.Chains[0].Steps[i].add("eng", Count{In: 1, Out: 1})
			}
		}, "the funnel lets 4 rows through, the manifest says 3"},
		{"no funnel", func(m *Manifest) { m.Funnel = nil }, "the manifest has no funnel"},
		{"a shard left out", func(m *Manifest) { m.Rows -= m.Shards[1].Rows; m.Bytes -= m.Shards[1].Bytes; m.Shards = m.Shards[:1] }, "data/part-00002.parquet is not in the manifest"},
	}
	for _, test := range tests {
		root := t.TempDir()
		folder := storage.NewLocal(root)
		p, units := testPlan(t, 3)
		if _, err := runAll(ctx, folder, p, units); err != nil {
			t.Fatal(err)
		}
		editFile(t, root, ManifestName, func(m *Manifest) *string { test.change(m); return &m.Check })
		if _, err := Verify(ctx, folder); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
}

func edit(t *testing.T, root, name string, change func(*Receipt)) {
	t.Helper()
	editFile(t, root, name, func(r *Receipt) *string { change(r); return &r.Check })
}

// editFile changes a sealed file and seals it again.
func editFile[R any](t *testing.T, root, name string, change func(*R) *string) {
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
	if data, err = seal(&record, change(&record)); err != nil {
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

// FuzzUnseal: a sealed record that is not byte for byte what seal made is never
// accepted; random edits and cuts of one are made from the fuzzed input.
func FuzzUnseal(f *testing.F) {
	receipt := Receipt{
		Plan: HashString(1), Unit: 3, Shard: &Shard{Name: ShardName(3), Rows: 5, Bytes: 77, XXH3: HashString(2)}, ContentXXH3: HashString(3),
		Funnel: NewFunnel(NewChain("pages", "read")), Rejects: []schemas.Reject{{ID: "<ä\u2028\\>", Sample: "\x00 \" "}},
	}
	if err := receipt.Funnel.Drop("pages", "eng", "read", "short", 3); err != nil {
		f.Fatal(err)
	}
	sealed, err := seal(&receipt, &receipt.Check)
	if err != nil {
		f.Fatal(err)
	}
	var back Receipt
	if err := unseal(sealed, &back, &back.Check); err != nil {
		f.Fatal(err)
	}
	f.Add(uint16(0), uint16(0), []byte(" "))
	f.Add(uint16(10), uint16(1), []byte{})
	f.Add(uint16(len(sealed)), uint16(0), []byte("{}"))
	f.Add(uint16(30), uint16(500), []byte("\"unit\": 4"))
	f.Fuzz(func(t *testing.T, at, cut uint16, insert []byte) {
		from := min(int(at), len(sealed))
		to := min(from+int(cut), len(sealed))
		for _, data := range [][]byte{
			append(append(append([]byte{}, sealed[:from]...), insert...), sealed[to:]...), // an edit
			sealed[:from], // a cut
			insert,
		} {
			var r Receipt
			err := unseal(data, &r, &r.Check)
			if bytes.Equal(data, sealed) {
				if err != nil {
					t.Fatalf("the sealed record is refused: %v", err)
				}
				continue
			}
			if err == nil {
				t.Fatalf("accepted:\n%s", data)
			}
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("%v does not match ErrCorrupt", err)
			}
		}
	})
}

func TestUnsealRefusesEveryFlippedBitAndCut(t *testing.T) {
	p, _ := testPlan(t, 2)
	sealed, err := seal(p, &p.Hash)
	if err != nil {
		t.Fatal(err)
	}
	for i := range sealed {
		for bit := range 8 {
			data := bytes.Clone(sealed)
			data[i] ^= 1 << bit
			var q Plan
			if err := unseal(data, &q, &q.Hash); err == nil {
				t.Errorf("bit %d of byte %d flipped: accepted", bit, i)
			}
		}
		var q Plan
		if err := unseal(sealed[:i], &q, &q.Hash); !errors.Is(err, ErrCorrupt) {
			t.Errorf("cut at %d: %v", i, err)
		}
	}
}

// damaged writes a shard of rows, damages it as told, and gives a manifest that
// matches the damaged bytes: only the Parquet reader stands between.
func damaged[T schemas.Row](t testing.TB, file []byte, rows int64) (storage.Folder, *Manifest) {
	t.Helper()
	var zero T
	return memory(file), &Manifest{Plan: Plan{Schema: zero.Schema().Name, SchemaVersion: zero.Schema().Version}, Shards: []Shard{{
		Name: ShardName(0), Rows: rows, Bytes: int64(len(file)), XXH3: HashString(xxh3.Hash(file)),
	}}}
}

// memory is a folder whose every object has this content.
type memory []byte

func (m memory) String() string { return "memory" }

func (m memory) Open(context.Context, string) (storage.Object, error) {
	return memoryObject{bytes.NewReader(m)}, nil
}

func (m memory) Stat(_ context.Context, name string) (storage.Info, error) {
	return storage.Info{Name: name, Size: int64(len(m))}, nil
}

func (m memory) Create(context.Context, string, storage.Condition) (storage.Writer, error) {
	return nil, fs.ErrPermission
}

func (m memory) List(context.Context, string) iter.Seq2[storage.Info, error] {
	return func(func(storage.Info, error) bool) {}
}

func (m memory) Remove(context.Context, string) error { return fs.ErrPermission }

type memoryObject struct{ *bytes.Reader }

func (memoryObject) Close() error { return nil }

// checkDamaged reads the rows and verifies the shard: rows or ErrCorrupt, no
// panic, no endless loop, and never another number of rows without an error.
func checkDamaged[T schemas.Row](t *testing.T, file []byte, rows int64) (err error) {
	t.Helper()
	folder, m := damaged[T](t, file, rows)
	n := int64(0)
	for _, err = range Rows[T](t.Context(), folder, m) {
		if err == nil {
			n++
		}
	}
	if err == nil && n != rows {
		t.Errorf("%d rows of %d without an error", n, rows)
	}
	if err != nil && !errors.Is(err, ErrCorrupt) {
		t.Errorf("reading: %v does not match ErrCorrupt", err)
	}
	if _, err := verifyShard(t.Context(), folder, m.Shards[0]); err != nil && !errors.Is(err, ErrCorrupt) {
		t.Errorf("verifying: %v does not match ErrCorrupt", err)
	}
	return err
}

// FuzzReader damages a shard at places that the fuzzer chooses.
func FuzzReader(f *testing.F) {
	documents, _ := shardOf(f, rowsOf(documentRow, 0, 20))
	examples, _ := shardOf(f, rowsOf(exampleRow, 0, 20))
	f.Add(false, uint16(4), []byte{0xff}, uint16(0))
	f.Add(true, uint16(0xfff0), []byte{0, 0, 0, 0x80}, uint16(0))
	f.Add(true, uint16(200), []byte("PAR1"), uint16(9))
	f.Fuzz(func(t *testing.T, example bool, at uint16, patch []byte, cut uint16) {
		file := documents
		if example {
			file = examples
		}
		file = bytes.Clone(file[:len(file)-int(cut)%len(file)])
		copy(file[int(at)%len(file):], patch)
		if example {
			checkDamaged[schemas.Example](t, file, 20)
		} else {
			checkDamaged[schemas.Document](t, file, 20)
		}
	})
}

// The same with a fixed sequence of damages, so that each run of the tests has it.
func TestReaderOfDamagedShards(t *testing.T) {
	documents, _ := shardOf(t, rowsOf(documentRow, 0, 20))
	r := rand.New(rand.NewPCG(5, 6))
	refused, panics := 0, 0
	const n = 400
	for range n {
		file := bytes.Clone(documents)
		for range 1 + r.IntN(3) {
			// The footer and the heads of pages decide more than the texts.
			at := r.IntN(len(file))
			if r.IntN(2) == 0 {
				at = len(file) - 1 - r.IntN(min(len(file), 3_000))
			}
			file[at] = byte(r.Uint32())
		}
		if err := checkDamaged[schemas.Document](t, file, 20); err != nil {
			refused++
			if strings.Contains(err.Error(), "the Parquet reader stopped") {
				panics++
			}
		}
	}
	t.Logf("%d of %d damaged shards were refused by their structure alone, %d after a panic of parquet-go", refused, n, panics)
	if refused < n/4 {
		t.Errorf("only %d of %d damaged shards were refused", refused, n)
	}
	for cut := range len(documents) {
		if cut%137 == 0 && checkDamaged[schemas.Document](t, documents[:cut], 20) == nil {
			t.Errorf("a shard of %d bytes cut to %d is read", len(documents), cut)
		}
	}
}

// A whole file of other rows is not taken for rows of ours.
func TestReaderOfOtherColumns(t *testing.T) {
	pairs, _ := shardOf(t, rowsOf(pairRow, 0, 20))
	if err := checkDamaged[schemas.Example](t, pairs, 20); err == nil || !strings.Contains(err.Error(), "its columns are not those of example v1") {
		t.Errorf("got %v", err)
	}
}

// An error of the disk is not taken for damage: to do the unit again, or to
// delete the dataset, would be the wrong way out.
func TestReaderTellsDiskFromDamage(t *testing.T) {
	ctx := t.Context()
	file, _ := shardOf(t, rowsOf(documentRow, 0, 500))
	folder, m := damaged[schemas.Document](t, file, 500)
	seen := map[bool]int{}
	for after := range 1_000 {
		failing := failingFolder{Folder: folder, after: after}
		var err error
		for _, err = range Rows[schemas.Document](ctx, &failing, m) {
		}
		seen[err != nil]++
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EIO) || errors.Is(err, ErrCorrupt) {
			t.Errorf("disk fails at read %d: %v", after, err)
		}
	}
	if seen[true] < 3 || seen[false] != 1 {
		t.Errorf("%d runs with an error, %d without", seen[true], seen[false])
	}
}

// failingFolder gives objects whose reads fail from the n-th on.
type failingFolder struct {
	storage.Folder
	after, reads int
}

type failingObject struct {
	storage.Object
	folder *failingFolder
}

func (f *failingFolder) Open(ctx context.Context, name string) (storage.Object, error) {
	o, err := f.Folder.Open(ctx, name)
	return failingObject{o, f}, err
}

func (o failingObject) ReadAt(p []byte, off int64) (int, error) {
	if o.folder.reads++; o.folder.reads > o.folder.after {
		return 0, syscall.EIO
	}
	return o.Object.ReadAt(p, off)
}
