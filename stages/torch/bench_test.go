//go:build libtorch && linux

package torch

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
	"sentweave/transforms/tokens/wordpiece"
)

// way is how a benchmark computes.
type way struct {
	name      string
	threads   int
	precision string
}

// ways are one thread and two, or on a GPU both precisions.
func ways() []way {
	if tested() == "cpu" {
		return []way{{"threads=1", 1, Float32}, {"threads=2", 2, Float32}}
	}
	return []way{{Float32, 1, Float32}, {bFloat16, 1, bFloat16}}
}

// reducedWays are those beside float32 on the CPU. In int8 the peer computes in float32.
func reducedWays() []way {
	if tested() != "cpu" {
		return nil
	}
	return []way{{bFloat16, 1, bFloat16}, {Int8, 1, Int8}}
}

func (w way) use(b *testing.B) {
	use(b, tested(), w.precision)
	useThreads(b, w.threads)
}

// newPeer starts bench.py, or returns nil where there is no interpreter, or not the
// module that the mode needs.
func (w way) newPeer(b *testing.B, mode, folder, module string) *peertest.Peer {
	b.Helper()
	return peertest.Start(b, module, filepath.Join("testdata", "bench.py"), mode, folder, strconv.Itoa(w.threads), tested(), w.precision)
}

// tolerance is how far the results of a peer may be from ours: bfloat16 has three digits, and the two round in
// different places.
func (w way) tolerance() float64 {
	if w.precision == bFloat16 {
		return .02
	}
	return 1e-4
}

// benchSize is that of the demo's encoder, or on a GPU of BERT base.
func benchSize(c *model.Config) {
	c.HiddenSize, c.Layers, c.Heads, c.IntermediateSize = 128, 2, 4, 256
	if tested() != "cpu" {
		c.HiddenSize, c.Layers, c.Heads, c.IntermediateSize = 768, 12, 12, 3072
	}
}

// onGPU is the first number on the CPU, or the second one on a GPU.
func onGPU(without, with int) int {
	if tested() == "cpu" {
		return without
	}
	return with
}

// drawn are n sequences of ids, [CLS] and [SEP] at the ends, of from least to most.
func drawn(r *rand.Rand, n, least, most, vocabulary int) [][]int32 {
	list := make([][]int32, n)
	for i := range list {
		list[i] = []int32{2}
		for range least + r.IntN(most-least+1) - 2 {
			list[i] = append(list[i], int32(5+r.IntN(vocabulary-5)))
		}
		list[i] = append(list[i], 3)
	}
	return list
}

// demo is a trainer with a batch of each objective: pairs of sentences with up to 48 tokens
// for CMLM, paragraphs of 48 for bitext retrieval.
func demo(b *testing.B, cmlmPairs, bitextPairs int) (trainer *Trainer, cmlm *objective.CMLMBatch, bitext *objective.BitextBatch,
	optimizer objective.Optimizer) {
	b.Helper()
	o, br := objective.DefaultCMLM(), objective.DefaultBitext()
	trainer, optimizer = trainerFor(b, objective.Settings{"cmlm": &o, "bitext": &br}, benchSize)
	vocabulary := trainer.network.Folder.Config.VocabularySize
	r := rand.New(rand.NewPCG(1, 6))
	cmlm = &objective.CMLMBatch{A: padTo(drawn(r, cmlmPairs, 12, 48, vocabulary)), B: padTo(drawn(r, cmlmPairs, 12, 48, vocabulary))}
	for i, length := range cmlm.B.Lengths {
		for p := 1; p < int(length)-1; p++ {
			if p%3 == i%3 {
				at := i*cmlm.B.Length + p
				cmlm.Positions, cmlm.Targets = append(cmlm.Positions, int32(at)), append(cmlm.Targets, cmlm.B.IDs[at])
				cmlm.B.IDs[at] = 4
			}
		}
	}
	bitext = &objective.BitextBatch{
		A: padTo(drawn(r, bitextPairs, 48, 48, vocabulary)), B: padTo(drawn(r, bitextPairs, 48, 48, vocabulary)),
		Excluded: make([]bool, bitextPairs*bitextPairs),
	}
	return trainer, cmlm, bitext, optimizer
}

// trainerFor is one of objectives, of a size, with 16,000 pieces.
func trainerFor(b testing.TB, objectives objective.Settings, size func(*model.Config)) (*Trainer, objective.Optimizer) {
	b.Helper()
	return trainerOf(b, objectives, size, func(*TrainerConfig) {})
}

// trainerOf is trainerFor, whose configuration is changed.
func trainerOf(
	b testing.TB, objectives objective.Settings, size func(*model.Config), change func(*TrainerConfig),
) (*Trainer, objective.Optimizer) {
	b.Helper()
	folder, _ := tiny(b)
	m := &folder.Config
	m.VocabularySize, m.MaxPositions, m.InitializerRange = 16000, 128, .02
	size(m)
	pieces := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	for len(pieces) < m.VocabularySize {
		pieces = append(pieces, fmt.Sprint("word", len(pieces)))
	}
	vocabulary, err := wordpiece.NewVocabulary(pieces)
	if err != nil {
		b.Fatal(err)
	}
	optimizer := objective.Optimizer{Name: "adamw", Beta1: .9, Beta2: .999, Epsilon: 1e-8, Decay: .01, Clip: 1}
	c := TrainerConfig{Folder: folder, Vocabulary: vocabulary, Objectives: objectives, Optimizer: optimizer, Seed: 1}
	change(&c)
	return newTrainerOf(b, c), optimizer
}

