package objective

import (
	"slices"
	"strings"
	"testing"

	"sentweave/transforms/tokens/masking"
)

// filler masks a vocabulary of 50, of which the first four are special and 3 is the
// mask: all that are chosen become the mask.
func filler(t *testing.T) *Filler {
	t.Helper()
	c := masking.DefaultConfig()
	c.MaskShare, c.RandomShare = 1, 0
	m, err := masking.New(c, masking.Vocabulary{Size: 50, Mask: 3, Special: []int32{0, 1, 2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	return &Filler{Masker: m}
}

// Each side is a sentence. Stored masks are taken, the others are made: of 8 tokens
// .3125 are 2.
func TestFillMLM(t *testing.T) {
	stored := Example{ID: "x", A: []int32{1, 10, 11, 12, 13, 14, 15, 2}, B: []int32{1, 3, 21, 2}, Positions: []int32{1},
		Targets: []int32{20}}
	single := Example{ID: "y", A: []int32{1, 30, 2}}
	var first []int32
	for epoch := range int64(9) {
		filled, err := fillMLM(filler(t), []Entry{{&stored, epoch}, {&single, epoch}})
		if err != nil {
			t.Fatal(err)
		}
		b := filled.(*MLMBatch)
		if b.Texts.Count != 3 || b.Texts.Length != 8 || b.Objective() != "mlm" || b.Tokens() != 8+4+3 {
			t.Fatalf("%+v", b)
		}
		if len(b.Positions) != 4 || !slices.IsSorted(b.Positions) || b.Positions[2] != 8+1 || b.Targets[2] != 20 ||
			b.Positions[3] != 16+1 || b.Targets[3] != 30 {
			t.Errorf("positions %v, targets %v", b.Positions, b.Targets)
		}
		restored := slices.Clone(b.Texts.IDs)
		for i, p := range b.Positions {
			if restored[p] != 3 {
				t.Errorf("position %d is not masked: %v", p, restored)
			}
			restored[p] = b.Targets[i]
		}
		if want := []int32{1, 10, 11, 12, 13, 14, 15, 2, 1, 20, 21, 2, 0, 0, 0, 0, 1, 30, 2, 0, 0, 0, 0, 0}; !slices.Equal(restored, want) {
			t.Errorf("%v, want %v", restored, want)
		}
		if epoch == 0 {
			first = b.Positions
		} else if slices.Equal(first, b.Positions) && epoch == 8 {
			t.Error("all epochs have the same masks")
		}
	}
	if slices.Contains(stored.A, 3) {
		t.Error("the example was changed")
	}
}

func TestFitMLM(t *testing.T) {
	special := []bool{true, true, true, true, false}
	for _, test := range []struct {
		e    Example
		want string
	}{
		{Example{A: []int32{1, 4, 2}}, ""},
		{Example{A: []int32{1, 2}, B: []int32{1, 4, 2}}, ""},
		{Example{A: []int32{1, 2}, B: []int32{1, 3, 2}, Positions: []int32{1}}, ""},
		{Example{A: []int32{1, 2}, B: []int32{1, 2}}, "no token that can be masked"},
	} {
		if err := fitMLM(nil, &test.e, special); (err == nil) != (test.want == "") || err != nil &&
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v", test.e, err)
		}
	}
}
