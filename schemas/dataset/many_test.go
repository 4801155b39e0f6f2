package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sentweave/schemas/storage"
	"sentweave/schemas/storage/gcs/gcstest"
)

// peak watches the heap until stop is called, which returns by how much it grew.
func peak() (stop func() uint64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, most := m.HeapAlloc, atomic.Uint64{}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most.Store(max(most.Load(), m.HeapAlloc))
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(done); <-ended; return most.Load() - min(most.Load(), before) }
}

// A bucket of a hundred thousand pages is listed by pages of a thousand names, each
// object is asked for once, and little is held. Units are packed out of them.
func TestManyPages(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 5_000
	}
	service, folder := gcstest.Start(t), bucket(t)
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("crawl/eng/site-%03d/page-%06d.html", i/1000, i)
	}
	page := func(i int) []byte { return fmt.Appendf(nil, "<html>%d %s</html>", i, strings.Repeat("text ", 40+i%40)) }
	lists := service.Many(t, folder.String(), names, page)
	requests, stop, began := service.Requests.Load(), peak(), time.Now()
	listed := 0
	for _, err := range folder.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		listed++
	}
	listing := time.Since(began)
	files, err := List(t.Context(), folder, func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(2 * ((n + 999) / 1000)); listed != n || lists() != want {
		t.Errorf("%d objects in %d lists, want %d in %d", listed, lists(), n, want)
	}
	if asked := service.Requests.Load() - requests - lists(); asked != int64(n) {
		t.Errorf("%d requests to read %d pages", asked, n)
	}
	var pieces []Piece
	for i, f := range files {
		if f.Name != names[i] || f.Bytes != int64(len(page(i))) {
			t.Fatalf("file %d is %+v", i, f)
		}
		pieces = append(pieces, Piece{Span: Span{Name: f.Name, To: f.Bytes}, Weight: f.Bytes})
	}
	units := Pack(pieces, 16<<20)
	grown := stop()
	t.Logf("%d pages: listed in %s, hashed in %s, %d units, heap +%d MB with the service's", n, listing.Round(time.Millisecond),
		(time.Since(began) - listing).Round(time.Millisecond), len(units), grown>>20)
	if grown > 256<<20 {
		t.Errorf("the heap has grown by %d MB", grown>>20)
	}
}

// What is asked of a dataset of many shards, each of which is an object: status, the
// end of a run, and verify. The end of a run reads for each unit its receipt, its counts and
// its samples, each once; verify reads the shard, too.
func TestManyShards(t *testing.T) {
	units := 5_000
	if testing.Short() {
		units = 600
	}
	ctx := t.Context()
	p, list := testPlan(t, units)
	root, err := os.MkdirTemp("/dev/shm", "") // a disk that syncs in no time
	if err != nil {
		root = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	local := storage.NewLocal(root)
	if _, err := p.Create(ctx, local, list); err != nil {
		t.Fatal(err)
	}
	for unit := range p.Units {
		if err := begun(t, local, p, unit, 3).Commit(ctx); err != nil {
			t.Fatal(err)
		}
	}
	service, folder := gcstest.Start(t), bucket(t)
	var names []string
	serve := func() {
		names = names[:0]
		for info, err := range local.List(ctx, "") {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, info.Name)
		}
		slices.Sort(names)
		contents := make([][]byte, len(names))
		for i, name := range names {
			if contents[i], err = os.ReadFile(filepath.Join(root, filepath.FromSlash(name))); err != nil {
				t.Fatal(err)
			}
		}
		service.Many(t, folder.String(), names, func(i int) []byte { return contents[i] })
	}
	measure := func(what string, most int64, do func()) {
		requests, stop, began := service.Requests.Load(), peak(), time.Now()
		do()
		asked := service.Requests.Load() - requests
		t.Logf("%s of %d units: %s, %d requests, heap +%d MB with the service's", what, units, time.Since(began).Round(time.Millisecond),
			asked, stop()>>20)
		if asked > most {
			t.Errorf("%s: %d requests, want at most %d", what, asked, most)
		}
	}
	serve()
	n := int64(units)
	measure("progress", n+n/100+10, func() {
		if progress, err := p.Progress(ctx, folder); err != nil || progress.Done != units {
			t.Errorf("%+v, %v", progress, err)
		}
	})
	measure("finalize", 3*n+n/100+40, func() {
		if _, err := p.Finalize(ctx, folder); err != nil { // what it writes goes into the service behind
			t.Error(err)
		}
	})
	if _, err := p.Finalize(ctx, local); err != nil {
		t.Fatal(err)
	}
	serve()
	measure("verify", 4*n+n/100+10, func() {
		if _, err := Verify(ctx, folder); err != nil {
			t.Error(err)
		}
	})
}
