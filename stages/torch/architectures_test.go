//go:build libtorch

package torch

import (
	"fmt"
	"slices"
	"strings"
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

// architecturesFor are BERT, and one of each kind of positions, attention or layers with which an objective goes. The others have no
// segments for next sentences.
func architecturesFor(name string) []architected {
	if name == objective.NSPName {
		return []architected{bert, roberta}
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

// The published RoBERTas have one kind of tokens, new ones two.
func TestNextSentencesNeedSegments(t *testing.T) {
	onThread()
	for a, kinds := range map[architected]int{roberta: 1, distilbert: 0, mpnet: 0, modernbert: 0} {
		config := TrainerConfig{Objectives: objective.Settings{objective.NSPName: &objective.NSP{}}, Optimizer: adamw}
		config.Folder, config.Vocabulary = tinyOf(t, a)
		config.Folder.Config.TokenTypes = kinds
		want := fmt.Sprintf("the encoder is a %s whose type_vocab_size is %d, two segments need 2", a.architecture, kinds)
		trainer, err := NewTrainer(config)
		if err == nil {
			trainer.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
