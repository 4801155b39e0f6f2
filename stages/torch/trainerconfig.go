package torch

import (
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/transforms/tokens/wordpiece"
)

// TrainerConfig says what is trained.
type TrainerConfig struct {
	// Folder has the encoder's configuration, and the settings that are saved beside
	// its weights.
	Folder *model.Folder
	// Vocabulary is saved with the weights.
	Vocabulary *wordpiece.Vocabulary
	// Objectives are those that take part, with their prepared configurations.
	Objectives objective.Settings
	Optimizer  objective.Optimizer
	// Parts says which parts of the encoder are trained, and how fast.
	Parts objective.Parts
	// From is a folder of weights to begin with; empty draws them by Seed. Heads that
	// the folder does not have are drawn; those of other programs stand among its weights
	// (see model.TiedHead).
	From string
	// NewLayers says that the encoder of From is a bag of embeddings, which has no layers.
	// Those of Folder are drawn and add nothing yet: the output products of their attention and
	// of their feed-forward part are zero, so that they only normalize what they are given.
	NewLayers bool
	Seed      uint64
}
