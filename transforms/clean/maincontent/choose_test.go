package maincontent

import (
	"slices"
	"testing"
)

// TestChoose: blocks of ten words each. With p = .9, .6, .2 the expected F1 of one, two and three is
// 18/(10+17+3) = .6, 30/(20+17+3) = .75 and 34/(30+17+3) = .68.
func TestChoose(t *testing.T) {
	words := []float64{10, 10, 10}
	chosen, expected := Choose([]float64{.2, .9, .6}, words)
	if !slices.Equal(chosen, []bool{false, true, true}) || expected < .75-1e-12 || expected > .75+1e-12 {
		t.Errorf("chosen %v with %v", chosen, expected)
	}
	if chosen, _ := Choose([]float64{.05, .02, .01}, words); slices.Contains(chosen, true) {
		t.Errorf("chosen %v of what is hardly main content", chosen)
	}
	if chosen, expected := Choose(nil, nil); len(chosen) != 0 || expected != 0 {
		t.Error("something is chosen of nothing")
	}
}
