package spill

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"
)

func TestEveryChangedByteIsSeen(t *testing.T) {
	layout := Layout{Order: ByHash, Buckets: 3, Fingerprint: "plan"}
	file, _ := write(t, layout, Options{}, small())
	for i := range file {
		for _, mask := range []byte{1, 0x80, 0xFF} {
			changed := bytes.Clone(file)
			changed[i] ^= mask
			if _, err := readAll(changed, layout); !errors.Is(err, ErrDamaged) {
				t.Fatalf("byte %d changed by %#x: %v", i, mask, err)
			}
		}
	}
	for n := range file {
		if _, err := readAll(file[:n], layout); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut to %d of %d bytes: %v", n, len(file), err)
		}
	}
}

func TestDamage(t *testing.T) {
	layout := Layout{Order: ByHash, Buckets: 3, Fingerprint: "plan"}
	file, refs := write(t, layout, Options{}, small())
	other := layout
	other.Fingerprint = "other plan"
	otherFile, _ := write(t, other, Options{}, small())
	split := Layout{Order: ByKey, Buckets: 2, Splits: [][]byte{[]byte("m")}}
	splitFile, _ := write(t, split, Options{}, small())
	resplit := split
	resplit.Splits = [][]byte{[]byte("n")}
	if len(refs) != 3 {
		t.Fatal("a bucket is empty")
	}
	edit := func(change func(b []byte)) []byte {
		b := bytes.Clone(file)
		change(b)
		return b
	}
	// reseal writes the checksum of the header anew.
	reseal := func(b []byte) {
		end := fixedHeader + len(layout.Fingerprint) + 8
		binary.LittleEndian.PutUint64(b[end:], xxh3.Hash(b[:end]))
	}
	cases := []struct {
		name   string
		file   []byte
		layout Layout
		want   string
	}{
		{"empty", nil, layout, "it is not a spill file"},
		{"Parquet", append([]byte("PAR1"), make([]byte, 1000)...), layout, "it is not a spill file"},
		{"later version", edit(func(b []byte) { b[8] = 2; reseal(b) }), layout, "version 2, this program reads version 1"},
		{"header changed", edit(func(b []byte) { b[19] ^= 1 }), layout, "checksum of its header"},
		{"header only", file[:30], layout, "ends within its header"},
		{"no footer", file[:refs[0].Offset+3], layout, "before its footer"},
		{"cut", file[:len(file)-1], layout, "no trailer"},
		{"longer", append(bytes.Clone(file), 0), layout, "no trailer"},
		{"footer changed", edit(func(b []byte) { b[len(b)-trailerSize-2] ^= 1 }), layout, "checksum of its footer"},
		{"huge footer", edit(func(b []byte) { b[len(b)-trailerSize+6] = 0xFF }), layout, "longer than can be"},
		{"other plan", file, other, `its fingerprint is "plan", "other plan" is wanted`},
		{"other buckets", file, Layout{Order: ByHash, Buckets: 4, Fingerprint: "plan"}, "it has 3 buckets, 4 are wanted"},
		{"other order", file, Layout{Order: ByKey, Buckets: 3, Fingerprint: "plan"}, "its order is 'h', 'k' is wanted"},
		{"other splits", splitFile, resplit, "split at other keys"},
		{"block changed", edit(func(b []byte) { b[refs[1].Offset+blockHeaderSize+5] ^= 1 }), layout, "section of bucket 1 "},
		{"foreign section", edit(func(b []byte) {
			from := refs[2].Offset + int64(len(other.Fingerprint)-len(layout.Fingerprint))
			copy(b[refs[2].Offset:refs[2].end()], otherFile[from:])
		}), layout, "section of bucket 2 "},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := readAll(c.file, c.layout)
			if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q in it", err, c.want)
			}
		})
	}
}

// TestForeignRefs reads sections by Refs alone, as the second side of a shuffle
// does.
func TestForeignRefs(t *testing.T) {
	layout := Layout{Order: ByHash, Buckets: 3, Fingerprint: "plan"}
	file, refs := write(t, layout, Options{}, small())
	read := func(ref Ref, layout Layout) error {
		s, err := OpenSection(bytes.NewReader(file), layout, ref)
		if err != nil {
			return err
		}
		for _, err := range s.Records() {
			if err != nil {
				return err
			}
		}
		return nil
	}
	change := func(f func(*Ref)) Ref {
		r := refs[1]
		f(&r)
		return r
	}
	if err := read(refs[1], layout); err != nil {
		t.Fatal(err)
	}
	cases := map[string]Ref{
		"zero":                {},
		"other bucket":        change(func(r *Ref) { r.Bucket = 0 }),
		"bucket out of range": change(func(r *Ref) { r.Bucket = 3 }),
		"negative bucket":     change(func(r *Ref) { r.Bucket = -1 }),
		"offset":              change(func(r *Ref) { r.Offset++ }),
		"offset of another":   change(func(r *Ref) { r.Offset = refs[0].Offset; r.Length = refs[0].Length }),
		"overflow":            change(func(r *Ref) { r.Offset = 1<<63 - 1 }),
		"too short":           change(func(r *Ref) { r.Length-- }),
		"too long":            change(func(r *Ref) { r.Length++ }),
		"beyond the file":     change(func(r *Ref) { r.Offset, r.Length = int64(len(file))-40, 1<<40 }),
		"few records":         change(func(r *Ref) { r.Records-- }),
		"many records":        change(func(r *Ref) { r.Records++ }),
		"small block":         change(func(r *Ref) { r.Block-- }),
		"huge block":          change(func(r *Ref) { r.Block = 1 << 40 }),
	}
	for name, ref := range cases {
		if err := read(ref, layout); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := layout
	other.Fingerprint = "another plan"
	if err := read(refs[1], other); !errors.Is(err, ErrDamaged) {
		t.Errorf("another plan: %v", err)
	}
	a, _ := OpenSection(bytes.NewReader(file), layout, refs[1])
	b, _ := OpenSection(bytes.NewReader(file), other, refs[1])
	for _, sections := range [][]Section{{a, b}, {a, {}}} {
		var err error
		for _, err = range Merge(sections, Options{}) {
		}
		if err == nil {
			t.Errorf("Merge takes sections that do not belong together")
		}
	}
}
