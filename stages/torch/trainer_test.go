//go:build libtorch

package torch

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/transforms/wordpiece"
)

const tinyWords = 40

// tiny is a model of two small layers without dropout.
func tiny(t testing.TB) (*model.Folder, *wordpiece.Vocabulary) {
	t.Helper()
	pieces := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	for i := len(pieces); i < tinyWords; i++ {
		pieces = append(pieces, fmt.Sprint("word", i))
	}
	v, err := wordpiece.NewVocabulary(pieces)
	if err != nil {
		t.Fatal(err)
	}
	c := model.DefaultConfig()
	c.VocabularySize, c.HiddenSize, c.Layers, c.Heads, c.IntermediateSize, c.MaxPositions = tinyWords, 16, 2, 4, 32, 24
	c.HiddenDropout, c.AttentionDropout, c.InitializerRange = 0, 0, .3
	return &model.Folder{Config: c, Pooling: model.Mean, MaxTokens: 24, Tokenizer: wordpiece.Uncased}, v
}

func newTrainer(t testing.TB, c TrainerConfig) *Trainer {
	t.Helper()
	c.Folder, c.Vocabulary = tiny(t)
	trainer, err := NewTrainer(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(trainer.Close)
	return trainer
}

// onThread keeps the test on its thread, as a trainer needs.
func onThread(t testing.TB) {
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
}

// random sequences of n sentences with up to length tokens.
func sentences(r *rand.Rand, n, length int) [][]int32 {
	list := make([][]int32, n)
	for i := range list {
		list[i] = []int32{2}
		for range 1 + r.IntN(length-3) {
			list[i] = append(list[i], int32(5+r.IntN(tinyWords-5)))
		}
		list[i] = append(list[i], 3)
	}
	return list
}

func padTo(list [][]int32) objective.Sequences {
	s := objective.Sequences{}
	for _, ids := range list {
		s.Length = max(s.Length, len(ids))
	}
	for _, ids := range list {
		s.Append(ids, 0)
	}
	return s
}

// batchJSON is a batch as steps.py reads it.
type batchJSON struct {
	A         [][]int32 `json:"a"`
	B         [][]int32 `json:"b"`
	Positions [][]int32 `json:"positions"`
	Targets   [][]int32 `json:"targets"`
	Excluded  [][]bool  `json:"excluded"`
}

func (b batchJSON) batch(name string) objective.Batch {
	if name == objective.BitextName {
		return &objective.BitextBatch{A: padTo(b.A), B: padTo(b.B), Excluded: slices.Concat(b.Excluded...)}
	}
	batch := &objective.CMLMBatch{A: padTo(b.A), B: padTo(b.B)}
	for i := range b.B {
		for k, p := range b.Positions[i] {
			batch.Positions = append(batch.Positions, int32(i*batch.B.Length)+p)
			batch.Targets = append(batch.Targets, b.Targets[i][k])
		}
	}
	return batch
}

func cmlmBatch(r *rand.Rand) batchJSON {
	b := batchJSON{A: sentences(r, 5, 9), B: sentences(r, 5, 12)}
	for i, ids := range b.B {
		var positions, targets []int32
		for p := 1; p < len(ids)-1; p++ {
			if p == 1 || r.IntN(3) == 0 {
				positions, targets = append(positions, int32(p)), append(targets, ids[p])
				b.B[i][p] = 4
			}
		}
		b.Positions, b.Targets = append(b.Positions, positions), append(b.Targets, targets)
	}
	return b
}

func bitextBatch(r *rand.Rand) batchJSON {
	b := batchJSON{A: sentences(r, 6, 9), B: sentences(r, 6, 9)}
	b.Excluded = make([][]bool, 6)
	for i := range b.Excluded {
		b.Excluded[i] = make([]bool, 6)
	}
	b.Excluded[1][4], b.Excluded[4][1], b.Excluded[0][2] = true, true, true
	return b
}

// caseJSON is a run of steps as steps.py reads it.
type caseJSON struct {
	CMLM      objective.CMLM      `json:"cmlm"`
	Bitext    objective.Bitext    `json:"bitext"`
	Optimizer objective.Optimizer `json:"optimizer"`
	Rates     []float64           `json:"rates"`
	Sources   []sourceJSON        `json:"sources"`
}

type sourceJSON struct {
	Objective string      `json:"objective"`
	Weight    float64     `json:"weight"`
	Batches   []batchJSON `json:"batches"`
}

// Losses, norms and parameters over five steps are those of an independent
// restatement in PyTorch.
func TestStepsEqualPyTorch(t *testing.T) {
	onThread(t)
	adamw := objective.Optimizer{Name: "adamw", Beta1: .9, Beta2: .999, Epsilon: 1e-8, Decay: .01, Clip: 1}
	lamb := objective.DefaultOptimizer()
	cases := map[string]caseJSON{}
	add := func(name string, o objective.Optimizer, change func(*caseJSON), objectives ...string) {
		c := caseJSON{CMLM: objective.DefaultCMLM(), Bitext: objective.DefaultBitext(), Optimizer: o, Rates: []float64{.001, .002, .003, .002, .001}}
		if change != nil {
			change(&c)
		}
		r := rand.New(rand.NewPCG(uint64(len(cases)), 1))
		for i, name := range objectives {
			source := sourceJSON{Objective: name, Weight: []float64{1, .2}[i]}
			for range c.Rates {
				if name == objective.BitextName {
					source.Batches = append(source.Batches, bitextBatch(r))
				} else {
					source.Batches = append(source.Batches, cmlmBatch(r))
				}
			}
			c.Sources = append(c.Sources, source)
		}
		cases[name] = c
	}
	add("cmlm", adamw, nil, "cmlm")
	add("cmlm lamb", lamb, nil, "cmlm")
	add("cmlm own positions", adamw, func(c *caseJSON) { c.CMLM.PrefixPositions, c.CMLM.Vectors = "own", 3 }, "cmlm")
	add("cmlm shared position and norm", adamw, func(c *caseJSON) { c.CMLM.PrefixPositions, c.CMLM.PrefixNorm = "shared", true }, "cmlm")
	add("cmlm one vector, max", adamw, func(c *caseJSON) { c.CMLM.Vectors, c.CMLM.Pooling = 1, "max" }, "cmlm")
	add("cmlm detached, cls, no clip", adamw, func(c *caseJSON) { c.CMLM.DetachVector, c.CMLM.Pooling, c.Optimizer.Clip = true, "cls", 1e9 }, "cmlm")
	add("bitext", adamw, nil, "bitext")
	add("bitext lamb", lamb, func(c *caseJSON) { c.Rates = []float64{.03, .03, .02, .02, .01} }, "bitext")
	add("mixture", lamb, nil, "cmlm", "bitext")

	root := t.TempDir()
	type outcome struct {
		trainer       *Trainer
		losses, norms []float64
	}
	outcomes := map[string]outcome{}
	var folders []string
	for name, c := range cases {
		folder := filepath.Join(root, name)
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, folder)
		out := outcome{trainer: newTrainer(t, TrainerConfig{CMLM: &c.CMLM, Bitext: &c.Bitext, Optimizer: c.Optimizer, Seed: 3})}
		if err := out.trainer.Save(folder); err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "case.json"), data, 0o666); err != nil {
			t.Fatal(err)
		}
		for step, rate := range c.Rates {
			for _, source := range c.Sources {
				loss, err := out.trainer.Accumulate(source.Batches[step].batch(source.Objective), source.Weight, 0)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				out.losses = append(out.losses, loss)
			}
			norm, err := out.trainer.Update(rate)
			if err != nil {
				t.Fatal(err)
			}
			out.norms = append(out.norms, norm)
		}
		outcomes[name] = out
	}
	pytorch(t, "steps.py", folders...)
	for name, out := range outcomes {
		t.Run(name, func(t *testing.T) {
			var want struct{ Losses, Norms []float64 }
			data, err := os.ReadFile(filepath.Join(root, name, "result.json"))
			if err == nil {
				err = json.Unmarshal(data, &want)
			}
			if err != nil {
				t.Fatal(err)
			}
			near(t, "loss", out.losses, want.Losses)
			near(t, "norm", out.norms, want.Norms)
			if data, err = os.ReadFile(filepath.Join(root, name, "result.bin")); err != nil {
				t.Fatal(err)
			}
			for _, parameter := range slices.Sorted(slices.Values(out.trainer.weights.names)) {
				size, err := out.trainer.weights.tensors[parameter].Size()
				if err != nil {
					t.Fatal(err)
				}
				n := int64(1)
				for _, d := range size {
					n *= d
				}
				got, want := make([]float32, n), make([]float32, n)
				if err := floats(got, out.trainer.weights.tensors[parameter]); err != nil {
					t.Fatal(err)
				}
				used, err := binary.Decode(data, binary.LittleEndian, want)
				if err != nil {
					t.Fatal(err)
				}
				data = data[used:]
				// Softmax does not see a key's bias: its gradient is zero but for rounding,
				// which the optimizers blow up to a full step.
				if strings.HasSuffix(parameter, "self.key.bias") {
					continue
				}
				if d := distance(got, want); d > 1e-5 {
					t.Errorf("%s differs by %v after the steps", parameter, d)
				}
			}
		})
	}
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d of %s, PyTorch has %d", len(got), what, len(want))
	}
	for i := range got {
		if math.Abs(got[i]-want[i]) > 1e-5*max(1, math.Abs(want[i])) {
			t.Errorf("%s %d is %v, PyTorch has %v", what, i, got[i], want[i])
		}
	}
}
