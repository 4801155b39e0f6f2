package spill

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestTranspose(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for rows := range 40 {
		for columns := range 30 {
			src := make([]byte, rows*columns)
			for i := range src {
				src[i] = byte(r.Uint32())
			}
			want := make([]byte, len(src))
			for i := range rows {
				for j := range columns {
					want[j*rows+i] = src[i*columns+j]
				}
			}
			got, back := make([]byte, len(src)), make([]byte, len(src))
			transpose(got, src, rows, columns)
			transpose(back, got, columns, rows)
			if !bytes.Equal(got, want) || !bytes.Equal(back, src) {
				t.Fatalf("%d × %d bytes are transposed wrongly", rows, columns)
			}
		}
	}
}

func TestSortEntries(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ranks := map[string]func() uint64{
		"uniform":   r.Uint64,
		"one":       func() uint64 { return 7 },
		"few":       func() uint64 { return r.Uint64N(5) << 40 },
		"low bytes": func() uint64 { return r.Uint64N(1000) },
		"words":     func() uint64 { return 'a' + r.Uint64N(26)<<56 + r.Uint64N(26)<<48 },
	}
	compare := func(a, b entry) int { return cmp.Compare(a.at, b.at) }
	for name, rank := range ranks {
		for _, n := range []int{0, 1, 2, 31, 32, 33, 1000, 50_000} {
			entries := make([]entry, n)
			for i := range entries {
				entries[i] = entry{rank: rank(), at: r.Uint32N(uint32(n))}
			}
			want := slices.SortedFunc(slices.Values(entries),
				func(a, b entry) int { return cmp.Or(cmp.Compare(a.rank, b.rank), compare(a, b)) })
			sortEntries(entries, compare)
			if !slices.Equal(entries, want) {
				t.Fatalf("%d ranks (%s) are not sorted", n, name)
			}
		}
	}
}
