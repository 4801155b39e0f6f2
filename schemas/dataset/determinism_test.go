package dataset

import (
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset/rowtest"
	"sentweave/schemas/storage"
)

// The same plan gives the same bytes with any number of processors, in any time
// zone, under any umask, in any folder, and in any order of the units.
func TestSameBytesEverywhere(t *testing.T) {
	ctx := t.Context()
	rows := rowtest.List(rowtest.Document, 0, 4_500) // dates, and more than two row groups
	run := func() map[string]string {
		root := filepath.Join(t.TempDir(), "any", "folder")
		if _, err := writeDataset(ctx, storage.NewLocal(root), rows, 2); err != nil {
			t.Fatal(err)
		}
		return snapshot(t, root)
	}
	want := run()
	check := func(what string, got map[string]string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: other files:\n%.2000s", what, diff)
		}
	}
	for _, n := range []int{1, 2, 8} {
		old := runtime.GOMAXPROCS(n)
		check("GOMAXPROCS", run())
		runtime.GOMAXPROCS(old)
	}
	zone := time.Local
	time.Local = time.FixedZone("east", 5*3600+1800)
	check("time zone", run())
	time.Local = zone
	umask := syscall.Umask(0o077)
	check("umask", run())
	syscall.Umask(umask)
}

// A fold of the rows by any batch gives the same bytes, and what was written by
// others in the same process before does not matter: encoders are pooled.
func TestSameBytesBesideOthers(t *testing.T) {
	rows := rowtest.List(rowtest.Example, 0, 3_000)
	want, _ := shardOf(t, rows)
	done := make(chan []byte)
	r := rand.New(rand.NewPCG(1, 1))
	for range 8 {
		n := r.IntN(3_000)
		go func() {
			shardOf(t, rows[n:])
			file, _ := shardOf(t, rows)
			done <- file
		}()
	}
	for range 8 {
		if got := <-done; string(got) != string(want) {
			t.Error("a shard that was written beside others has other bytes")
		}
	}
}

// Files obey the umask, so that a group can share a folder.
func TestFilesObeyUmask(t *testing.T) {
	umask := syscall.Umask(0o027)
	defer syscall.Umask(umask)
	root := t.TempDir()
	p, units := testPlan(t, 3)
	if _, err := runAll(t.Context(), storage.NewLocal(root), p, units); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		info, err := e.Info()
		want := fs.FileMode(0o640)
		if e.IsDir() {
			want = 0o750
		}
		if err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Values at the edges of their types come back as they were.
func TestValuesAtTheEdges(t *testing.T) {
	large := strings.Repeat("0123456789abcdef ä", 4<<20/19) // more than buffers that are kept
	t.Run("document", func(t *testing.T) {
		d, huge := rowtest.Document(1), rowtest.Document(5)
		d.Offset, d.Date = math.MaxInt64, math.MinInt64
		huge.URL = large
		huge.Sentences = []schemas.Sentence{{Text: large, Language: "eng", Position: math.MaxInt32, Block: math.MaxInt32}}
		empty := rowtest.Document(9)
		empty.Sentences, empty.Scores = []schemas.Sentence{}, nil
		sameBack(t, []schemas.Document{rowtest.Document(3), d, huge, empty, rowtest.Document(7)})
	})
	t.Run("pair", func(t *testing.T) {
		p, q := rowtest.Pair(1), rowtest.Pair(3)
		p.PositionA, p.PositionB, p.Group = new(int32(math.MinInt32)), new(int32(math.MaxInt32)), new(uint64(math.MaxUint64))
		q.Target, q.Score = new(math.SmallestNonzeroFloat64), new(float32(-math.MaxFloat32))
		p.TextA, p.TextB = "\x00\n\u2028\U0010FFFF", "\uFFFD"
		sameBack(t, []schemas.Pair{p, q, rowtest.Pair(0)})
	})
	t.Run("example", func(t *testing.T) {
		e := rowtest.Example(1)
		e.TokensA[0], e.TokensA[1], e.Label, e.Target = math.MaxInt32, 0, new(int32(math.MinInt32)), new(float32(math.MaxFloat32))
		long := schemas.Example{ID: e.ID, Kind: schemas.KindSingle, LanguageA: "eng", TokensA: make([]int32, 1_000_000), LengthA: 1_000_000}
		sameBack(t, []schemas.Example{e, long, rowtest.Example(0), rowtest.Example(2)})
	})
	t.Run("result", func(t *testing.T) {
		r := rowtest.Result(1)
		r.Value, r.N, r.Seed, r.Spread = math.Copysign(0, -1), math.MaxInt64, new(int64(math.MinInt64)), new(math.MaxFloat64)
		sameBack(t, []schemas.Result{r})
	})
	t.Run("word count", func(t *testing.T) {
		sameBack(t, []schemas.WordCount{{Word: large, Language: "eng", Count: math.MaxInt64}, {Word: "a", Language: "eng", Count: 1}})
	})
	t.Run("embedding", func(t *testing.T) {
		sameBack(t, []schemas.Embedding{
			{ID: "a", Language: "eng", Vector: []float32{math.MaxFloat32, math.SmallestNonzeroFloat32, float32(math.Copysign(0, -1))}},
			{ID: "b", Language: "eng", Bits: make([]byte, 1<<20)},
			{ID: "c", Language: "eng", Vector: make([]float32, 100_000), Bits: []byte{0}},
		})
	})
}

func sameBack[T schemas.Row](t *testing.T, rows []T) {
	t.Helper()
	ctx := t.Context()
	folder := storage.NewLocal(t.TempDir())
	m, err := writeDataset(ctx, folder, rows, 1)
	if err != nil {
		t.Fatal(err)
	}
	var got []T
	for row, err := range Rows[T](ctx, folder, m) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row)
	}
	if len(got) != len(rows) {
		t.Fatalf("%d rows of %d come back", len(got), len(rows))
	}
	for i := range rows {
		if contentOf(t, rows[i]) != contentOf(t, got[i]) { // not cmp: it is slow on long lists and does not tell -0 from 0
			t.Errorf("row %d comes back with another hash", i)
		}
	}
	if _, err := Verify(ctx, folder); err != nil {
		t.Error(err)
	}
}