const benchRate = 1e-4

func demoStep(b *testing.B, trainer *Trainer, batches []objective.Batch, losses []float64) {
	b.Helper()
	for i, batch := range batches {
		loss, err := trainer.Accumulate(batch, 1, nil, 0)
		if err != nil {
			b.Fatal(err)
		}
		losses[i] = loss
	}
	if _, err := trainer.Update(benchRate); err != nil {
		b.Fatal(err)
	}
	if !native.OnCPU() { // a GPU may be at it still
		if err := native.Floats(make([]float32, trainer.network.Folder.Config.HiddenSize),
			trainer.network.Weights.Tensors["embeddings.LayerNorm.bias"]); err != nil {
			b.Fatal(err)
		}
	}
}

// A step of CMLM and bitext retrieval, one after another with a step of PyTorch
// from the same weights on the same batches.
func BenchmarkStep(b *testing.B) {
	for _, w := range ways() {
		b.Run(w.name, func(b *testing.B) {
			onThread()
			w.use(b)
			trainer, cmlm, bitext, optimizer := demo(b, onGPU(16, 512), onGPU(64, 512))
			folder := b.TempDir()
			if err := trainer.Save(folder); err != nil {
				b.Fatal(err)
			}
			data, err := json.Marshal(map[string]any{
				"cmlm": cmlm, "bitext": bitext, "optimizer": optimizer, "rate": benchRate, "vectors": objective.DefaultCMLM().Vectors,
				"scale": objective.DefaultBitext().Scale, "margin": objective.DefaultBitext().Margin,
			})
			if err == nil {
				err = os.WriteFile(filepath.Join(folder, "batches.json"), data, 0o666)
			}
			if err != nil {
				b.Fatal(err)
			}
			python := w.newPeer(b, "step", folder, "torch")
			batches := []objective.Batch{cmlm, bitext}
			losses := make([]float64, 2)
			// The first steps warm up, and say whether both do the same.
			for range 3 {
				demoStep(b, trainer, batches, losses)
				python.Expect(b, "", w.tolerance(), losses...)
			}
			ours, theirs := peertest.Alternate(b, func() { demoStep(b, trainer, batches, losses) }, python, "")
			reportSteps(b, ours, theirs, batches[0].Tokens()+batches[1].Tokens())
		})
	}
}

// reportSteps gives what steps of so many tokens took, beside those of the peer if there
// is one.
func reportSteps(b *testing.B, ours, theirs []peertest.Took, tokens int) {
	b.ReportMetric(float64(tokens)/peertest.Clock(ours), "tokens/s")
	peertest.ReportSteps(b, ours, theirs)
}

func useThreads(b *testing.B, n int) {
	before := Threads()
	SetThreads(n)
	b.Cleanup(func() { SetThreads(before) })
}

// prose are texts of words of a vocabulary, with the lengths that sentences have:
// half of them under 13 words, some over 50.
func prose(b *testing.B, f *model.Folder, n int) []string {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(f.Path, model.VocabularyName))
	if err != nil {
		b.Fatal(err)
	}
	words := slices.DeleteFunc(strings.Fields(string(data)), func(w string) bool {
		return len(w) < 2 || strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' })
	})
	r := rand.New(rand.NewPCG(5, 5))
	texts := make([]string, n)
	for i := range texts {
		var list []string
		for range 1 + int(12*math.Exp(.7*r.NormFloat64())) {
			list = append(list, words[r.IntN(len(words))])
		}
		texts[i] = strings.Join(list, " ")
	}
	return texts
}

// Vectors of 256 sentences by MiniLM, or of 8,192 on a GPU, from their ids: packed here, and by PyTorch sorted and padded as
// sentence-transformers has it.
func BenchmarkEncode(b *testing.B) {
	f := miniLM(b)
	f.Pooling, f.Normalize = model.Mean, true
	ids := sequences(b, f, prose(b, f, onGPU(256, 8192)))
	input := filepath.Join(b.TempDir(), "input.json")
	data, err := json.Marshal(ids)
	if err == nil {
		err = os.WriteFile(input, data, 0o666)
	}
	if err != nil {
		b.Fatal(err)
	}
	for _, w := range append(ways(), reducedWays()...) {
		b.Run(w.name, func(b *testing.B) {
			if w.precision == Int8 {
				useInt8(b)
			} else {
				w.use(b)
			}
			e, err := NewEncoder(f, -1)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(e.Close)
			python := w.newPeer(b, "encode", f.Path, "torch")
			dst := make([]float32, len(ids)*e.Dimension())
			work := func() {
				if err := e.Encode(b.Context(), dst, ids); err != nil {
					b.Fatal(err)
				}
			}
			work()
			sum := 0.
			for _, x := range dst {
				sum += float64(x)
			}
			if w.precision != Int8 { // whose numbers differ more than their sum tells
				python.Expect(b, input, w.tolerance(), sum)
			}
			ours, theirs := peertest.Alternate(b, work, python, input)
			b.ReportMetric(float64(len(ids))/peertest.Clock(ours), "sentences/s")
			if python != nil {
				b.ReportMetric(float64(len(ids))/peertest.Clock(theirs), "peer-sentences/s")
				b.ReportMetric(peertest.Clock(theirs)/peertest.Clock(ours), "x-of-pytorch")
				b.ReportMetric(peertest.CPU(theirs)/peertest.CPU(ours), "x-of-pytorch-cpu")
			}
		})
	}
}
