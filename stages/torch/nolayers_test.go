//go:build libtorch

package torch

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"
)

// A model without layers, a bag of embeddings, does all that others do.
func TestNoLayers(t *testing.T) {
	onThread()
	folder, vocabulary := tiny(t)
	folder.Config.Layers = 0
	cmlm, bitext := objective.DefaultCMLM(), objective.DefaultBitext()
	config := TrainerConfig{Folder: folder, Vocabulary: vocabulary, Objectives: objective.Settings{"cmlm": &cmlm, "bitext": &bitext},
		Optimizer: objective.DefaultOptimizer(), Seed: 3}
	trainer := newTrainerOf(t, config)
	before := parameters(t, trainer)
	train(t, trainer, 0, 3)
	if name := "embeddings.word_embeddings.weight"; slices.Equal(before[name], values(t, trainer.network.Weights.Tensors[name])) {
		t.Error("three steps change no embedding")
	}
	path := t.TempDir()
	if err := trainer.Save(path); err != nil {
		t.Fatal(err)
	}
	again := newTrainerOf(t, config)
	if err := again.Load(path); err != nil {
		t.Fatal(err)
	}
	if a, b := train(t, trainer, 3, 6), train(t, again, 3, 6); !slices.Equal(a, b) {
		t.Errorf("losses go on as %v, without the load as %v", b, a)
	}
	opened, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	encoder, err := NewEncoder(opened, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	ids := sentences(rand.New(rand.NewPCG(1, 2)), 20, 9)
	got := encode(t, encoder, ids)
	// By hand: the mean of the normalised sums of three embeddings.
	file := newTrainerOf(t, config)
	if err := file.Load(path); err != nil {
		t.Fatal(err)
	}
	w, h := parameters(t, file), folder.Config.HiddenSize
	for i, sentence := range ids {
		want := bagOf(w, folder.Config, sentence)
		for k := range want {
			if math.Abs(float64(got[i*h+k])-want[k]) > 1e-5 {
				t.Fatalf("sentence %d: %v at %d, by hand %v", i, got[i*h+k], k, want[k])
			}
		}
	}
}

// Without layers, tokens are embedded and pooled together, in blocks that groups of equal lengths do not fill. That gives the bits of
// one operation after another, whatever the pooling.
func TestNoLayersAtOnce(t *testing.T) {
	if tested() != "cpu" {
		t.Skip("skipped: a GPU runs one operation after another")
	}
	folder, _ := tiny(t)
	folder.Config.Layers, folder.Config.HiddenSize = 0, 256
	config := TrainerConfig{Folder: folder, Objectives: objective.Settings{"bitext": plainBitext()}, Optimizer: adamw, Seed: 3}
	_, config.Vocabulary = tiny(t)
	bert := newTrainerOf(t, config).network.BERT
	r := rand.New(rand.NewPCG(1, 2))
	ids := append(sentences(r, 40, 24), drawn(r, 60, 22, 22, tinyWords)...)
	for _, pooling := range []model.Pooling{model.Mean, model.Max, model.CLS, model.LastToken} {
		for _, skipped := range []int64{0, 2, 22} {
			const least = transformer.LeastTokens
			err := transformer.PackedBatches(t.Context(), folder.Config, ids, least, func(_ []int, p transformer.Packed) error {
				var s native.Scope
				defer s.Free()
				got := values(t, bert.PackedPooled(&s, p, 0, pooling, skipped))
				s.Free()
				want := values(t, transformer.Pool(&s, bert.Packed(&s, p, 0, nil), p.Groups, pooling, skipped))
				if !slices.Equal(got, want) {
					t.Errorf("%s without %d tokens: other bits", pooling, skipped)
				}
				return s.Err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// bagOf is the vector of a sentence by hand: the mean of the normalised sums of three embeddings.
// Each layer of the configuration normalizes them twice more.
func bagOf(w map[string][]float32, c model.Config, sentence []int32) []float64 {
	h := c.HiddenSize
	normalized := func(x []float64) []float64 {
		mean, square := 0., 0.
		for _, v := range x {
			mean += v / float64(h)
		}
		for _, v := range x {
			square += (v - mean) * (v - mean) / float64(h)
		}
		y := make([]float64, h)
		for k, v := range x {
			y[k] = (v - mean) / math.Sqrt(square+c.LayerNormEpsilon)
		}
		return y
	}
	vector := make([]float64, h)
	for position, id := range sentence {
		x := make([]float64, h)
		for k := range x {
			x[k] = float64(w["embeddings.word_embeddings.weight"][int(id)*h+k]) +
				float64(w["embeddings.position_embeddings.weight"][position*h+k]) + float64(w["embeddings.token_type_embeddings.weight"][k])
		}
		x = normalized(x)
		for k := range x {
			x[k] = x[k]*float64(w["embeddings.LayerNorm.weight"][k]) + float64(w["embeddings.LayerNorm.bias"][k])
		}
		for range 2 * c.Layers {
			x = normalized(x)
		}
		for k := range x {
			vector[k] += x[k] / float64(len(sentence))
		}
	}
	return vector
}

// An encoder that begins with a bag of embeddings under new layers has the bag's embeddings to the
// bit, gives its token vectors normalized, and learns in its layers from the first step on.
func TestNewLayers(t *testing.T) {
	onThread()
	folder, vocabulary := tiny(t)
	folder.Config.Layers = 0
	cmlm, bitext := objective.DefaultCMLM(), objective.DefaultBitext()
	config := TrainerConfig{Folder: folder, Vocabulary: vocabulary, Objectives: objective.Settings{"cmlm": &cmlm, "bitext": &bitext},
		Optimizer: adamw, Seed: 3}
	config.Optimizer.Decay = 0 // which changes what has no gradient
	bag := newTrainerOf(t, config)
	train(t, bag, 0, 3)
	path := t.TempDir()
	if err := bag.Save(path); err != nil {
		t.Fatal(err)
	}
	layered, _ := tiny(t)
	config.Folder, config.From, config.NewLayers = layered, path, true
	begun := newTrainerOf(t, config)
	of, w := parameters(t, bag), parameters(t, begun)
	zeros := func(list []float32) bool { return !slices.ContainsFunc(list, func(v float32) bool { return v != 0 }) }
	var silent, before []string // the products that add nothing, and the matrices before them
	for _, name := range begun.encoder {
		switch {
		case part(name) == 0:
			if !slices.Equal(w[name], of[name]) {
				t.Errorf("%s is not the bag's", name)
			}
		case strings.HasSuffix(name, "output.dense.weight"):
			silent = append(silent, name)
			if !zeros(w[name]) {
				t.Errorf("%s is not zero", name)
			}
		case strings.HasSuffix(name, "weight") && !strings.Contains(name, "Norm"):
			before = append(before, name)
			if zeros(w[name]) {
				t.Errorf("%s is zero: no step would change it", name)
			}
		}
	}
	if len(silent) != 2*layered.Config.Layers || len(before) != 4*layered.Config.Layers {
		t.Errorf("products %v, before them %v", silent, before)
	}
	again := t.TempDir()
	if err := begun.Save(again); err != nil {
		t.Fatal(err)
	}
	opened, err := model.Open(again)
	if err != nil {
		t.Fatal(err)
	}
	encoder, err := NewEncoder(opened, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	ids := sentences(rand.New(rand.NewPCG(1, 2)), 20, 9)
	got, h := encode(t, encoder, ids), layered.Config.HiddenSize
	for i, sentence := range ids {
		for k, want := range bagOf(of, layered.Config, sentence) {
			if math.Abs(float64(got[i*h+k])-want) > 1e-5 {
				t.Fatalf("sentence %d: %v at %d, by hand %v", i, got[i*h+k], k, want)
			}
		}
	}
	changed := func(names []string) (n int) {
		after := parameters(t, begun)
		for _, name := range names {
			if !slices.Equal(after[name], w[name]) {
				n++
			}
		}
		return n
	}
	train(t, begun, 0, 1)
	if n, others := changed(silent), changed(before); n != len(silent) || others != 0 {
		t.Errorf("the first step changes %d of %d products, and %d matrices before them", n, len(silent), others)
	}
	train(t, begun, 1, 2)
	if n := changed(before); n != len(before) {
		t.Errorf("the second step changes %d of %d matrices before the products", n, len(before))
	}
}
