package spill

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zeebo/xxh3"
)

// write makes a spill file.
func write(t testing.TB, layout Layout, options Options, records []Record) ([]byte, []Ref) {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, layout, options)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for _, r := range records {
		if err := w.Add(r.Key, r.Value); err != nil {
			t.Fatal(err)
		}
	}
	refs, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), refs
}

func collect(t testing.TB, stream iter.Seq2[Record, error]) []Record {
	t.Helper()
	var records []Record
	for r, err := range stream {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, Record{Key: bytes.Clone(r.Key), Value: bytes.Clone(r.Value)})
	}
	return records
}

// open returns the sections of a file by way of its footer.
func open(t testing.TB, file []byte, layout Layout) []Section {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file), int64(len(file)), layout)
	if err != nil {
		t.Fatal(err)
	}
	var sections []Section
	for _, ref := range r.Refs() {
		s, err := r.Section(ref)
		if err != nil {
			t.Fatal(err)
		}
		sections = append(sections, s)
	}
	return sections
}

func equal(a, b []Record) bool {
	return slices.EqualFunc(a, b, func(a, b Record) bool { return bytes.Equal(a.Key, b.Key) && bytes.Equal(a.Value, b.Value) })
}

func requireEqual(t testing.TB, got, want []Record) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d records, want %d", len(got), len(want))
	}
	for i := range got {
		if !equal(got[i:i+1], want[i:i+1]) {
			t.Fatalf("record %d is %q, want %q", i, got[i], want[i])
		}
	}
}

// inOrder is the model: an in-memory sort by the documented order.
func inOrder(order Order, records []Record) []Record {
	return slices.SortedFunc(slices.Values(records), func(a, b Record) int {
		c := 0
		if order == ByHash {
			c = cmp.Compare(xxh3.Hash(a.Key), xxh3.Hash(b.Key))
		}
		return cmp.Or(c, bytes.Compare(a.Key, b.Key), bytes.Compare(a.Value, b.Value))
	})
}

func count(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// sum is the combiner of word counts.
func sum(dst, value []byte) []byte {
	n := binary.BigEndian.Uint64(dst) + binary.BigEndian.Uint64(value)
	binary.BigEndian.PutUint64(dst, n)
	return dst
}

// summed is the model of sum.
func summed(order Order, records []Record) []Record {
	totals := map[string]int64{}
	for _, r := range records {
		totals[string(r.Key)] += int64(binary.BigEndian.Uint64(r.Value))
	}
	var out []Record
	for key, n := range totals {
		out = append(out, Record{Key: []byte(key), Value: count(n)})
	}
	return inOrder(order, out)
}

func text(r *rand.Rand, most int) []byte {
	b := make([]byte, r.IntN(most+1))
	for i := range b {
		b[i] = "abcd \x00\xff"[r.IntN(7)]
	}
	return b
}

// datasets are records of the shapes that an exchange meets.
func datasets(n int) map[string][]Record {
	r := rand.New(rand.NewPCG(3, uint64(n)))
	sets := map[string][]Record{"none": nil, "one": {{Key: []byte("k"), Value: []byte("v")}}, "empty": {{}, {}, {Value: []byte{0}}}}
	for i := range n {
		row := binary.BigEndian.AppendUint32(nil, uint32(i))
		sets["hashes"] = append(sets["hashes"], Record{Key: binary.BigEndian.AppendUint64(nil, r.Uint64()), Value: row})
		sets["texts"] = append(sets["texts"], Record{Key: text(r, 12), Value: text(r, 4)})
		sets["long prefixes"] = append(
			sets["long prefixes"], Record{Key: fmt.Appendf(nil, "https://example.org/%d", r.IntN(n)), Value: row})
		sets["one key"] = append(sets["one key"], Record{Key: []byte("the"), Value: row})
		sets["equal"] = append(sets["equal"], Record{Key: []byte("the"), Value: []byte("same")})
		sets["one width of text"] = append(sets["one width of text"],
			Record{Key: bytes.Repeat(fmt.Appendf(nil, "%06d", r.IntN(n)), 20), Value: nil})
	}
	return sets
}

func layouts(records []Record) []Layout {
	var keys [][]byte
	for _, r := range records {
		keys = append(keys, r.Key)
	}
	var all []Layout
	for _, buckets := range []int{1, 2, 7, 64, 1000} {
		all = append(all,
			Layout{Order: ByHash, Buckets: buckets},
			Layout{Order: ByKey, Buckets: buckets, Fingerprint: "plan 5"},
			Layout{Order: ByKey, Buckets: buckets, Splits: splitPoints(keys, buckets)},
		)
	}
	return all
}

func small() []Record {
	var records []Record
	for i := range 40 {
		records = append(records, Record{Key: fmt.Appendf(nil, "key %d", i*i), Value: count(int64(i))})
	}
	return records
}

// readAll opens a file and reads every record in it.
func readAll(file []byte, layout Layout) ([]Record, error) {
	r, err := NewReader(bytes.NewReader(file), int64(len(file)), layout)
	if err != nil {
		return nil, err
	}
	var records []Record
	for _, ref := range r.Refs() {
		s, err := r.Section(ref)
		if err != nil {
			return nil, err
		}
		for record, err := range s.Records() {
			if err != nil {
				return nil, err
			}
			records = append(records, Record{Key: bytes.Clone(record.Key), Value: bytes.Clone(record.Value)})
		}
	}
	return records, nil
}

// Section returns the section at a Ref out of Refs.
func (r *Reader) Section(ref Ref) (Section, error) {
	at, ok := slices.BinarySearchFunc(r.refs, ref, func(a, b Ref) int { return cmp.Compare(a.Bucket, b.Bucket) })
	if !ok || r.refs[at] != ref {
		return Section{}, fmt.Errorf("open section of bucket %d: the file has no section at ref %+v: %w", ref.Bucket, ref, ErrDamaged)
	}
	return newSection(r.from, r.layout, ref), nil
}
