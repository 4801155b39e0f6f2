package objective

import (
	"math"
	"slices"
	"testing"
)

func TestExcludedNegatives(t *testing.T) {
	one, two := uint64(1), uint64(2)
	list := []Entry{
		{&Example{A: []int32{1, 5, 2}, B: []int32{1, 6, 2}, Group: &one}, 0},
		{&Example{A: []int32{1, 7, 2}, B: []int32{1, 8, 2, 9}, Group: &one}, 0}, // the group of 0
		{&Example{A: []int32{1, 5, 2}, B: []int32{1, 9, 2}, Group: &two}, 0},    // the first side of 0
		{&Example{A: []int32{1, 10, 2}, B: []int32{1, 9, 2}}, 0},                // the second side of 2
		{&Example{A: []int32{1, 11, 2}, B: []int32{1, 10, 2}}, 0},               // its second side is the first of 3
		{&Example{A: []int32{1, 12, 2}, B: []int32{1, 13, 2}}, 0},
	}
	filled, err := fillBitext(&Filler{}, list)
	if err != nil {
		t.Fatal(err)
	}
	b := filled.(*BitextBatch)
	want := []string{
		".xx...",
		"x.....",
		"x..x..",
		"..x.x.", // 4's second side is the text of 3 itself
		"......",
		"......",
	}
	for i, line := range want {
		for j, c := range line {
			if got := b.Excluded[i*len(list)+j]; got != (c == 'x') {
				t.Errorf("excluded[%d, %d] is %t", i, j, got)
			}
		}
	}
	if want := []int32{1, 6, 2, 0, 1, 8, 2, 9}; !slices.Equal(b.B.IDs[:8], want) || b.B.Length != 4 || b.B.Lengths[0] != 3 {
		t.Errorf("sides %+v", b.B)
	}
}

func TestBitextFaults(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Bitext)
		reason string // "" is valid
	}{
		{"default", func(*Bitext) {}, ""},
		{"no margin", func(c *Bitext) { c.Margin = 0 }, ""},
		{"no scale, as in the paper", func(c *Bitext) { c.Scale = 1 }, ""},
		{"greatest scale", func(c *Bitext) { c.Scale = 1000 }, ""},
		{"cls", func(c *Bitext) { c.Pooling = "cls" }, ""},
		{"max", func(c *Bitext) { c.Pooling = "max" }, ""},
		{"negative margin", func(c *Bitext) { c.Margin = -.1 }, "bitext: margin is -0.1, it must be in [0, 2)"},
		{"margin of all cosines", func(c *Bitext) { c.Margin = 2 }, "bitext: margin is 2, it must be in [0, 2)"},
		{"margin NaN", func(c *Bitext) { c.Margin = math.NaN() }, "bitext: margin is NaN, it must be in [0, 2)"},
		{"scale 0", func(c *Bitext) { c.Scale = 0 }, "bitext: scale is 0, it must be above 0 and at most 1000"},
		{"scale above", func(c *Bitext) { c.Scale = math.Inf(1) }, "bitext: scale is +Inf, it must be above 0 and at most 1000"},
		{"scale NaN", func(c *Bitext) { c.Scale = math.NaN() }, "bitext: scale is NaN, it must be above 0 and at most 1000"},
		{"pooling", func(c *Bitext) { c.Pooling = "last" }, `bitext: pooling "last" is not one of mean, max, cls`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := DefaultBitext()
			test.change(&c)
			wantFault(t, c.Check(), test.reason)
		})
	}
	wantFaults(t, (&Bitext{Margin: -1}).Check(), "bitext: margin is -1, it must be in [0, 2)",
		"bitext: scale is 0, it must be above 0 and at most 1000", `bitext: pooling "" is not one of mean, max, cls`)
}
