//go:build libtorch

package torch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sentweave/stages/objective"
	"sentweave/stages/torch/losses"
	"sentweave/stages/torch/transformer"
)

var meanPooled = objective.Pooled{Pooling: "mean"}

// drawing draws a batch.
type drawing func(r *rand.Rand) objective.Batch

// form is an objective in one of its forms. Its name begins with that of the objective.
type form struct {
	name   string
	config objective.Config
	batch  drawing
	smooth bool // its gradients are compared with the slopes of Loss, which takes running statistics
	held   []string
}

func (f form) objective() string {
	name, _, _ := strings.Cut(f.name, " ")
	return strings.TrimSuffix(name, ",")
}

// everyForm returns the forms. Every objective of the program must have one.
func everyForm(t *testing.T) []form {
	t.Helper()
	for _, name := range objective.Names() {
		if !slices.ContainsFunc(forms, func(f form) bool { return f.objective() == name }) {
			t.Errorf("no form of %s is tested: add the line {%q, its configuration, a function that draws a batch, true, nil} to forms in forms_test.go",
				name, name)
		}
	}
	return forms
}

// formOf is the first form of an objective.
func formOf(name string) form {
	return forms[slices.IndexFunc(forms, func(f form) bool { return f.objective() == name })]
}

// drawOf draws batches of an objective, those of its first form.
func drawOf(name string) drawing { return formOf(name).batch }

// architectures are those with which a form is tested: all for the first form of each objective, and BERT for the others.
func (f form) architectures() []architected {
	all := architecturesFor(f.objective())
	if f.name != formOf(f.objective()).name {
		return all[:1]
	}
	return all
}

// forms are the forms of the objectives whose steps, gradients and resuming are tested.
var forms = []form{
	{"cmlm", cmlmOf(), drawCMLM, true, nil},
	{"bitext", plainBitext(), drawBitext, true, nil},
	{"mlm", &objective.MLM{}, mlmBatch, true, nil},
	{"mse", mseOf("auto", 16), mseBatchOf(16), true, nil},
	{"mse of another size", mseOf("auto", 9), mseBatchOf(9), true, nil},
	{"mse linear", mseOf("linear", 16), mseBatchOf(16), true, nil},
	// Without gradients, the network takes other statistics. Batch norm does not see what is added to all vectors alike.
	{"mse network", mseOf("network", 20), mseBatchOf(20), false, []string{"encoder.layer.1.output.LayerNorm.bias"}},
	// The whole vector has the teacher's size, so only the prefix has a projection.
	{"mse over prefixes", mseOver(5, 16), mseBatchOf(16), true, nil},
	{"nli", nliOf(), nliBatch, true, nil},
	{"nli u v difference", nliOf("u", "v", "difference"), nliBatch, true, nil},
	{"nli product u", nliOf("product", "u"), nliBatch, true, nil},
	{"cosine cosent", cosineOf(objective.CosineRanking), cosineBatch, true, nil},
	{"cosine regression", cosineOf(objective.CosineRegression), cosineBatch, true, nil},
	{"contrastive", contrastiveOf(), contrastiveBatch, true, nil},
	{"classify", classifyOf(), classifyBatch, true, nil},
	{"nsp", &objective.NSP{}, nspBatch, true, nil},
	// Softmax does not see what is added to all candidates alike.
	{"quickthought", &objective.QuickThought{Pooled: meanPooled}, quickThoughtBatch, true,
		[]string{"quickthought.second.encoder.layer.1.output.LayerNorm.bias"}},
	{"quickthought max", &objective.QuickThought{Pooled: objective.Pooled{Pooling: "max"}}, quickThoughtBatch, true,
		[]string{"quickthought.second.encoder.layer.1.output.LayerNorm.bias"}},
	{"bitext over prefixes", bitextOf(5, 16, 9), drawBitext, true, nil},
	{"bitext with hard negatives", plainBitext(), hardBatch, true, nil},
	{"contrastive over prefixes", contrastiveOver(4, 12), contrastiveBatch, true, nil},
	{"cosine over prefixes", cosineOver(3, 16), cosineBatch, true, nil},
	{"nli over prefixes", nliOver(7, 16), nliBatch, true, nil},
	{"classify over prefixes", classifyOf(2, 8), classifyBatch, true, nil},
	{"lens", lensOf(objective.LensClassifier), lensBatch, true, nil},
	{"lens over prefixes", lensOver(objective.LensClassifier, 6, 24), lensBatch, true, nil},
	{"lens ranker over prefixes", lensOver(objective.LensRanker, 20, 3), lensBatch, false, nil},
	// A step along a whole matrix changes which tokens have the greatest values.
	{"lens gated", gatedOf(1, 3, "g0", 12), lensBatch, false, nil},
	{"lens gated, deeper and wider than texts", gatedOf(2, 9, "h0", 5), lensBatch, false, nil},
	{"lens ranker", lensOf(objective.LensRanker), lensBatch, false, nil},
	// Batch norm does not see what is added to all vectors alike: the last bias of the encoder,
	// or of the predictor before.
	{"bsl", bslOf(func(c *objective.BSL) { c.Momentum = .9 }), bslBatch, false, []string{"encoder.layer.1.output.LayerNorm.bias"}},
	{"bsl release", bslOf(func(c *objective.BSL) { c.Predictor, c.Width, c.Momentum = "release", 2, .5 }), bslBatch, false,
		[]string{"encoder.layer.1.output.LayerNorm.bias", "bsl.predictor.0.2.bias", "bsl.predictor.1.2.bias"}},
	{"bsl without predictor", bslOf(func(c *objective.BSL) { c.Predictor = "none" }), bslBatch, true, nil},
	{"bsl without a target", bslOf(func(c *objective.BSL) { c.StopGradient = false }), bslBatch, false, nil},
	{"bsl over prefixes", bslOf(func(c *objective.BSL) { c.Momentum, c.Dimensions, c.Shares = .8, []int{16, 6}, []float64{1, .5} }),
		bslBatch, false, []string{"encoder.layer.1.output.LayerNorm.bias"}},
	{"bsl without a target over prefixes",
		bslOf(func(c *objective.BSL) { c.StopGradient, c.Predictor, c.Dimensions = false, "none", []int{5, 9} }), bslBatch, true, nil},
	{"bsl, still target", bslOf(func(c *objective.BSL) { c.Momentum, c.Pooling = 1, "cls" }), bslBatch, false,
		[]string{"encoder.layer.1.output.LayerNorm.bias"}},
}

