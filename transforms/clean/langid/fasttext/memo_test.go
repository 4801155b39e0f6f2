package fasttext

import (
	"slices"
	"strings"
	"testing"
)

// A slot holds the word that was found last, and the one that was kept last.
func TestMemo(t *testing.T) {
	m := &memo{}
	const h = 77
	long, rows := strings.Repeat("x", len(m[0][0].word)), []int32{3, 1, 2}
	tests := []struct {
		word  string
		rows  []int32
		there string // the words that are there afterwards
	}{
		{"ab", rows, "ab"},
		{"ba", nil, "ab ba"}, // of which no n-gram is known
		{long, make([]int32, len(m[0][0].rows)), "ba " + long},
		{long + "x", rows, "ba " + long},
		{"c", make([]int32, len(m[0][0].rows)+1), "ba " + long},
		{"d", rows, "d " + long}, // for it was found last
	}
	for i, tt := range tests {
		if _, ok := m.find(tt.word, h); ok {
			t.Errorf("%q is there before", tt.word)
		}
		m.keep(tt.word, h, tt.rows)
		there := strings.Fields(tt.there)
		for _, other := range tests[:i+1] {
			got, ok := m.find(other.word, h)
			if want := slices.Contains(there, other.word); ok != want || ok && !slices.Equal(got, other.rows) {
				t.Errorf("after %q, %q: %v %t, want %v %t", tt.word, other.word, got, ok, other.rows, want)
			}
		}
	}
	if m.slot(5) == m.slot(h) {
		t.Error("two hashes have one slot")
	}
}
