package losses

import (
	"strings"
	"testing"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

func TestChecksOfBatches(t *testing.T) {
	config := model.DefaultConfig()
	config.VocabularySize, config.MaxPositions = 40, 6
	side := func() objective.Sequences {
		return objective.Sequences{Count: 2, Length: 4, IDs: []int32{2, 7, 8, 3, 2, 9, 3, 0}, Lengths: []int32{4, 3}}
	}
	for _, c := range []struct {
		name   string
		spoil  func(*objective.CMLMBatch, *objective.CMLM)
		reason string
	}{
		{"as it should be", func(*objective.CMLMBatch, *objective.CMLM) {}, ""},
		{"own positions that fit", func(_ *objective.CMLMBatch, o *objective.CMLM) { o.PrefixPositions, o.Vectors = "own", 2 }, ""},
		{"own positions that do not", func(_ *objective.CMLMBatch, o *objective.CMLM) { o.PrefixPositions, o.Vectors = "own", 3 },
			"side B has sequences of 4 tokens from position 3 on, the model has 6"},
		{"an id out of range", func(b *objective.CMLMBatch, _ *objective.CMLM) { b.A.IDs[5] = 40 },
			"side A holds the id 40 in sequence 1, the model has 40"},
		{"a negative id", func(b *objective.CMLMBatch, _ *objective.CMLM) { b.B.IDs[0] = -1 }, "side B holds the id -1 in sequence 0"},
		{"an empty sequence", func(b *objective.CMLMBatch, _ *objective.CMLM) { b.A.Lengths[1] = 0 }, "side A has 0 tokens in sequence 1"},
		{"ids are missing", func(b *objective.CMLMBatch, _ *objective.CMLM) { b.A.IDs = b.A.IDs[1:] },
			"side A has 7 ids and 2 lengths for 2 sequences of 4"},
		{"no mask", func(b *objective.CMLMBatch, _ *objective.CMLM) { b.Positions, b.Targets = nil, nil }, "0 masked positions"},
		{"a target is missing", func(b *objective.CMLMBatch, _ *objective.CMLM) { b.Targets = b.Targets[1:] },
			"2 masked positions with 1 targets"},
		{"a target out of range", func(b *objective.CMLMBatch, _ *objective.CMLM) { b.Targets[1] = 99 },
			"masked position 5 with the target 99"},
		{"another sentence out of range", func(b *objective.CMLMBatch, _ *objective.CMLM) { b.Others = []int32{1, 2} },
			"another sentence is 2 of 2"},
		{"a position out of range", func(b *objective.CMLMBatch, _ *objective.CMLM) { b.Positions[1] = 8 }, "masked position 8"},
	} {
		batch := &objective.CMLMBatch{A: side(), B: side(), Positions: []int32{1, 5}, Targets: []int32{10, 11}}
		o := objective.DefaultCMLM()
		c.spoil(batch, &o)
		if err := checkCMLM(config, &o, batch); (err == nil) != (c.reason == "") || err != nil && !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for excluded, ok := range map[int]bool{4: true, 3: false, 0: false} {
		err := checkBitext(config, &objective.BitextBatch{A: side(), B: side(), Excluded: make([]bool, excluded)})
		if (err == nil) != ok {
			t.Errorf("%d exclusions: %v", excluded, err)
		}
	}
}