func drawCMLM(r *rand.Rand) objective.Batch { return cmlmBatch(r) }

func drawBitext(r *rand.Rand) objective.Batch { return bitextBatch(r) }

func mseOver(dimensions ...int) *objective.MSE {
	c := mseOf("auto", 16)
	c.Dimensions, c.Shares = dimensions, []float64{.5, 2}
	return c
}

func nliOf(features ...string) *objective.NLI {
	c := objective.DefaultNLI()
	if features != nil {
		c.Features = features
	}
	return &c
}

func nliBatch(r *rand.Rand) objective.Batch {
	return &objective.NLIBatch{A: padTo(sentences(r, 6, 9)), B: padTo(sentences(r, 6, 9)), Labels: []int32{0, 2, 1, 1, 2, 0}}
}

func cosineOf(loss string) *objective.Cosine {
	c := objective.DefaultCosine()
	c.Loss = loss
	return &c
}

func cosineBatch(r *rand.Rand) objective.Batch {
	return &objective.CosineBatch{A: padTo(sentences(r, 6, 9)), B: padTo(sentences(r, 6, 9)), Targets: []float32{0, 5, 2.5, 2.5, 1, 4.75}}
}

func quickThoughtBatch(r *rand.Rand) objective.Batch {
	return &objective.QuickThoughtBatch{ContrastiveBatch: *contrastiveBatch(r).(*objective.ContrastiveBatch)}
}

func classifyOf(dimensions ...int) *objective.Classify {
	c := objective.DefaultClassify()
	c.Classes, c.Dimensions = 5, dimensions
	return &c
}

func classifyBatch(r *rand.Rand) objective.Batch {
	return &objective.ClassifyBatch{Texts: padTo(sentences(r, 6, 9)), Labels: []int32{0, 4, 1, 1, 2, 0}} // none of the class 3
}

func bitextOf(dimensions ...int) *objective.Bitext {
	c := objective.DefaultBitext()
	c.Dimensions, c.Shares = dimensions, []float64{1, .5, 2}
	return &c
}

func plainBitext() *objective.Bitext { c := objective.DefaultBitext(); return &c }

func hardBatch(r *rand.Rand) objective.Batch {
	b := bitextBatch(r)
	b.Negatives = padTo(sentences(r, 4, 10))
	b.ExcludedNegatives = make([]bool, b.A.Count*4)
	b.ExcludedNegatives[5], b.ExcludedNegatives[11] = true, true
	return b
}

