//go:build libtorch

package torch

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/transforms/tokens/wordpiece"
)

// A training that begins with a BertForMaskedLM or a BertForPreTraining goes on with its
// head: the first loss is that of transformers. An untied head, and none, are drawn anew.
func TestFromKeepsTheHead(t *testing.T) {
	onThread()
	const vocabulary = 300 // that of masked.py
	texts := drawn(rand.New(rand.NewPCG(6, 1)), 30, 4, 20, vocabulary)
	batch := maskedBatch(rand.New(rand.NewPCG(7, 1)), texts)
	q := question{Sequences: texts, Masks: make([][]int, len(texts))}
	for i := range q.Masks {
		q.Masks[i] = []int{}
	}
	for _, at := range batch.Positions {
		i := int(at) / batch.Texts.Length
		q.Masks[i] = append(q.Masks[i], int(at)%batch.Texts.Length)
	}
	kinds := []string{"tied", "pretraining", "gamma", "untied"}
	root := t.TempDir()
	var folders []string
	for _, kind := range kinds {
		folders = append(folders, filepath.Join(root, kind)+"="+kind)
	}
	logits := predicted(t, q, vocabulary, folders...)
	pieces := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	for len(pieces) < vocabulary {
		pieces = append(pieces, string(rune(0x4e00+len(pieces))))
	}
	words, err := wordpiece.NewVocabulary(pieces)
	if err != nil {
		t.Fatal(err)
	}
	for i, kind := range kinds {
		path := filepath.Join(root, kind)
		folder, err := model.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		folder.Pooling = model.Mean
		trainer := newTrainerOf(t, TrainerConfig{Folder: folder, Vocabulary: words, Objectives: objective.Settings{"mlm": &objective.MLM{}},
			Optimizer: adamw, From: path})
		want := 0.
		for k, list := range logits[i] {
			sum := 0.
			for _, l := range list {
				sum += math.Exp(float64(l))
			}
			want += (math.Log(sum) - float64(list[batch.Targets[k]])) / float64(len(batch.Targets))
		}
		got, err := trainer.Loss(batch, nil)
		if err != nil {
			t.Fatal(err)
		}
		if kept := math.Abs(got-want) <= 1e-5*want; kept != (kind != "untied") {
			t.Errorf("%s: loss %v, transformers has %v", kind, got, want)
		}
		_, why, err := model.TiedHead(&model.Folder{Path: path})
		if err != nil || (why == "") != (kind != "untied") {
			t.Errorf("%s: %q, %v", kind, why, err)
		}
		// What it saves is a folder of its own, from which another goes on likewise.
		next := t.TempDir()
		if err := trainer.Save(next); err != nil {
			t.Fatal(err)
		}
		again := newTrainerOf(t, TrainerConfig{Folder: folder, Vocabulary: words, Objectives: objective.Settings{"mlm": &objective.MLM{}},
			Optimizer: adamw, From: next, Seed: 9})
		for name, want := range parameters(t, trainer) {
			if !slices.Equal(values(t, again.network.Weights.Tensors[name]), want) {
				t.Errorf("%s: %s differs in what goes on", kind, name)
			}
		}
	}
}
