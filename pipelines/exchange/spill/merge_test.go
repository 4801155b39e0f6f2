package spill

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestMergeInPasses(t *testing.T) {
	const units = 100
	r := rand.New(rand.NewPCG(4, 2))
	var records []Record
	var sections []Section
	layout := Layout{Order: ByHash, Buckets: 2}
	for range units {
		var unit []Record
		for range 2_000 {
			unit = append(unit, Record{Key: fmt.Appendf(nil, "key %d", r.IntN(80_000)), Value: count(r.Int64N(9))})
		}
		file, _ := write(t, layout, Options{}, unit)
		records = append(records, unit...)
		sections = append(sections, open(t, file, layout)...)
	}
	for _, combine := range []func(dst, value []byte) []byte{nil, sum} {
		want := inOrder(layout.Order, records)
		if combine != nil {
			want = summed(layout.Order, records)
		}
		for _, memory := range []int64{minMemory, 4 << 20, 64 << 20} {
			opened := 0
			options := Options{Memory: memory, Temporary: temporary(t, &opened), Combine: combine}
			r.Shuffle(len(sections), func(i, j int) { sections[i], sections[j] = sections[j], sections[i] })
			stream := Merge(sections, options)
			requireEqual(t, collect(t, stream), want)
			if (opened == 1) != (memory < 64<<20) {
				t.Fatalf("with a memory of %d, %d temporary files were opened", memory, opened)
			}
			for range stream { // leaving the loop frees the files; a second reading starts anew
				break
			}
		}
	}
}
