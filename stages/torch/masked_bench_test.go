//go:build libtorch && linux

package torch

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/transformer"
	"sentweave/transforms/augment/infill"
	"sentweave/transforms/tokens/wordpiece"
)

// maskedMiniLM is MiniLM with a drawn head: a masked language model of a published
// size and vocabulary, whose predictions mean nothing.
func maskedMiniLM(b *testing.B) *model.Folder {
	b.Helper()
	f := miniLM(b)
	v, err := f.Vocabulary()
	if err != nil {
		b.Fatal(err)
	}
	f.Pooling = model.Mean
	o := objective.DefaultCMLM()
	trainer := newTrainerOf(b, TrainerConfig{Folder: f, Vocabulary: v, Objectives: objective.Settings{"cmlm": &o},
		Optimizer: objective.DefaultOptimizer(), From: f.Path, Seed: 1})
	folder := b.TempDir()
	if err := trainer.Save(folder); err != nil {
		b.Fatal(err)
	}
	if f, err = model.Open(folder); err != nil {
		b.Fatal(err)
	}
	return f
}

// The likeliest pieces for a fifth of the words of 256 sentences. The peer is
// transformers' BertForMaskedLM on the same batches, sorted by length and padded.
func BenchmarkMaskedLM(b *testing.B) {
	onThread()
	f := maskedMiniLM(b)
	v, err := f.Vocabulary()
	if err != nil {
		b.Fatal(err)
	}
	tokenizer, err := wordpiece.New(v.(*wordpiece.Vocabulary), f.Tokenizer)
	if err != nil {
		b.Fatal(err)
	}
	c := infill.DefaultConfig()
	c.MinTokens = 1
	n, err := infill.New(c, tokenizer)
	if err != nil {
		b.Fatal(err)
	}
	const k = 3
	texts := prose(b, f, 256)
	var sequences [][]int32
	var masks [][]infill.Mask
	for i, text := range texts {
		m, reason := n.Mask(text, fmt.Sprint(i))
		if reason != "" {
			b.Fatal(text, reason)
		}
		for j := range m.Masks {
			m.Masks[j].Class = 0 // of all ids, among which the peer looks, too
		}
		sequences, masks = append(sequences, m.IDs), append(masks, m.Masks)
	}
	input := filepath.Join(b.TempDir(), "batches.json")
	data, err := json.Marshal(batchesOf(sequences, masks))
	if err == nil {
		err = os.WriteFile(input, data, 0o666)
	}
	if err != nil {
		b.Fatal(err)
	}
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			useThreads(b, threads)
			m, err := NewMaskedLM(f, [][]int32{ids(f.Config.VocabularySize)})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(m.Close)
			python := peertest.Start(b, "transformers", filepath.Join("testdata", "masked.py"), "bench", f.Path, strconv.Itoa(threads))
			var found []infill.Candidate
			work := func() {
				if found, err = m.Top(b.Context(), sequences, masks, k); err != nil {
					b.Fatal(err)
				}
			}
			work()
			sum := 0.
			for i := 0; i < len(found); i += k {
				sum += float64(found[i].ID)
			}
			python.Expect(b, input, 1e-4, sum)
			ours, theirs := peertest.Alternate(b, work, python, input)
			b.ReportMetric(float64(len(texts))/peertest.Clock(ours), "sentences/s")
			if python != nil {
				b.ReportMetric(float64(len(texts))/peertest.Clock(theirs), "peer-sentences/s")
				b.ReportMetric(peertest.Clock(theirs)/peertest.Clock(ours), "x-of-transformers")
				b.ReportMetric(peertest.CPU(theirs)/peertest.CPU(ours), "x-of-transformers-cpu")
			}
		})
	}
}

// batchesOf cuts sequences as MaskedLM does.
func batchesOf(sequences [][]int32, masks [][]infill.Mask) (batches []question) {
	order := make([]int, len(sequences))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(len(sequences[i]), len(sequences[j])) })
	tokens := 0
	for _, i := range order {
		if tokens += len(sequences[i]); len(batches) == 0 || tokens > transformer.BatchTokens() {
			batches, tokens = append(batches, question{}), len(sequences[i])
		}
		q := &batches[len(batches)-1]
		positions := []int{}
		for _, mask := range masks[i] {
			positions = append(positions, mask.Position)
		}
		q.Sequences, q.Masks = append(q.Sequences, sequences[i]), append(q.Masks, positions)
	}
	return batches
}
