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

	"github.com/zeebo/xxh3"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/wordpiece"
)

const tinyWords = 40

// architected is an architecture, by its model_type, with an activation.
type architected struct{ architecture, activation string }

// tiny is a model of two small layers without dropout.
func tiny(t testing.TB) (*model.Folder, tokens.Vocabulary) {
	t.Helper()
	return tinyOf(t, architected{"bert", model.GELU})
}

func tinyOf(t testing.TB, a architected) (*model.Folder, tokens.Vocabulary) {
	t.Helper()
	c := model.ConfigOf(a.architecture)
	if c.IsGated() { // with windows that are shorter than texts
		c.PadID, c.LocalTokens, c.GlobalEvery = 0, 6, 2
	}
	pieces := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	if c.PadID == 1 {
		pieces = []string{"[UNK]", "<pad>", "<s>", "</s>", "<mask>"}
	}
	for i := len(pieces); i < tinyWords; i++ {
		pieces = append(pieces, fmt.Sprint("word", i))
	}
	v, err := wordpiece.NewVocabulary(pieces)
	if err != nil {
		t.Fatal(err)
	}
	c.VocabularySize, c.HiddenSize, c.Layers, c.Heads, c.IntermediateSize = tinyWords, 16, 2, 4, 32
	c.MaxPositions, c.Activation = 24+c.FirstPosition(), a.activation
	c.HiddenDropout, c.AttentionDropout, c.InitializerRange = 0, 0, .3
	return &model.Folder{Config: c, Pooling: model.Mean, MaxTokens: 24, Tokenizer: wordpiece.Uncased}, v
}

