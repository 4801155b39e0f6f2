package spill

import (
	"bufio"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// peak runs f and returns by how much the heap grew at most meanwhile. Garbage
// that is not collected yet counts: the collector runs often here.
func peak(f func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	base := m.HeapAlloc
	stop, highest := make(chan struct{}), make(chan uint64)
	go func() {
		var m runtime.MemStats
		most := uint64(0)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
			select {
			case <-stop:
				highest <- most
				return
			case <-tick.C:
			}
		}
	}()
	f()
	close(stop)
	return int64(<-highest) - int64(base)
}

// TestMemoryStaysWithinTheBudget writes and merges many times more than memory holds.
func TestMemoryStaysWithinTheBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	const (
		units, records = 24, 200_000
		memory         = 8 << 20
		allowed        = memory * 5 / 4
	)
	layout := Layout{Order: ByHash, Buckets: 2}
	options := Options{Memory: memory, Temporary: TemporaryFiles(t.TempDir())}
	folder := t.TempDir()

	// One unit of 4.8 million records: 200 MB in memory.
	random := rand.New(rand.NewPCG(1, 2))
	var sections []Section
	unit := func(name string, records int) {
		file, err := os.Create(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		out := bufio.NewWriter(file)
		w, err := NewWriter(out, layout, options)
		if err != nil {
			t.Fatal(err)
		}
		var record [24]byte
		for i := range records {
			binary.BigEndian.PutUint64(record[:], random.Uint64())
			binary.BigEndian.PutUint64(record[8:], random.Uint64())
			binary.BigEndian.PutUint64(record[16:], uint64(i))
			if err := w.Add(record[:16], record[16:]); err != nil {
				t.Fatal(err)
			}
		}
		refs, err := w.Close()
		if err != nil {
			t.Fatal(err)
		}
		if err := out.Flush(); err != nil {
			t.Fatal(err)
		}
		for _, ref := range refs {
			s, err := OpenSection(file, layout, ref)
			if err != nil {
				t.Fatal(err)
			}
			sections = append(sections, s)
		}
	}
	most := peak(func() { unit("large", units*records) })
	t.Logf("the writer took at most %d bytes of %d", most, int64(memory))
	if most > allowed {
		t.Errorf("the writer took %d bytes, more than %d", most, int64(allowed))
	}

	// The same with a table of the keys.
	options.Combine = sum
	most = peak(func() { unit("combined", units*records/4) })
	t.Logf("the writer with a combiner took at most %d bytes of %d", most, int64(memory))
	if most > allowed {
		t.Errorf("the writer with a combiner took %d bytes, more than %d", most, int64(allowed))
	}
	options.Combine = nil

	// The same in many sections, more than fit at once.
	sections = nil
	for i := range units * 4 {
		unit(string(rune('A'+i)), records/4)
	}
	count := 0
	most = peak(func() {
		for _, err := range Merge(sections, options) {
			if err != nil {
				t.Fatal(err)
			}
			count++
		}
	})
	if count != units*records {
		t.Errorf("%d records were merged, want %d", count, units*records)
	}
	if most > allowed {
		t.Errorf("the merge took %d bytes, more than %d", most, int64(allowed))
	}
	t.Logf("the merge took at most %d bytes of %d", most, int64(memory))
}