func contrastiveOver(dimensions ...int) *objective.Contrastive {
	c := objective.DefaultContrastive()
	c.Dimensions = dimensions
	return &c
}

func cosineOver(dimensions ...int) *objective.Cosine {
	c := objective.DefaultCosine()
	c.Dimensions = dimensions
	return &c
}

func nliOver(dimensions ...int) *objective.NLI {
	c := objective.DefaultNLI()
	c.Dimensions = dimensions
	return &c
}

func nspBatch(r *rand.Rand) objective.Batch {
	m := maskedBatch(r, sentences(r, 6, 14))
	b := &objective.NSPBatch{Texts: m.Texts, Positions: m.Positions, Targets: m.Targets}
	for i, n := range b.Texts.Lengths {
		b.First, b.Random = append(b.First, n/2+1), append(b.Random, int32(i%2))
	}
	return b
}

func lensOf(head string) *objective.Lens {
	c := objective.DefaultLens()
	c.Size, c.Hidden, c.Head, c.Dropout = 24, 10, head, 0
	return &c
}

func lensOver(head string, dimensions ...int) *objective.Lens {
	c := lensOf(head)
	c.Dimensions = dimensions
	return c
}

func gatedOf(layers, width int, skip string, gate int) *objective.Lens {
	c := lensOf(objective.LensClassifier)
	c.Gate, c.Layers, c.Width, c.Skip = gate, layers, width, skip
	return c
}

func lensBatch(r *rand.Rand) objective.Batch {
	return &objective.LensBatch{BitextBatch: *bitextBatch(r), Labels: []int32{0, 2, 1, 1, 2, 0}}
}

func contrastiveOf() *objective.Contrastive { c := objective.DefaultContrastive(); return &c }

func contrastiveBatch(r *rand.Rand) objective.Batch {
	const n = 5
	b := &objective.ContrastiveBatch{A: padTo(sentences(r, n, 9)), B: padTo(sentences(r, n, 9)), Excluded: make([]bool, 4*n*n)}
	for _, p := range [][2]int{{0, 7}, {3, 4}} {
		b.Excluded[p[0]*2*n+p[1]], b.Excluded[p[1]*2*n+p[0]] = true, true
	}
	return b
}

func bslOf(change func(*objective.BSL)) *objective.BSL {
	c := objective.DefaultBSL()
	c.Width = 2
	change(&c)
	return &c
}

func bslBatch(r *rand.Rand) objective.Batch {
	return &objective.BSLBatch{A: padTo(sentences(r, 9, 9)), B: padTo(sentences(r, 9, 12))}
}

// All forms are those of PyTorch with BERT, and the first one of each objective is with the other architectures, too.
func TestFormsStepsEqualPyTorch(t *testing.T) {
	cases := map[string]stepsCase{}
	for _, f := range everyForm(t) {
		c := stepsCase{Objectives: objective.Settings{f.objective(): f.config}, Optimizer: adamw, Rates: rates}
		c.Held, c.Sources = f.held, append(c.Sources, source(f.name, f.objective(), 1, f.batch))
		for _, c.of = range f.architectures() {
			cases[f.name+", "+c.of.architecture] = c
		}
	}
	stepsEqualPyTorch(t, cases)
}

func TestFormsGradientsAreSlopes(t *testing.T) {
	for _, f := range everyForm(t) {
		if !f.smooth { // without gradients, batch norm takes other statistics; a ranker alone has two parameters; a maximum bends
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			gradientsAreSlopes(t, objective.Settings{f.objective(): f.config}, nil, f.batch)
		})
	}
}

// With the target of BSL and its running statistics, which no optimizer changes.
func TestFormsResumeExactly(t *testing.T) {
	for _, f := range everyForm(t) {
		settings := objective.Settings{f.objective(): f.config}
		t.Run(f.name, func(t *testing.T) { resumesExactly(t, settings, f.batch) })
		for _, a := range f.architectures()[1:] {
			t.Run(f.name+", "+a.architecture, func(t *testing.T) { resumption{a, settings, "lamb", 99}.isExact(t, f.batch) })
		}
	}
}

