package fasttext

import (
	"slices"
	"strings"
	"testing"
)

// The words have one slot, and the second takes it from the first.
func TestMemo(t *testing.T) {
	m := &memo{}
	long, rows := strings.Repeat("x", len(m[0].word)), []int32{3, 1, 2}
	tests := []struct {
		word string
		rows []int32
		kept bool
	}{
		{"ab", rows, true},
		{"ba", nil, true}, // of which no n-gram is known
		{long, make([]int32, len(m[0].rows)), true},
		{long + "x", rows, false},
		{"c", make([]int32, len(m[0].rows)+1), false},
	}
	for i, tt := range tests {
		const h = 77
		if _, ok := m.find(tt.word, h); ok {
			t.Errorf("%q is there before", tt.word)
		}
		m.keep(tt.word, h, tt.rows)
		if got, ok := m.find(tt.word, h); ok != tt.kept || !slices.Equal(got, tt.rows) && tt.kept {
			t.Errorf("%q: %v %t, want %v %t", tt.word, got, ok, tt.rows, tt.kept)
		}
		if i > 0 && tt.kept {
			if _, ok := m.find(tests[i-1].word, h); ok {
				t.Errorf("%q is still there", tests[i-1].word)
			}
		}
	}
	if m.slot(5) == m.slot(77) {
		t.Error("two hashes have one slot")
	}
}
