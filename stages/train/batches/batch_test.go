package batches

import (
	"slices"
	"testing"

	"sentweave/schemas"
	"sentweave/stages/objective"
)

func TestMasks(t *testing.T) {
	// One example with stored masks at 2 and 5 of 8 tokens, cut at 8, 5 and 3.
	stored := func(i int, e *schemas.Example) {
		e.TokensB = []int32{classify, 10, mask, 12, 13, mask, 15, separate}
		e.MaskPositions, e.MaskTokens = []int32{2, 5}, []int32{11, 14}
	}
	path := write(t, rows(schemas.KindConsecutive, 1, stored), 1, fingerprint)
	for _, tt := range []struct {
		max                     int
		ids, positions, targets []int32
	}{
		{0, []int32{classify, 10, mask, 12, 13, mask, 15, separate}, []int32{2, 5}, []int32{11, 14}},
		{5, []int32{classify, 10, mask, 12, separate}, []int32{2}, []int32{11}},
	} {
		c := cmlmSource(1)
		c.Source.MaxTokens = tt.max
		b := take(t, open(t, path, c), 0, 1)[0].Batch.(*objective.CMLMBatch)
		if !slices.Equal(b.B.IDs, tt.ids) || !slices.Equal(b.Positions, tt.positions) || !slices.Equal(b.Targets, tt.targets) {
			t.Errorf("cut at %d: %v, positions %v, targets %v", tt.max, b.B.IDs, b.Positions, b.Targets)
		}
	}
	// Cut to [CLS] 10 [SEP], no stored mask is left: it is masked anew.
	c := cmlmSource(1)
	c.Source.MaxTokens = 3
	b := take(t, open(t, path, c), 0, 1)[0].Batch.(*objective.CMLMBatch)
	if !slices.Equal(b.Positions, []int32{1}) || !slices.Equal(b.Targets, []int32{10}) {
		t.Errorf("positions %v, targets %v", b.Positions, b.Targets)
	}
	// Masked by the trainer: other masks each epoch, and the originals are kept.
	l := open(t, consecutive(t, 4, 1), cmlmSource(4))
	different := false
	var first []int32
	for i, batch := range take(t, l, 0, 6) {
		b := batch.Batch.(*objective.CMLMBatch)
		at := 0
		for j, id := range batch.IDs {
			var original []int32
			for k := range 4 {
				if e := row(schemas.KindConsecutive, k); e.ID == id {
					original = e.TokensB
				}
			}
			restored := slices.Clone(b.B.IDs[j*b.B.Length:][:b.B.Lengths[j]])
			masks := 0
			for at < len(b.Positions) && int(b.Positions[at]) < (j+1)*b.B.Length {
				restored[int(b.Positions[at])-j*b.B.Length] = b.Targets[at]
				at++
				masks++
			}
			if !slices.Equal(restored, original) || masks == 0 {
				t.Errorf("batch %d, %s: %v of %v, %d masks", i, id, restored, original, masks)
			}
		}
		if at != len(b.Positions) || !slices.IsSorted(b.Positions) {
			t.Errorf("batch %d: positions %v", i, b.Positions)
		}
		if i > 0 && !slices.Equal(first, b.Targets) {
			different = true
		}
		first = b.Targets
	}
	if !different {
		t.Error("all epochs have the same masks")
	}
}

// TestBitextHasNoMasks: masks that the pipeline stored are undone before the cut.
func TestBitextHasNoMasks(t *testing.T) {
	path := write(t, rows(schemas.KindBitext, 2, func(i int, e *schemas.Example) {
		e.TokensB = []int32{classify, 10, mask, 12, 13, 14, separate}
		e.MaskPositions, e.MaskTokens = []int32{2, 4}, []int32{11, 13}
	}), 1, fingerprint)
	l := open(t, path, LoaderConfig{Source: Source{Objective: objective.BitextName, BatchSize: 2, MaxTokens: 5}})
	b := take(t, l, 0, 1)[0].Batch.(*objective.BitextBatch)
	if want := []int32{classify, 10, 11, 12, separate}; !slices.Equal(b.B.IDs[:5], want) || !b.Excluded[1] {
		t.Errorf("%+v", b)
	}
}
