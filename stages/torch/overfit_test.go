//go:build libtorch

package torch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"sentweave/stages/model"
	"sentweave/stages/objective"
)

// Two hundred steps on the same 64 pairs of random sequences teach the model which
// belong together: what a folder of it encodes finds them in both directions.
func TestOverfitsPairs(t *testing.T) {
	for _, precision := range []string{Float32, bFloat16} {
		t.Run(precision, func(t *testing.T) {
			use(t, tested(), precision)
			overfit(t)
		})
	}
}

func overfit(t *testing.T) {
	onThread()
	oneThread(t)
	const pairs = 64
	r := rand.New(rand.NewPCG(11, 4))
	a, b := long(r, pairs), long(r, pairs)
	batch := &objective.BitextBatch{A: padTo(a), B: padTo(b), Excluded: make([]bool, pairs*pairs)}
	bitext := objective.DefaultBitext()
	folder, vocabulary := tiny(t)
	folder.Config.HiddenSize, folder.Config.IntermediateSize, folder.Normalize = 32, 64, true
	trainer := newTrainerOf(t, TrainerConfig{Folder: folder, Vocabulary: vocabulary, Objectives: objective.Settings{"bitext": &bitext},
		Seed:      1,
		Optimizer: objective.Optimizer{Name: "adamw", Beta1: .9, Beta2: .999, Epsilon: 1e-8, Decay: .01, Clip: 1}})
	untrained := retrieved(t, trainer, a, b)
	for step := range 200 {
		if _, err := trainer.Accumulate(batch, 1, nil, uint64(step)); err != nil {
			t.Fatal(err)
		}
		if _, err := trainer.Update(5e-3 * min(1, float64(200-step)/100)); err != nil {
			t.Fatal(err)
		}
	}
	trained := retrieved(t, trainer, a, b)
	t.Logf("%d of %d found before, %d after", untrained, 2*pairs, trained)
	if float64(untrained) > .2*2*pairs {
		t.Errorf("%d of %d found before training: there is nothing to learn", untrained, 2*pairs)
	}
	if float64(trained) <= .99*2*pairs {
		t.Errorf("only %d of %d found after training", trained, 2*pairs)
	}
}

// learned is a case of TestOverfits64Examples.
type learned struct {
	name           string
	config         objective.Config
	batch          func(r *rand.Rand, a, b [][]int32) objective.Batch
	chance, learnt float64
}

// sixtyFour are the objectives, each with 64 examples that differ, and the loss that a model which has
// learned nothing of them has about, or more, and the one that a model has at most which knows them: a
// cross-entropy of .1 is a probability of .9 for what is right.
var sixtyFour = []learned{
	{"cmlm", func() objective.Config { c := objective.DefaultCMLM(); return &c }(), func(r *rand.Rand, a, b [][]int32) objective.Batch {
		m := maskedBatch(r, b)
		return &objective.CMLMBatch{A: padTo(a), B: m.Texts, Positions: m.Positions, Targets: m.Targets}
	}, .8 * math.Log(tinyWords), .1},
	{"mlm", &objective.MLM{}, func(r *rand.Rand, a, _ [][]int32) objective.Batch { return maskedBatch(r, a) }, .8 * math.Log(tinyWords),
		.1},
	{"nsp", &objective.NSP{}, func(r *rand.Rand, a, _ [][]int32) objective.Batch {
		m := maskedBatch(r, a)
		b := &objective.NSPBatch{Texts: m.Texts, Positions: m.Positions, Targets: m.Targets}
		for _, n := range b.Texts.Lengths {
			b.First, b.Random = append(b.First, n/2+1), append(b.Random, r.Int32N(2))
		}
		return b
	}, .8 * (math.Log(tinyWords) + math.Ln2), .2},
	{"bitext", plainBitext(), func(_ *rand.Rand, a, b [][]int32) objective.Batch {
		return &objective.BitextBatch{A: padTo(a), B: padTo(b), Excluded: make([]bool, 64*64)}
	}, math.Log(64), .1},
	{"contrastive", contrastiveOf(), func(_ *rand.Rand, a, b [][]int32) objective.Batch {
		return &objective.ContrastiveBatch{A: padTo(a), B: padTo(b), Excluded: make([]bool, 128*128)}
	}, .8 * math.Log(127), .1},
	{"quickthought", &objective.QuickThought{Pooled: meanPooled}, func(_ *rand.Rand, a, b [][]int32) objective.Batch {
		return &objective.QuickThoughtBatch{
			ContrastiveBatch: objective.ContrastiveBatch{A: padTo(a), B: padTo(b), Excluded: make([]bool, 128*128)}}
	}, .8 * math.Log(127), .1},
	{"nli", nliOf(), func(r *rand.Rand, a, b [][]int32) objective.Batch {
		return &objective.NLIBatch{A: padTo(a), B: padTo(b), Labels: labelsBelow(r, 3)}
	}, .8 * math.Log(3), .1},
	{"classify", classifyOf(), func(r *rand.Rand, a, _ [][]int32) objective.Batch {
		return &objective.ClassifyBatch{Texts: padTo(a), Labels: labelsBelow(r, 5)}
	}, .8 * math.Log(5), .1},
	// Gold values that are spread evenly from 0 to 1 have a variance of a twelfth.
	{"cosine", cosineOf(objective.CosineRegression), func(r *rand.Rand, a, b [][]int32) objective.Batch {
		return goldOf(a, b, func() float32 { return 5 * r.Float32() })
	}, 1. / 12, .1 / 12},
	// About 1,365 of 2,016 pairs have another order. Of many values the loss of a right order is far above 0.
	{"cosine", cosineOf(objective.CosineRanking), func(r *rand.Rand, a, b [][]int32) objective.Batch {
		return goldOf(a, b, func() float32 { return 2.5 * float32(r.IntN(3)) })
	}, .8 * math.Log(1+1365), .1},
	// The variance of what is drawn is 1.
	{"mse", mseOf("auto", 16), func(r *rand.Rand, a, _ [][]int32) objective.Batch {
		b := &objective.MSEBatch{Texts: padTo(a), Dimension: 16}
		for range 64 * 16 {
			b.Vectors = append(b.Vectors, float32(r.NormFloat64()))
		}
		return b
	}, .8, .05},
	// The negative cosine is −1 at the least.
	{"bsl", bslOf(func(c *objective.BSL) { c.Momentum = .9 }), func(_ *rand.Rand, a, b [][]int32) objective.Batch {
		return &objective.BSLBatch{A: padTo(a), B: padTo(b)}
	}, -.6, -.95},
	{"lens", lensOf(objective.LensClassifier), lensOf64, .8 * math.Log(3), .1},
	// Where all cosines are equal, each text of both sides is off by the margin, .2.
	{"lens", func() objective.Config { c := lensOf(objective.LensRanker); c.Size = 256; return c }(), lensOf64, 2 * 64 * .2, .1},
}

