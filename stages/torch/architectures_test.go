//go:build libtorch

package torch

import (
	"slices"
	"testing"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

// architectures are all that encoders may have, with the activations in turn.
var architectures = []architected{
	{"bert", model.GELU}, {"roberta", model.GELUNew}, {"xlm-roberta", model.GELU}, {"camembert", model.LayerReLU},
	{"distilbert", model.GELUNew}, {"mpnet", model.GELU}, {"modernbert", model.GELUNew},
}

var bert, roberta, distilbert, mpnet, modernbert = architectures[0], architectures[1], architectures[4], architectures[5], architectures[6]

// architecturesFor are BERT, and one of each kind of positions, attention or layers with which an objective goes. Only BERT has the
// two segments of next sentences.
func architecturesFor(name string) []architected {
	if name == objective.NSPName {
		return []architected{bert}
	}
	return []architected{bert, roberta, distilbert, mpnet, modernbert}
}

// Losses, norms and parameters over five steps are those of PyTorch for each architecture. Where attention or whole layers
// are of their own, they are with parts of batches and with layers that are computed again, too.
func TestArchitecturesStepsEqualPyTorch(t *testing.T) {
	var names []string
	cases := map[string]stepsCase{}
	for _, a := range architectures {
		names = append(names, a.architecture)
		cmlm, bitext := objective.DefaultCMLM(), objective.DefaultBitext()
		cmlm.PrefixPositions, cmlm.Vectors = "own", 3
		ways := map[string]stepsCase{"": {}}
		if a == mpnet || a == modernbert {
			ways[" in parts"], ways[" recomputed"] = stepsCase{cut: true}, stepsCase{recompute: true}
		}
		for name, c := range ways {
			name = a.architecture + name
			c.Objectives, c.Optimizer, c.Rates, c.of = objective.Settings{"cmlm": &cmlm, "bitext": &bitext}, adamw, rates, a
			c.Sources = []stepsSource{source(a.architecture, "cmlm", 1, drawCMLM)}
			if !c.cut { // the loss of a part of a batch of pairs has fewer candidates
				c.Sources = append(c.Sources, source(a.architecture, "bitext", .2, drawBitext))
			}
			cases[name] = c
		}
	}
	if !slices.Equal(names, model.Architectures()) {
		t.Errorf("tested are %q, there are %q", names, model.Architectures())
	}
	stepsEqualPyTorch(t, cases)
}