// The target begins as the encoder that is there, whether drawn or read, and moves by
// 1 − momentum of the way after a step, not before it.
func TestTargetFollows(t *testing.T) {
	onThread()
	const name = "encoder.layer.1.output.dense.weight"
	config := TrainerConfig{Objectives: objective.Settings{"bsl": bslOf(func(c *objective.BSL) { c.Momentum = .75 })}, Optimizer: adamw,
		Seed: 3}
	config.Folder, config.Vocabulary = tiny(t)
	first := newTrainerOf(t, config)
	path := t.TempDir()
	if err := first.Save(path); err != nil {
		t.Fatal(err)
	}
	config.Seed, config.From = 4, path
	trainer := newTrainerOf(t, config)
	start := values(t, first.network.Weights.Tensors[name])
	if got := values(t, trainer.network.Weights.Tensors[losses.BSLTarget+name]); !slices.Equal(got, start) {
		t.Fatalf("the target begins with %v, not the weights that were read, %v", got[:3], start[:3])
	}
	batch := bslBatch(rand.New(rand.NewPCG(7, 7)))
	if _, err := trainer.Accumulate(batch, 1, nil, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := trainer.Update(.1); err != nil {
		t.Fatal(err)
	}
	now, target := values(t, trainer.network.Weights.Tensors[name]), values(t, trainer.network.Weights.Tensors[losses.BSLTarget+name])
	if slices.Equal(now, start) {
		t.Fatal("the step did nothing")
	}
	for i := range target {
		if want := .75*start[i] + .25*now[i]; max(want-target[i], target[i]-want) > 1e-6 {
			t.Fatalf("weight %d of the target is %v, want %v", i, target[i], want)
		}
	}
	// What is saved as the encoder and its heads holds no target.
	if err := trainer.Save(path); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"model.safetensors", headsName} {
		if w, err := transformer.Load(fmt.Sprint(path, "/", file),
			[]transformer.Shape{{Name: losses.BSLTarget + name, Size: []int64{16, 32}}}, true); err == nil {
			w.Free()
			t.Errorf("%s holds the target", file)
		}
	}
}

func TestFaultsOfBatches(t *testing.T) {
	onThread()
	r := rand.New(rand.NewPCG(1, 1))
	for _, test := range []struct {
		config objective.Config
		batch  objective.Batch
		want   string
	}{
		{nliOf(), &objective.NLIBatch{A: padTo(sentences(r, 2, 9)), B: padTo(sentences(r, 3, 9)), Labels: []int32{1, 2}},
			"2 and 3 sentences"},
		{nliOf(), &objective.NLIBatch{A: padTo(sentences(r, 2, 9)), B: padTo(sentences(r, 2, 9)), Labels: []int32{1, 3}},
			"the label 3 is not from 0 to 2"},
		{classifyOf(), &objective.ClassifyBatch{Texts: padTo(sentences(r, 2, 9)), Labels: []int32{1, 5}}, "the label 5 is not from 0 to 4"},
		{classifyOf(), &objective.ClassifyBatch{Texts: padTo(sentences(r, 2, 9)), Labels: []int32{1}}, "1 labels for 2 texts"},
		{&objective.NSP{}, &objective.NSPBatch{Texts: padTo([][]int32{{2, 4, 3}}), First: []int32{4}, Random: []int32{0},
			Positions: []int32{1}, Targets: []int32{7}}, "1 first segments"},
		{plainBitext(), &objective.BitextBatch{A: padTo(sentences(r, 2, 9)), B: padTo(sentences(r, 2, 9)), Excluded: make([]bool, 4),
			Negatives: padTo(sentences(r, 1, 9))}, "0 exclusions for 2 sentences and 1 hard negatives"},
		{cosineOf("cosent"), &objective.CosineBatch{A: padTo(sentences(r, 2, 9)), B: padTo(sentences(r, 2, 9)), Targets: []float32{1}},
			"the sides of 1 pairs"},
		{contrastiveOf(), &objective.ContrastiveBatch{A: padTo(sentences(r, 2, 9)), B: padTo(sentences(r, 2, 9))},
			"0 exclusions for 4 views"},
		{bslOf(func(*objective.BSL) {}), &objective.BSLBatch{A: padTo(sentences(r, 1, 9)), B: padTo(sentences(r, 1, 9))},
			"a batch of one text"},
	} {
		name := test.batch.Objective()
		trainer := newTrainer(t, TrainerConfig{Objectives: objective.Settings{name: test.config}, Optimizer: objective.DefaultOptimizer()})
		if _, err := trainer.Accumulate(test.batch, 1, nil, 0); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
