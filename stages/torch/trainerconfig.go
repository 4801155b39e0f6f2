package torch

import (
	"fmt"
	"strings"

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

// addsNothing says of a parameter of an encoder that it is zero in new layers: it is one of
// the two products whose results a layer adds to what it is given. Only these have a gradient in
// the first step, since what stands before them has no effect until they are changed.
func addsNothing(name string) bool {
	return part(name) > 0 && (strings.HasSuffix(name, ".attention.output.dense.weight") || strings.HasSuffix(name, ".output.dense.weight"))
}

// part is the place of a parameter of an encoder among its parts, 0 for the embeddings
// and 1 for the first layer.
func part(name string) int {
	var layer int
	if _, err := fmt.Sscanf(name, "encoder.layer.%d.", &layer); err != nil {
		return 0
	}
	return 1 + layer
}