func newTrainer(t testing.TB, c TrainerConfig) *Trainer {
	t.Helper()
	if c.Folder == nil {
		c.Folder, c.Vocabulary = tiny(t)
	}
	trainer, err := NewTrainer(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(trainer.Close)
	return trainer
}

// onThread keeps the test on its thread, as a trainer needs. The thread ends with the test, and with it the threads that
// libtorch keeps for it: of those that are left over, each makes the others slower.
func onThread() {
	runtime.LockOSThread()
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

func cmlmBatch(r *rand.Rand) *objective.CMLMBatch {
	a, b := sentences(r, 5, 9), sentences(r, 5, 12)
	at, targets := masks(r, b)
	batch := &objective.CMLMBatch{A: padTo(a), B: padTo(b), Targets: targets, Others: []int32{1, 2, 3, 4, 0}}
	for _, p := range at {
		batch.Positions = append(batch.Positions, int32(p[0]*batch.B.Length+p[1]))
	}
	return batch
}

// masks masks the second token of each sentence and some others. It returns sentence
// and place of each, and the ids that stood there.
func masks(r *rand.Rand, list [][]int32) (at [][2]int, targets []int32) {
	for i, ids := range list {
		for p := 1; p < len(ids)-1; p++ {
			if p == 1 || r.IntN(3) == 0 {
				at, targets = append(at, [2]int{i, p}), append(targets, ids[p])
				ids[p] = 4
			}
		}
	}
	return at, targets
}

func bitextBatch(r *rand.Rand) *objective.BitextBatch {
	const n = 6
	b := &objective.BitextBatch{A: padTo(sentences(r, n, 9)), B: padTo(sentences(r, n, 9)), Excluded: make([]bool, n*n)}
	b.Excluded[1*n+4], b.Excluded[4*n+1], b.Excluded[0*n+2] = true, true, true
	return b
}

// stepsCase is a run of steps as steps.py reads it.
type stepsCase struct {
	Objectives objective.Settings  `json:"objectives"`
	Optimizer  objective.Optimizer `json:"optimizer"`
	Rates      []float64           `json:"rates"`
	Sources    []stepsSource       `json:"sources"`
	LayerDecay float64             `json:"layer_decay"`
	// Frozen are the beginnings of the names of what Freeze names.
	Freeze []string `json:"-"`
	Frozen []string `json:"frozen"`
	// Held are the ends of the names of parameters that the loss does not see: their gradient is
	// zero but for rounding, of which an optimizer makes a full step. Both sides leave them alone.
	Held []string `json:"held"`
	// cut has each batch accumulated in parts, chunk is that of gradient caching, and recompute has layers computed again, of
	// which PyTorch does not know.
	cut, recompute bool
	chunk          int
	// of is the model, BERT where nothing is said.
	of architected
}

type stepsSource struct {
	Objective string            `json:"objective"`
	Weight    float64           `json:"weight"`
	Batches   []objective.Batch `json:"batches"`
}

// Losses, norms and parameters over five steps are those of an independent
// restatement in PyTorch.
func TestStepsEqualPyTorch(t *testing.T) {
	lamb := objective.DefaultOptimizer()
	cases := map[string]stepsCase{}
	add := func(name string, o objective.Optimizer, change func(*objective.CMLM, *stepsCase), objectives ...string) {
		cmlm, bitext := objective.DefaultCMLM(), objective.DefaultBitext()
		c := stepsCase{Objectives: objective.Settings{"cmlm": &cmlm, "bitext": &bitext}, Optimizer: o, Rates: rates}
		if change != nil {
			change(&cmlm, &c)
		}
		for i, objective := range objectives {
			c.Sources = append(c.Sources, source(name, objective, []float64{1, .2}[i], drawOf(objective)))
		}
		cases[name] = c
	}
	add("cmlm lamb", lamb, nil, "cmlm")
	add("cmlm own positions", adamw, func(o *objective.CMLM, _ *stepsCase) { o.PrefixPositions, o.Vectors = "own", 3 }, "cmlm")
	add("cmlm shared position and norm", adamw, func(o *objective.CMLM, _ *stepsCase) { o.PrefixPositions, o.PrefixNorm = "shared", true },
		"cmlm")
	add("cmlm one vector, max", adamw, func(o *objective.CMLM, _ *stepsCase) { o.Vectors, o.Pooling = 1, "max" }, "cmlm")
	add("cmlm detached, cls, no clip", adamw, func(o *objective.CMLM, c *stepsCase) {
		o.DetachVector, o.Pooling, c.Optimizer.Clip = true, "cls", 1e9
	}, "cmlm")
	add("bitext lamb", lamb, func(_ *objective.CMLM, c *stepsCase) { c.Rates = []float64{.03, .03, .02, .02, .01} }, "bitext")
	add("mixture", lamb, nil, "cmlm", "bitext")
	add("cmlm skip", adamw, func(o *objective.CMLM, _ *stepsCase) { o.Skip, o.Vectors, o.PrefixPositions = true, 4, "own" }, "cmlm")
	add("cmlm skip of one vector", adamw, func(o *objective.CMLM, _ *stepsCase) { o.Skip, o.Vectors = true, 1 }, "cmlm")
	add("cmlm one layer of projection", lamb, func(o *objective.CMLM, _ *stepsCase) { o.Widths = nil }, "cmlm")
	add("cmlm four layers of projection", adamw, func(o *objective.CMLM, _ *stepsCase) { o.Widths = []int{1, 2, 3} }, "cmlm")
	adam := adamw
	adam.Name = "adam"
	add("mixture adam", adam, nil, "cmlm", "bitext")
	decayed := func(_ *objective.CMLM, c *stepsCase) { c.LayerDecay = .7 }
	add("layer decay", adamw, decayed, "cmlm", "bitext")
	add("layer decay lamb", lamb, decayed, "cmlm", "bitext")
	add("frozen", adamw, func(_ *objective.CMLM, c *stepsCase) {
		c.Freeze, c.Frozen = []string{"embeddings", "layer 0"}, []string{"embeddings.", "encoder.layer.0."}
	}, "cmlm", "bitext")
	stepsEqualPyTorch(t, cases)
}

var (
	adamw = objective.Optimizer{Name: "adamw", Beta1: .9, Beta2: .999, Epsilon: 1e-8, Decay: .01, Clip: 1}
	rates = []float64{.001, .002, .003, .002, .001}
)

// draws are how many batches steps.py may choose from for each step.
const draws = 60

// source draws batches for each step of a case.
func source(of, objective string, weight float64, draw drawing) stepsSource {
	s := stepsSource{Objective: objective, Weight: weight}
	r := rand.New(rand.NewPCG(xxh3.HashString(of), xxh3.HashString(objective)))
	for range draws * len(rates) {
		s.Batches = append(s.Batches, draw(r))
	}
	return s
}

// stepsEqualPyTorch takes the steps of the cases, and compares them with steps.py.
func stepsEqualPyTorch(t *testing.T, cases map[string]stepsCase) {
	t.Helper()
	onThread()
	oneThread(t)
	root := t.TempDir()
	trainers := map[string]*Trainer{}
	var folders []string
	for name, c := range cases {
		// Softmax does not see a key's bias.
		c.Held = append(c.Held, "attention.self.key.bias")
		cases[name] = c
		folder := filepath.Join(root, name)
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, folder)
		config := TrainerConfig{Objectives: c.Objectives, Optimizer: c.Optimizer,
			Parts: objective.Parts{Freeze: c.Freeze, LayerDecay: c.LayerDecay}, CacheChunk: c.chunk, Recompute: c.recompute, Seed: 3}
		if c.of != (architected{}) {
			config.Folder, config.Vocabulary = tinyOf(t, c.of)
		}
		trainer := newTrainer(t, config)
		if err := trainer.Save(folder); err != nil {
			t.Fatal(err)
		}
		for i, name := range trainedNames(trainer) {
			if slices.ContainsFunc(c.Held, func(h string) bool { return strings.HasSuffix(name, h) }) {
				trainer.optimizer.Rates[i] = 0
			}
		}
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "case.json"), data, 0o666); err != nil {
			t.Fatal(err)
		}
		trainers[name] = trainer
	}
	pytorch(t, "steps.py", folders...)
	for name, trainer := range trainers {
		t.Run(name, func(t *testing.T) {
			var want struct {
				Losses, Norms []float64
				Draw          int
			}
			data, err := os.ReadFile(filepath.Join(root, name, "result.json"))
			if err == nil {
				err = json.Unmarshal(data, &want)
			}
			if err != nil {
				t.Fatal(err)
			}
			losses, norms := takeSteps(t, trainer, cases[name], want.Draw)
			near(t, "loss", losses, want.Losses)
			near(t, "norm", norms, want.Norms)
			if data, err = os.ReadFile(filepath.Join(root, name, "result.bin")); err != nil {
				t.Fatal(err)
			}
			for _, parameter := range slices.Sorted(slices.Values(trainer.network.Weights.Names)) {
				size, err := trainer.network.Weights.Tensors[parameter].Size()
				if err != nil {
					t.Fatal(err)
				}
				n := int64(1)
				for _, d := range size {
					n *= d
				}
				got, want := make([]float32, n), make([]float64, n)
				if err := native.Floats(got, trainer.network.Weights.Tensors[parameter]); err != nil {
					t.Fatal(err)
				}
				used, err := binary.Decode(data, binary.LittleEndian, want)
				if err != nil {
					t.Fatal(err)
				}
				data = data[used:]
				far, most := 0, 0.
				for i := range got {
					d := math.Abs(float64(got[i]) - want[i])
					most = max(most, d)
					if d > 1e-5 {
						far++
					}
				}
				if far > 0 {
					t.Errorf("%s differs by %v after the steps, %d of %d elements by more than 1e-5", parameter, most, far, len(got))
				}
			}
		})
	}
}

// takeSteps takes the steps of a case on a draw of its batches.
func takeSteps(t *testing.T, trainer *Trainer, c stepsCase, draw int) (losses, norms []float64) {
	t.Helper()
	for step, rate := range c.Rates {
		for _, source := range c.Sources {
			whole, sum := source.Batches[draw*len(c.Rates)+step], 0.
			parts := []objective.Batch{whole}
			if c.cut {
				parts = cutUp(whole)
			}
			for _, part := range parts {
				loss, err := trainer.Accumulate(part, source.Weight, sharesOf(part, whole), 0)
				if err != nil {
					t.Fatal(err)
				}
				sum += loss
			}
			losses = append(losses, sum)
		}
		norm, err := trainer.Update(rate)
		if err != nil {
			t.Fatal(err)
		}
		norms = append(norms, norm)
	}
	return losses, norms
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

// trainedNames are the parameters of a trainer's optimizer, in its order.
func trainedNames(t *Trainer) (list []string) {
	for _, n := range t.optimizer.moments.Names {
		if name, ok := strings.CutPrefix(n, firstPrefix); ok {
			list = append(list, name)
		}
	}
	return list
}
