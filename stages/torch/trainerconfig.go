package torch

import (
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/transforms/tokens"
)

// TrainerConfig says what is trained.
type TrainerConfig struct {
	// Folder has the encoder's configuration, and the settings that are saved beside
	// its weights.
	Folder *model.Folder
	// Vocabulary is saved with the weights.
	Vocabulary tokens.Vocabulary
	// Objectives are those that take part, with their prepared configurations.
	Objectives objective.Settings
	Optimizer  objective.Optimizer
	// Parts says which parts of the encoder are trained, and how fast.
	Parts objective.Parts
	// From is a folder of weights to begin with; empty draws them by Seed. Heads that
	// the folder does not have are drawn; those of other programs are among its weights
	// (see model.TiedHead).
	From string
	// NewLayers says that the encoder of From is a bag of embeddings, which has no layers.
	// Those of Folder are drawn and add nothing yet: the output products of their attention and
	// of their feed-forward part are zero, so that they only normalize what they are given.
	NewLayers bool
	// CacheChunk is how many texts objectives of vectors of texts encode together, with gradient caching; 0 encodes a batch whole.
	// Gradients are the same but for rounding. On a GPU dropout is drawn in another way.
	CacheChunk int
	// Recompute has the layers of encoders computed again for their gradients, which keep their bits, with the memory of one layer.
	Recompute bool
	Seed      uint64
}