// The memory of writer and reader is that of one row group, however many rows
// there are.
func TestMemoryIsFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: a million rows")
	}
	ctx := t.Context()
	folder := storage.NewLocal(t.TempDir())
	p := planOf(t, draftOf(1, 1))
	if _, err := p.Create(ctx, folder, draftOf(1, 1).Units); err != nil {
		t.Fatal(err)
	}
	a, err := Begin[schemas.WordCount](folder, p, 0, NewChain("wordcounts", "write"))
	if err != nil {
		t.Fatal(err)
	}
	const rows, look = 1_000_000, 10_000
	var memory heap
	for i := range rows {
		if err := a.Write(ctx, schemas.WordCount{Word: schemas.ID("w", int64(i)), Language: "eng", Count: int64(i + 1)}); err != nil {
			t.Fatal(err)
		}
		if i%look == look-1 {
			memory.look()
		}
	}
	memory.check(t, "writer")
	if err := a.Funnel().Keep("wordcounts", "eng", rows); err != nil {
		t.Fatal(err)
	}
	if err := a.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	m, err := p.Finalize(ctx, folder)
	if err != nil {
		t.Fatal(err)
	}
	memory = heap{}
	n := 0
	for _, err := range Rows[schemas.WordCount](ctx, folder, m) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%look == 0 {
			memory.look()
		}
	}
	memory.check(t, "reader")
	if info, err := os.Stat(filepath.Join(folder.String(), ShardName(0))); err != nil || info.Size() < 10<<20 || n != rows {
		t.Errorf("%d rows, a shard of %d bytes, %v: too small to tell", n, info.Size(), err)
	}
}

// heap is what is alive at each look.
type heap []uint64

func (h *heap) look() {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	*h = append(*h, s.HeapAlloc)
}

// check compares the looks of the second half with those of the first.
func (h heap) check(t *testing.T, what string) {
	t.Helper()
	var early, late uint64
	for i, n := range h {
		if i < len(h)/2 {
			early = max(early, n)
		} else {
			late = max(late, n)
		}
	}
	t.Logf("%s: at most %.1f MB in the first half, %.1f MB in the second", what, float64(early)/1e6, float64(late)/1e6)
	if late > early+early/2+8<<20 || late > 96<<20 { // buffers are pooled, so that the figure jumps
		t.Errorf("%s: memory grows from %d to %d bytes", what, early, late)
	}
}

// contentOf is the content hash of one row.
func contentOf[T schemas.Row](t testing.TB, row T) uint64 {
	t.Helper()
	_, content := shardOf(t, []T{row})
	return content
}
