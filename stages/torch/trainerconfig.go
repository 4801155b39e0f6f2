package torch

import (
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/transforms/wordpiece"
)

// TrainerConfig says what is trained.
type TrainerConfig struct {
	// Folder has the encoder's configuration, and the settings that are saved beside
	// its weights.
	Folder *model.Folder
	// Vocabulary is saved with the weights.
	Vocabulary *wordpiece.Vocabulary
	// CMLM and Bitext are nil where the objective takes no part.
	CMLM      *objective.CMLM
	Bitext    *objective.Bitext
	Optimizer objective.Optimizer
	// From is a folder of weights to begin with; empty draws them by Seed. Heads that
	// the folder does not have are drawn.
	From string
	Seed uint64
	// Unigrams counts the ids in the examples; the bias of the vocabulary begins with
	// them if CMLM.LogUnigramBias is set.
	Unigrams []int64
}
