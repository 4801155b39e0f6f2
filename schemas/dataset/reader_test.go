package dataset

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"iter"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset/rowtest"
	"sentweave/schemas/storage"
)

// damaged returns a folder that holds the bytes as a shard, and a manifest that
// matches them: only the reader of row groups stands between.
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

func (m memory) RemoveVersion(context.Context, string, string) error { return fs.ErrPermission }

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
	for _, err := range Texts(t.Context(), folder, m, m.Shards[0], []string{"id"}) {
		if err != nil && !errors.Is(err, ErrCorrupt) {
			t.Errorf("reading a column: %v does not match ErrCorrupt", err)
		}
	}
	if _, err := verifyShard(t.Context(), folder, m.Shards[0]); err != nil && !errors.Is(err, ErrCorrupt) {
		t.Errorf("verifying: %v does not match ErrCorrupt", err)
	}
	return err
}

// FuzzReader damages a shard at places that the fuzzer chooses.
func FuzzReader(f *testing.F) {
	documents, _ := shardOf(f, rowtest.List(rowtest.Document, 0, 20))
	examples, _ := shardOf(f, rowtest.List(rowtest.Example, 0, 20))
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
	documents, _ := shardOf(t, rowtest.List(rowtest.Document, 0, 20))
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
	pairs, _ := shardOf(t, rowtest.List(rowtest.Pair, 0, 20))
	if err := checkDamaged[schemas.Example](t, pairs, 20); err == nil ||
		!strings.Contains(err.Error(), "its columns are not those of example v1") {
		t.Errorf("got %v", err)
	}
}

// An error of the disk is not taken for damage: to do the unit again, or to
// delete the dataset, would be the wrong way out.
func TestReaderTellsDiskFromDamage(t *testing.T) {
	ctx := t.Context()
	file, _ := shardOf(t, rowtest.List(rowtest.Document, 0, 500))
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