func labelsBelow(r *rand.Rand, n int32) []int32 {
	labels := make([]int32, 64)
	for i := range labels {
		labels[i] = r.Int32N(n)
	}
	return labels
}

func goldOf(a, b [][]int32, gold func() float32) objective.Batch {
	batch := &objective.CosineBatch{A: padTo(a), B: padTo(b)}
	for range a {
		batch.Targets = append(batch.Targets, gold())
	}
	return batch
}

func lensOf64(r *rand.Rand, a, b [][]int32) objective.Batch {
	return &objective.LensBatch{BitextBatch: objective.BitextBatch{A: padTo(a), B: padTo(b), Excluded: make([]bool, 64*64)},
		Labels: labelsBelow(r, 3)}
}

// Every objective learns 64 examples by heart, of which an untrained model knows nothing.
func TestOverfits64Examples(t *testing.T) {
	onThread()
	oneThread(t)
	for _, name := range objective.Names() {
		if !slices.ContainsFunc(sixtyFour, func(o learned) bool { return o.name == name }) {
			t.Errorf("%s is not learned by heart: add a line of it to sixtyFour in overfit_test.go", name)
		}
	}
	for i, o := range sixtyFour {
		t.Run(fmt.Sprint(i, " ", o.name), func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, uint64(i)))
			batch := o.batch(r, long(r, 64), long(r, 64))
			folder, vocabulary := tiny(t)
			folder.Config.HiddenSize, folder.Config.IntermediateSize = 32, 64
			trainer := newTrainerOf(t, TrainerConfig{Folder: folder, Vocabulary: vocabulary,
				Objectives: objective.Settings{o.name: o.config}, Seed: 1,
				Optimizer: objective.Optimizer{Name: "adamw", Beta1: .9, Beta2: .999, Epsilon: 1e-8, Clip: 1}})
			rate := 5e-3
			if o.name == "cmlm" {
				rate = 2e-3 // at the other one it is luck whether it learns
			}
			first, last := 0., 0.
			taken := 0
			for step := range 600 {
				loss, err := trainer.Accumulate(batch, 1, nil, uint64(step))
				if err != nil {
					t.Fatal(err)
				}
				if last = loss; step == 0 {
					first = loss
				}
				if taken = step; last <= o.learnt {
					break
				}
				if _, err := trainer.Update(rate); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("from %.3f to %.3f in %d steps", first, last, taken)
			if first < o.chance || last > o.learnt {
				t.Errorf("the loss goes from %.4f to %.4f, want at least %.4f and then at most %.4f", first, last, o.chance, o.learnt)
			}
		})
	}
}

// long are sequences of so many tokens that no two are the same.
func long(r *rand.Rand, n int) (list [][]int32) {
	for len(list) < n {
		list = append(list, slices.DeleteFunc(sentences(r, 1, 14), func(ids []int32) bool { return len(ids) < 7 })...)
	}
	return list
}

// savedEncoder returns the encoder that a trainer saves.
func savedEncoder(t testing.TB, trainer *Trainer) *Encoder {
	t.Helper()
	path := t.TempDir()
	if err := trainer.Save(path); err != nil {
		t.Fatal(err)
	}
	folder, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewEncoder(folder, -1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// retrieved saves the model, encodes with the folder, and counts the sentences of
// both sides whose nearest on the other side is their own.
func retrieved(t *testing.T, trainer *Trainer, a, b [][]int32) (found int) {
	t.Helper()
	e := savedEncoder(t, trainer)
	x, y := encode(t, e, a), encode(t, e, b)
	score := func(x, y []float32, i, j int) (sum float32) {
		for k := range e.Dimension() {
			sum += x[i*e.Dimension()+k] * y[j*e.Dimension()+k]
		}
		return sum
	}
	for _, sides := range [][2][]float32{{x, y}, {y, x}} {
		for i := range a {
			best := 0
			for j := range a {
				if score(sides[0], sides[1], i, j) > score(sides[0], sides[1], i, best) {
					best = j
				}
			}
			if best == i {
				found++
			}
		}
	}
	return found
}
