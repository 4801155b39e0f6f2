package masking_test

import (
	"fmt"

	"sentweave/transforms/tokens/masking"
)

// Of eight tokens .3125 are masked: two. The masks depend on the tokens and their identity alone, so
// that any machine draws the same ones.
func ExampleMasker_Append() {
	const padding, classify, separate, mask = 0, 1, 2, 3
	config := masking.DefaultConfig()
	config.MaskShare, config.RandomShare = 1, 0 // every chosen token becomes [MASK]
	masker, err := masking.New(config, masking.Vocabulary{
		Size: 100, Mask: mask, Special: []int32{padding, classify, separate, mask}, Continues: func(int32) bool { return false },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		tokens := []int32{classify, 11, 12, 13, 14, 15, 16, separate}
		positions, originals, err := masker.Append(nil, nil, tokens, "a text", 0)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(tokens, "at", positions, "were", originals)
	}
	// Output:
	// [1 11 12 3 14 15 3 2] at [3 6] were [13 16]
	// [1 11 12 3 14 15 3 2] at [3 6] were [13 16]
}
