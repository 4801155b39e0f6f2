package batches

import (
	"sentweave/stages/train/traintest"
	"sentweave/transforms/tokens/masking"
)

func encoding() Encoding {
	return Encoding{Vocabulary: masking.Vocabulary{Size: vocabularySize, Mask: mask, Special: []int32{0, classify, separate, mask}},
		MaxTokens: 64}
}

// What tests of training have, too.
var (
	row, rows, write     = traintest.Row, traintest.Rows, traintest.Write
	consecutive, grouped = traintest.Consecutive, traintest.Grouped
	tongues              = traintest.Tongues
)

const (
	fingerprint    = traintest.Fingerprint
	vocabularySize = traintest.VocabularySize
	classify       = traintest.Classify
	separate       = traintest.Separate
	mask           = traintest.Mask
)
