package spill

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// longest keeps the longer value, or the greater of equally long ones: the
// result is either argument, and values grow.
func longest(dst, value []byte) []byte {
	if cmp.Or(cmp.Compare(len(dst), len(value)), bytes.Compare(dst, value)) >= 0 {
		return dst
	}
	return value
}

func TestCombineGivesTheSums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var records []Record
	n := 400_000
	if testing.Short() {
		n = 100_000
	}
	for range n {
		key := fmt.Appendf(nil, "w%d", r.IntN(1+r.IntN(n/2)))
		records = append(records, Record{Key: key, Value: count(int64(r.IntN(100)))})
	}
	for _, order := range []Order{ByHash, ByKey} {
		for _, memory := range []int64{minMemory, 64 << 20} {
			layout := Layout{Order: order, Buckets: 3}
			opened := 0
			options := Options{Memory: memory, Temporary: temporary(t, &opened), Combine: sum}
			want := summed(order, records)
			file, _ := write(t, layout, options, records)
			requireEqual(t, collect(t, Merge(open(t, file, layout), options)), want)
			// The same records in several files, combined by the merge.
			var sections []Section
			for part := range slices.Chunk(records, 15*n/100) {
				file, _ := write(t, layout, options, part)
				sections = append(sections, open(t, file, layout)...)
			}
			requireEqual(t, collect(t, Merge(sections, options)), want)
			if (opened > 0) != (memory == minMemory) {
				t.Fatalf("with a memory of %d, %d temporary files were opened", memory, opened)
			}
		}
	}
}

func TestAppendingCombiner(t *testing.T) {
	// Values that grow, as if documents of a key were listed: sorted bytes make
	// concatenation commutative.
	join := func(dst, value []byte) []byte {
		dst = append(dst, value...)
		slices.Sort(dst)
		return dst
	}
	var records []Record
	want := map[string][]byte{}
	for i := range 60_000 {
		key, value := fmt.Sprint(i%40), []byte{byte(i)}
		records = append(records, Record{Key: []byte(key), Value: value})
		want[key] = append(want[key], value...)
	}
	layout := Layout{Order: ByKey, Buckets: 4}
	opened := 0
	file, _ := write(t, layout, Options{Memory: minMemory, Temporary: temporary(t, &opened), Combine: join}, records)
	got := collect(t, Merge(open(t, file, layout), Options{}))
	if len(got) != len(want) || opened == 0 {
		t.Fatalf("%d keys and %d temporary files, want %d keys and a temporary file", len(got), opened, len(want))
	}
	for _, r := range got {
		slices.Sort(want[string(r.Key)])
		if !bytes.Equal(r.Value, want[string(r.Key)]) {
			t.Fatalf("key %q has %d bytes, want %d", r.Key, len(r.Value), len(want[string(r.Key)]))
		}
	}
}

func TestHotKeyTakesNoMemory(t *testing.T) {
	layout := Layout{Order: ByHash, Buckets: 4}
	var out bytes.Buffer
	w, err := NewWriter(&out, layout, Options{Memory: minMemory, Combine: sum})
	if err != nil {
		t.Fatal(err)
	}
	one := count(1)
	for range 1_000_000 {
		if err := w.Add([]byte("the"), one); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(w.arena.chunks); n != 1 || len(w.arena.entries) != 1 {
		t.Fatalf("%d chunks and %d entries, want one of each", n, len(w.arena.entries))
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := collect(t, open(t, out.Bytes(), layout)[0].Records())
	requireEqual(t, got, []Record{{Key: []byte("the"), Value: count(1_000_000)}})
}

func TestCombinedRecordAboveTheLimit(t *testing.T) {
	join := func(dst, value []byte) []byte { return append(dst, value...) }
	layout := Layout{Order: ByKey, Buckets: 1}
	for _, memory := range []int64{minMemory, 256 << 20} {
		w, err := NewWriter(io.Discard, layout, Options{Memory: memory, Temporary: TemporaryFiles(t.TempDir()), Combine: join})
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < 5 && err == nil; i++ {
			err = w.Add([]byte("k"), make([]byte, 4<<20))
		}
		if err == nil {
			_, err = w.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "larger than 16777216 bytes") {
			t.Fatalf("with a memory of %d, a combined record above the limit gave %v", memory, err)
		}
	}
}
