//go:build libtorch

package torch

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sentweave/stages/objective"
)

// accumulated are the objectives whose losses are means over items that do not depend on the
// other ones of the batch.
var accumulated = []accumulatedForm{
	{"cmlm", cmlmOf(), drawCMLM},
	{"mlm", &objective.MLM{}, mlmBatch},
	{"nsp", &objective.NSP{}, nspBatch},
	{"mse", mseOf("linear", 9), mseBatchOf(9)},
	{"nli", nliOf(), nliBatch},
	{"nli over prefixes", nliOver(7, 16), nliBatch},
	{"cosine", cosineOf(objective.CosineRegression), cosineBatch},
	{"classify", classifyOf(), classifyBatch},
	{"lens", lensOf(objective.LensClassifier), lensBatch},
}

type accumulatedForm struct {
	name   string
	config objective.Config
	draw   drawing
}

func cmlmOf() *objective.CMLM { c := objective.DefaultCMLM(); return &c }

// rowsOf returns rows of sequences, padded by themselves.
func rowsOf(q objective.Sequences, from, to int) objective.Sequences {
	var list [][]int32
	for i := from; i < to; i++ {
		list = append(list, q.IDs[i*q.Length:][:q.Lengths[i]])
	}
	return padTo(list)
}

// partMasks returns the masks of such rows.
func partMasks(q, part objective.Sequences, from int, positions, targets []int32) (at, ids []int32) {
	for i, p := range positions {
		if row := int(p)/q.Length - from; row >= 0 && row < part.Count {
			at, ids = append(at, int32(row*part.Length+int(p)%q.Length)), append(ids, targets[i])
		}
	}
	return at, ids
}

// partOf returns the examples of a batch from one to before another as a batch of their own.
func partOf(batch objective.Batch, from, to int) objective.Batch {
	switch b := batch.(type) {
	case *objective.CMLMBatch:
		p := &objective.CMLMBatch{A: rowsOf(b.A, from, to), B: rowsOf(b.B, from, to), Others: make([]int32, to-from)}
		p.Positions, p.Targets = partMasks(b.B, p.B, from, b.Positions, b.Targets)
		return p
	case *objective.MLMBatch:
		p := &objective.MLMBatch{Texts: rowsOf(b.Texts, from, to)}
		p.Positions, p.Targets = partMasks(b.Texts, p.Texts, from, b.Positions, b.Targets)
		return p
	case *objective.NSPBatch:
		p := &objective.NSPBatch{Texts: rowsOf(b.Texts, from, to), First: b.First[from:to], Random: b.Random[from:to]}
		p.Positions, p.Targets = partMasks(b.Texts, p.Texts, from, b.Positions, b.Targets)
		return p
	case *objective.MSEBatch:
		return &objective.MSEBatch{Texts: rowsOf(b.Texts, from, to), Vectors: b.Vectors[from*b.Dimension : to*b.Dimension],
			Dimension: b.Dimension}
	case *objective.NLIBatch:
		return &objective.NLIBatch{A: rowsOf(b.A, from, to), B: rowsOf(b.B, from, to), Labels: b.Labels[from:to]}
	case *objective.CosineBatch:
		return &objective.CosineBatch{A: rowsOf(b.A, from, to), B: rowsOf(b.B, from, to), Targets: b.Targets[from:to]}
	case *objective.ClassifyBatch:
		return &objective.ClassifyBatch{Texts: rowsOf(b.Texts, from, to), Labels: b.Labels[from:to]}
	case *objective.LensBatch:
		return &objective.LensBatch{BitextBatch: objective.BitextBatch{A: rowsOf(b.A, from, to), B: rowsOf(b.B, from, to)},
			Labels: b.Labels[from:to]}
	}
	return nil
}

// cutUp returns a batch as parts of one, two and more examples.
func cutUp(b objective.Batch) (parts []objective.Batch) {
	count := slices.Max(b.Items())
	switch b := b.(type) {
	case *objective.CMLMBatch:
		count = b.A.Count
	case *objective.MLMBatch:
		count = b.Texts.Count
	case *objective.NSPBatch:
		count = b.Texts.Count
	}
	for _, span := range [][2]int{{0, 1}, {1, 3}, {3, count}} {
		parts = append(parts, partOf(b, span[0], span[1]))
	}
	return parts
}

// sharesOf are the shares of parts of a batch in it.
func sharesOf(part, whole objective.Batch) (shares []float64) {
	for i, n := range part.Items() {
		shares = append(shares, float64(n)/float64(whole.Items()[i]))
	}
	return shares
}

// Parts of a batch, each with its share of the items, are that batch: its loss with and without
// gradients, its gradients' norm, and what PyTorch makes of the whole batch.
func TestAccumulatedBatchesAreOneBatch(t *testing.T) {
	cases := map[string]stepsCase{}
	for _, o := range objective.List() {
		alone := func(name string) bool { p, _, _ := strings.Cut(name, " "); return p == o.Name }
		if !o.Negatives && o.Least == 0 && !slices.ContainsFunc(accumulated, func(p accumulatedForm) bool { return alone(p.name) }) {
			t.Errorf("%s has no negatives, and is not tested: add the line {%q, its configuration, a function that draws a batch} to accumulated in accumulate_test.go",
				o.Name, o.Name)
		}
	}
	for _, p := range accumulated {
		t.Run(p.name, func(t *testing.T) {
			onThread()
			oneThread(t)
			whole := p.draw(rand.New(rand.NewPCG(8, 1)))
			var losses, held, norms [2]float64
			for i, parts := range [][]objective.Batch{{whole}, cutUp(whole)} {
				trainer := newTrainer(t, TrainerConfig{Objectives: objective.Settings{whole.Objective(): p.config}, Optimizer: adamw,
					Seed: 3})
				for _, part := range parts {
					shares := sharesOf(part, whole)
					loss, err := trainer.Loss(part, shares)
					if err != nil {
						t.Fatal(err)
					}
					held[i] += loss
					if loss, err = trainer.Accumulate(part, .7, shares, 0); err != nil {
						t.Fatal(err)
					}
					losses[i] += loss
				}
				var err error
				if norms[i], err = trainer.Update(.001); err != nil {
					t.Fatal(err)
				}
			}
			for what, pair := range map[string][2]float64{"loss": losses, "held-out loss": held, "norm": norms} {
				if math.Abs(pair[0]-pair[1]) > 1e-6*max(1, pair[0]) {
					t.Errorf("%s is %v as one batch and %v in parts", what, pair[0], pair[1])
				}
			}
			trainer := newTrainer(t, TrainerConfig{Objectives: objective.Settings{whole.Objective(): p.config}, Optimizer: adamw, Seed: 3})
			if _, err := trainer.Accumulate(whole, 1, make([]float64, 3), 0); err == nil {
				t.Error("three shares of a loss of one or two parts")
			}
		})
		name := p.draw(rand.New(rand.NewPCG(1, 1))).Objective()
		cases[p.name+" in parts"] = stepsCase{
			Objectives: objective.Settings{name: p.config}, Optimizer: adamw, Rates: rates, cut: true,
			Sources: []stepsSource{source(p.name, name, 1, p.draw)},
		}
	}
	stepsEqualPyTorch(t, cases)
}
