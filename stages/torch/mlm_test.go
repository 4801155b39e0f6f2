//go:build libtorch

package torch

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"sentweave/stages/objective"
)

func mlmBatch(r *rand.Rand) objective.Batch { return maskedBatch(r, sentences(r, 7, 12)) }

// maskedBatch masks some tokens of sentences.
func maskedBatch(r *rand.Rand, texts [][]int32) *objective.MLMBatch {
	at, targets := masks(r, texts)
	b := &objective.MLMBatch{Texts: padTo(texts), Targets: targets}
	for _, p := range at {
		b.Positions = append(b.Positions, int32(p[0]*b.Texts.Length+p[1]))
	}
	return b
}

// Both objectives share a head.
func TestMLMBesideCMLMStepsEqualPyTorch(t *testing.T) {
	c := stepsCase{Objectives: objective.Settings{"mlm": &objective.MLM{}, "cmlm": cmlmOf()}, Optimizer: adamw, Rates: rates}
	for _, name := range []string{"mlm", "cmlm"} {
		c.Sources = append(c.Sources, source("mlm cmlm", name, 1, drawOf(name)))
	}
	stepsEqualPyTorch(t, map[string]stepsCase{"mlm cmlm": c})
}

// The loss is the mean over the masks of what BertForMaskedLM of transformers gives,
// on the folder that the trainer saves.
func TestMLMLossEqualsTransformers(t *testing.T) {
	onThread()
	counts := make([]int64, tinyWords)
	for i := range counts {
		counts[i] = int64(i * i)
	}
	trainer := newTrainer(t, TrainerConfig{
		Objectives: objective.Settings{"mlm": &objective.MLM{UnigramBias: objective.UnigramBias{Unigrams: counts}}},
		Optimizer:  objective.DefaultOptimizer(), Seed: 3})
	folder := t.TempDir()
	if err := trainer.Save(folder); err != nil {
		t.Fatal(err)
	}
	texts := drawn(rand.New(rand.NewPCG(6, 1)), 30, 4, 20, tinyWords)
	batch := maskedBatch(rand.New(rand.NewPCG(7, 1)), texts)
	q := question{Sequences: texts, Masks: make([][]int, len(texts))}
	for i := range q.Masks {
		q.Masks[i] = []int{}
	}
	for _, at := range batch.Positions {
		i := int(at) / batch.Texts.Length
		q.Masks[i] = append(q.Masks[i], int(at)%batch.Texts.Length)
	}
	want := 0.
	for i, logits := range predicted(t, q, tinyWords, folder)[0] {
		sum := 0.
		for _, l := range logits {
			sum += math.Exp(float64(l))
		}
		want += (math.Log(sum) - float64(logits[batch.Targets[i]])) / float64(len(batch.Targets))
	}
	got, err := trainer.Loss(batch, nil)
	if err != nil || math.Abs(got-want) > 1e-5*want {
		t.Errorf("loss %v, transformers has %v, %v", got, want, err)
	}
}

func TestMLMBatchFaults(t *testing.T) {
	onThread()
	trainer := newTrainer(t, TrainerConfig{Objectives: objective.Settings{"mlm": &objective.MLM{}},
		Optimizer: objective.DefaultOptimizer()})
	for want, spoil := range map[string]func(*objective.MLMBatch){
		"the batch holds the id 40":   func(b *objective.MLMBatch) { b.Texts.IDs[1] = tinyWords },
		"0 masked positions":          func(b *objective.MLMBatch) { b.Positions, b.Targets = nil, nil },
		"masked position 1000 with":   func(b *objective.MLMBatch) { b.Positions[0] = 1000 },
		"the model has 24 positions":  func(b *objective.MLMBatch) { b.Texts = padTo([][]int32{make([]int32, 25)}) },
		"with the target -1: there a": func(b *objective.MLMBatch) { b.Targets[0] = -1 },
	} {
		batch := mlmBatch(rand.New(rand.NewPCG(1, 1))).(*objective.MLMBatch)
		spoil(batch)
		if _, err := trainer.Accumulate(batch, 1, nil, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := trainer.Loss(bitextBatch(rand.New(rand.NewPCG(1, 1))), nil); err == nil ||
		!strings.Contains(err.Error(), "was not made for the objective bitext") {
		t.Error(err)
	}
}
