package spill

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

func FuzzReader(f *testing.F) {
	layout := Layout{Order: ByHash, Buckets: 3, Fingerprint: "plan"}
	file, _ := write(f, layout, Options{}, small())
	f.Add(file)
	f.Add(file[:40])
	f.Fuzz(func(t *testing.T, b []byte) {
		records, err := readAll(b, layout)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		requireEqual(t, records, inOrder(layout.Order, small())) // nothing else has these checksums
	})
}

// FuzzBlock decodes payloads whose checksum is taken to be right.
func FuzzBlock(f *testing.F) {
	for _, flat := range []bool{true, false} {
		w := newBlockWriter()
		for i, r := range small() {
			if flat {
				r.Key = r.Key[:5]
			}
			if !flat && i%2 == 0 {
				r.Value = r.Value[:3]
			}
			w.add(r.Key, r.Value)
		}
		b, err := w.seal(0)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	const limit = 4096
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < blockHeaderSize {
			return
		}
		h := readBlockHeader(b)
		if h.check(int64(len(b)-blockHeaderSize), limit) != nil {
			return
		}
		var decoded block
		if decoded.decode(h, b[blockHeaderSize:][:h.stored], new([]byte)) != nil {
			return
		}
		if int64(cap(decoded.bytes)+4*cap(decoded.ends)) > limit {
			t.Fatal("the decoded block is larger than its limit")
		}
		w := newBlockWriter()
		for i := range decoded.records {
			w.add(decoded.record(i))
		}
		if w.size != int(h.size()) || w.records() != int(h.records) {
			t.Fatalf("%d records of %d bytes, the header says %d of %d", w.records(), w.size, h.records, h.size())
		}
		keys, values := bytes.Clone(w.keys.data), bytes.Clone(w.values.data)
		sealed, err := w.seal(0)
		if err != nil {
			t.Fatal(err)
		}
		var again block
		if err := again.decode(readBlockHeader(sealed), sealed[blockHeaderSize:], new([]byte)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again.keys, keys) || !bytes.Equal(again.values, values) {
			t.Fatal("writing the decoded block gives another block")
		}
	})
}

func FuzzFooter(f *testing.F) {
	f.Add(appendFooter(nil, []Ref{{Bucket: 1, Length: 40, Records: 2, Block: 30}, {Bucket: 5, Length: 60, Records: 1, Block: 9}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		refs, err := parseFooter(b, 50, 150, 9)
		if err != nil {
			return
		}
		at, last := int64(50), -1
		for _, r := range refs {
			if r.Offset != at || r.Bucket <= last || r.validate(9) != nil {
				t.Fatalf("refs %+v", refs)
			}
			at, last = r.end(), r.Bucket
		}
		if again, err := parseFooter(appendFooter(nil, refs), 50, 150, 9); at != 150 || err != nil || !slices.Equal(again, refs) {
			t.Fatalf("refs %+v end at %d and read as %+v, %v", refs, at, again, err)
		}
	})
}

// FuzzRoundTrip cuts bytes into records, of which several units write the same
// or other parts, and compares with a sort.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("a text of some words, of which some come again: a text of words"), byte(3), true)
	f.Fuzz(func(t *testing.T, b []byte, buckets byte, byHash bool) {
		var records []Record
		for len(b) > 1 {
			n := min(int(b[0]%9), len(b)-1)
			split := min(int(b[0]>>4), n)
			records = append(records, Record{Key: b[1 : 1+split], Value: b[1+split : 1+n]})
			b = b[1+n:]
		}
		layout := Layout{Order: ByKey, Buckets: 1 + int(buckets)}
		if byHash {
			layout.Order = ByHash
		}
		var sections []Section
		for half := range 2 {
			var part []Record
			for i, r := range records {
				if i%2 == half {
					part = append(part, r)
				}
			}
			file, _ := write(t, layout, Options{}, part)
			sections = append(sections, open(t, file, layout)...)
		}
		requireEqual(t, collect(t, Merge(sections, Options{})), inOrder(layout.Order, records))
	})
}
