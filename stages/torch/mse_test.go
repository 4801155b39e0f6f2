//go:build libtorch

package torch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"sentweave/stages/objective"
	"sentweave/stages/torch/losses"
)

// mseOf is a prepared configuration; the vectors of tiny have 16 numbers.
func mseOf(projection string, dimension int) *objective.MSE {
	c := objective.DefaultMSE()
	c.Teacher, c.Projection, c.Dimension = "t", projection, dimension
	return &c
}

// mseBatchOf draws batches with vectors of a size.
func mseBatchOf(dimension int) func(r *rand.Rand) objective.Batch {
	return func(r *rand.Rand) objective.Batch {
		texts := sentences(r, 7, 12)
		b := &objective.MSEBatch{Texts: padTo(texts), Dimension: dimension}
		for range len(texts) * dimension {
			b.Vectors = append(b.Vectors, float32(r.NormFloat64()))
		}
		return b
	}
}

// With the running statistics, which no optimizer holds, of each prefix.
func TestMSEResumesExactly(t *testing.T) {
	config := mseOf("network", 20)
	config.Dimensions = []int{16, 5}
	resumesExactly(t, objective.Settings{"mse": config}, mseBatchOf(20))
}

// Without gradients, batch norm takes the running statistics and leaves them: after
// one step they are a tenth of the batch's beside the first ones, mean 0, variance 1.
func TestMSERunningStatistics(t *testing.T) {
	onThread()
	trainer := newTrainer(t, TrainerConfig{Objectives: objective.Settings{"mse": mseOf("network", 3)},
		Optimizer: objective.DefaultOptimizer(), Seed: 2})
	statistics := func() (mean, variance []float32) {
		return values(t, trainer.network.Weights.Tensors[losses.MSENorm+".running_mean"]),
			values(t, trainer.network.Weights.Tensors[losses.MSENorm+".running_var"])
	}
	batch := mseBatchOf(3)(rand.New(rand.NewPCG(2, 2))).(*objective.MSEBatch)
	first, err := trainer.Loss(batch, nil)
	if err != nil {
		t.Fatal(err)
	}
	if mean, variance := statistics(); fmt.Sprint(mean, variance) != "[0 0 0] [1 1 1]" {
		t.Errorf("at the start %v and %v", mean, variance)
	}
	if _, err := trainer.Accumulate(batch, 1, nil, 0); err != nil {
		t.Fatal(err)
	}
	// The projected vectors by hand, from those that Encode gives.
	vectors := encoded(t, trainer, batch)
	matrix := values(t, trainer.network.Weights.Tensors[losses.MSEProjection+".0.weight"])
	mean, variance := statistics()
	for k := range 3 {
		var sum, square float64
		for i := range batch.Texts.Count {
			x := 0.
			for j := range 16 {
				x += float64(vectors[i*16+j]) * float64(matrix[k*16+j])
			}
			sum, square = sum+x, square+x*x
		}
		n := float64(batch.Texts.Count)
		wantMean, wantVariance := .1*sum/n, .9+.1*(square-sum*sum/n)/(n-1)
		if math.Abs(float64(mean[k])-wantMean) > 1e-5 || math.Abs(float64(variance[k])-wantVariance) > 1e-5 {
			t.Errorf("column %d: mean %v, want %v; variance %v, want %v", k, mean[k], wantMean, variance[k], wantVariance)
		}
	}
	second, err := trainer.Loss(batch, nil)
	if again, _ := statistics(); err != nil || second == first || fmt.Sprint(again) != fmt.Sprint(mean) {
		t.Errorf("losses %v and %v, means %v and %v, %v", first, second, mean, again, err)
	}
}

// encoded are the vectors of a batch's texts by the encoder that the trainer saves.
func encoded(t *testing.T, trainer *Trainer, batch *objective.MSEBatch) []float32 {
	t.Helper()
	e := savedEncoder(t, trainer)
	var texts [][]int32
	for i, n := range batch.Texts.Lengths {
		texts = append(texts, batch.Texts.IDs[i*batch.Texts.Length:][:n])
	}
	return encode(t, e, texts)
}

// What is drawn to the teacher is what is encoded later: a folder that normalizes its
// vectors is trained so.
func TestMSEOfWhatIsEncoded(t *testing.T) {
	onThread()
	for _, normalize := range []bool{false, true} {
		config := TrainerConfig{Objectives: objective.Settings{"mse": mseOf("auto", 16)}, Optimizer: objective.DefaultOptimizer(), Seed: 2}
		config.Folder, config.Vocabulary = tiny(t)
		config.Folder.Normalize = normalize
		trainer := newTrainerOf(t, config)
		batch := mseBatchOf(16)(rand.New(rand.NewPCG(3, 2))).(*objective.MSEBatch)
		want := 0.
		for i, x := range encoded(t, trainer, batch) {
			want += math.Pow(float64(x-batch.Vectors[i]), 2) / float64(len(batch.Vectors))
		}
		if got, err := trainer.Loss(batch, nil); err != nil || math.Abs(got-want) > 1e-5*want {
			t.Errorf("normalize %t: loss %v, want %v, %v", normalize, got, want, err)
		}
	}
}

func TestMSEFaults(t *testing.T) {
	onThread()
	settings := objective.Settings{"mse": mseOf("network", 5)}
	trainer := newTrainer(t, TrainerConfig{Objectives: settings, Optimizer: objective.DefaultOptimizer()})
	for want, spoil := range map[string]func(*objective.MSEBatch){
		"7 sentences with 34 numbers": func(b *objective.MSEBatch) { b.Vectors = b.Vectors[1:] },
		"vectors of 4, the teacher's": func(b *objective.MSEBatch) { b.Dimension = 4 },
		"has 0 tokens in sequence 2":  func(b *objective.MSEBatch) { b.Texts.Lengths[2] = 0 },
		"a batch of one sentence":     func(b *objective.MSEBatch) { b.Texts, b.Vectors = padTo([][]int32{{2, 7, 3}}), b.Vectors[:5] },
	} {
		batch := mseBatchOf(5)(rand.New(rand.NewPCG(1, 1))).(*objective.MSEBatch)
		spoil(batch)
		if _, err := trainer.Accumulate(batch, 1, nil, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	folder, vocabulary := tiny(t)
	_, err := NewTrainer(TrainerConfig{Folder: folder, Vocabulary: vocabulary, Objectives: objective.Settings{"mse": mseOf("auto", 0)},
		Optimizer: objective.DefaultOptimizer()})
	if err == nil || !strings.Contains(err.Error(), "not prepared") {
		t.Error(err)
	}
}
