//go:build libtorch && linux

package torch

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/stages/objective"
)

// sided is an objective with a batch of pairs of two lists of sequences. Its name begins with that of the objective.
type sided struct {
	name   string
	config func() objective.Config
	batch  func(r *rand.Rand, a, b objective.Sequences) objective.Batch
}

// everySided returns the objectives. Every one of the program must be there.
func everySided(t testing.TB) []sided {
	t.Helper()
	for _, name := range objective.Names() {
		same := func(o sided) bool { of, _, _ := strings.Cut(o.name, "/"); return of == name }
		if !slices.ContainsFunc(sidedObjectives, same) {
			t.Errorf("no step of %s is measured or repeated: add the line {%q, its configuration, a batch of two lists} to sidedObjectives in objective_bench_test.go",
				name, name)
		}
	}
	return sidedObjectives
}

var sidedObjectives = []sided{
	{"cmlm", func() objective.Config { return cmlmOf() }, func(_ *rand.Rand, a, b objective.Sequences) objective.Batch {
		batch := &objective.CMLMBatch{A: a, B: b}
		batch.Positions, batch.Targets = masksOf(&batch.B)
		return batch
	}},
	{"bitext", func() objective.Config { return plainBitext() }, func(_ *rand.Rand, a, b objective.Sequences) objective.Batch {
		return &objective.BitextBatch{A: a, B: b, Excluded: make([]bool, a.Count*a.Count)}
	}},
	{"nli", func() objective.Config { return nliOf() }, func(r *rand.Rand, a, b objective.Sequences) objective.Batch {
		return &objective.NLIBatch{A: a, B: b, Labels: classesOf(r, a.Count)}
	}},
	{"cosine", func() objective.Config { return cosineOf(objective.CosineRanking) },
		func(r *rand.Rand, a, b objective.Sequences) objective.Batch {
			targets := make([]float32, a.Count)
			for i := range targets {
				targets[i] = float32(r.IntN(26)) / 5
			}
			return &objective.CosineBatch{A: a, B: b, Targets: targets}
		}},
	{"contrastive", func() objective.Config { return contrastiveOf() }, func(_ *rand.Rand, a, b objective.Sequences) objective.Batch {
		return &objective.ContrastiveBatch{A: a, B: b, Excluded: make([]bool, 4*a.Count*a.Count)}
	}},
	{"bsl", func() objective.Config { c := objective.DefaultBSL(); return &c },
		func(_ *rand.Rand, a, b objective.Sequences) objective.Batch {
			return &objective.BSLBatch{A: a, B: b}
		}},
	{"mse", func() objective.Config { return mseOf("auto", onGPU(128, 768)) },
		func(r *rand.Rand, a, _ objective.Sequences) objective.Batch {
			dimension := onGPU(128, 768)
			vectors := make([]float32, a.Count*dimension)
			for i := range vectors {
				vectors[i] = float32(r.NormFloat64())
			}
			return &objective.MSEBatch{Texts: a, Vectors: vectors, Dimension: dimension}
		}},
	{"classify", func() objective.Config { return classifyOf() }, func(r *rand.Rand, a, _ objective.Sequences) objective.Batch {
		return &objective.ClassifyBatch{Texts: a, Labels: classesOf(r, a.Count)}
	}},
	{"quickthought", func() objective.Config { return &objective.QuickThought{Pooled: meanPooled} },
		func(_ *rand.Rand, a, b objective.Sequences) objective.Batch {
			return &objective.QuickThoughtBatch{
				ContrastiveBatch: objective.ContrastiveBatch{A: a, B: b, Excluded: make([]bool, 4*a.Count*a.Count)}}
		}},
	{"mlm", func() objective.Config { return &objective.MLM{} }, func(_ *rand.Rand, a, _ objective.Sequences) objective.Batch {
		b := &objective.MLMBatch{Texts: a}
		b.Positions, b.Targets = masksOf(&b.Texts)
		return b
	}},
	{"nsp", func() objective.Config { return &objective.NSP{} }, func(r *rand.Rand, a, _ objective.Sequences) objective.Batch {
		b := &objective.NSPBatch{Texts: a}
		for _, length := range a.Lengths {
			b.First, b.Random = append(b.First, length/2), append(b.Random, r.Int32N(2))
		}
		b.Positions, b.Targets = masksOf(&b.Texts)
		return b
	}},
	{"lens/classifier", func() objective.Config { return benchLens(objective.LensClassifier) }, benchLensBatch},
	{"lens/ranker", func() objective.Config { return benchLens(objective.LensRanker) }, benchLensBatch},
}

// masksOf masks every seventh token.
func masksOf(q *objective.Sequences) (positions, targets []int32) {
	for i, length := range q.Lengths {
		for k := 1 + i%7; k < int(length)-1; k += 7 {
			at := i*q.Length + k
			positions, targets = append(positions, int32(at)), append(targets, q.IDs[at])
			q.IDs[at] = 4
		}
	}
	return positions, targets
}

func classesOf(r *rand.Rand, n int) []int32 {
	labels := make([]int32, n)
	for i := range labels {
		labels[i] = r.Int32N(3)
	}
	return labels
}

func benchLens(head string) *objective.Lens {
	c := objective.DefaultLens()
	c.Head, c.Dropout = head, 0
	return &c
}

func benchLensBatch(r *rand.Rand, a, b objective.Sequences) objective.Batch {
	return &objective.LensBatch{BitextBatch: objective.BitextBatch{A: a, B: b, Excluded: make([]bool, a.Count*a.Count)},
		Labels: classesOf(r, a.Count)}
}

// A step of an objective on 64 pairs of 12 to 48 tokens, or 512 on a GPU, one after another with a step of
// eager PyTorch from the same weights on the same batch.
func BenchmarkObjectiveStep(b *testing.B) {
	for _, o := range everySided(b) {
		if o.name == "cmlm" || o.name == "bitext" { // which BenchmarkStep has
			continue
		}
		for _, w := range ways() {
			b.Run(o.name+"/"+w.name, func(b *testing.B) {
				onThread()
				w.use(b)
				config, r, n := o.config(), rand.New(rand.NewPCG(1, 7)), onGPU(64, 512)
				a, c := padTo(drawn(r, n, 12, 48, 16000)), padTo(drawn(r, n, 12, 48, 16000))
				batch := o.batch(r, a, c)
				name := batch.Objective()
				trainer, optimizer := trainerFor(b, objective.Settings{name: config}, benchSize)
				folder := b.TempDir()
				err := trainer.Save(folder)
				var data []byte
				if err == nil {
					data, err = json.Marshal(map[string]any{"objective": name, "config": config, "batch": batch, "optimizer": optimizer,
						"rate": benchRate})
				}
				if err == nil {
					err = os.WriteFile(filepath.Join(folder, "case.json"), data, 0o666)
				}
				if err != nil {
					b.Fatal(err)
				}
				python := w.newPeer(b, "objective", folder, "torch")
				batches, losses := []objective.Batch{batch}, make([]float64, 1)
				for range 3 { // the first steps warm up, and say whether both do the same
					demoStep(b, trainer, batches, losses)
					python.Expect(b, "", w.tolerance(), losses...)
				}
				ours, theirs := peertest.Alternate(b, func() { demoStep(b, trainer, batches, losses) }, python, "")
				reportSteps(b, ours, theirs, batch.Tokens())
			})
		}
	}
}
