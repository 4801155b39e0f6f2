package objective

import (
	"slices"
	"testing"
)

func TestAppend(t *testing.T) {
	const padding = 9
	for _, test := range []struct {
		name    string
		length  int
		rows    [][]int32
		ids     []int32
		lengths []int32
		tokens  int
	}{
		{"no rows", 3, nil, nil, nil, 0},
		{"fits", 3, [][]int32{{1, 5, 2}}, []int32{1, 5, 2}, []int32{3}, 3},
		{"padded", 5, [][]int32{{1, 5, 2}}, []int32{1, 5, 2, 9, 9}, []int32{3}, 3},
		{"cut, with the last token kept", 3, [][]int32{{1, 5, 6, 7, 2}}, []int32{1, 5, 2}, []int32{3}, 3},
		{"cut by one", 4, [][]int32{{1, 5, 6, 7, 2}}, []int32{1, 5, 6, 2}, []int32{4}, 4},
		{"cut to the last token", 1, [][]int32{{1, 5, 2}}, []int32{2}, []int32{1}, 1},
		{"one token", 2, [][]int32{{1}}, []int32{1, 9}, []int32{1}, 1},
		{"rows", 3, [][]int32{{1, 2}, {1, 5, 6, 2}, {1, 5, 2}}, []int32{1, 2, 9, 1, 5, 2, 1, 5, 2}, []int32{2, 3, 3}, 8},
		{"the row before stays", 0, [][]int32{{1, 2}, {3, 4}}, nil, []int32{0, 0}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := Sequences{Length: test.length}
			for _, row := range test.rows {
				given := slices.Clone(row)
				s.Append(row, padding)
				if !slices.Equal(row, given) {
					t.Errorf("%v was changed to %v", given, row)
				}
			}
			if s.Count != len(test.rows) || !slices.Equal(s.IDs, test.ids) || !slices.Equal(s.Lengths, test.lengths) {
				t.Errorf("%d rows %v of %v, want %v of %v", s.Count, s.IDs, s.Lengths, test.ids, test.lengths)
			}
			if got := s.tokens(); got != test.tokens {
				t.Errorf("%d tokens, want %d", got, test.tokens)
			}
		})
	}
}

// A batch that is filled again takes no new memory.
func TestAppendReusesMemory(t *testing.T) {
	tokens := []int32{1, 2, 3}
	s := Sequences{Length: 4, IDs: make([]int32, 0, 8), Lengths: make([]int32, 0, 2)}
	if n := testing.AllocsPerRun(10, func() {
		s.Count, s.IDs, s.Lengths = 0, s.IDs[:0], s.Lengths[:0]
		s.Append(tokens, 0)
		s.Append(tokens, 0)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAppend(b *testing.B) {
	tokens := make([]int32, 48)
	s := Sequences{Length: 64}
	b.SetBytes(64 * 4)
	b.ReportAllocs()
	for b.Loop() {
		if s.Count == 256 {
			s.Count, s.IDs, s.Lengths = 0, s.IDs[:0], s.Lengths[:0]
		}
		s.Append(tokens, 0)
	}
}
