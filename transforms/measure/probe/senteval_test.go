package probe

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/realdata"
	"sentweave/transforms/random"
)

// bagOfWords has a vector of a dimension for each line of a file, the mean of those of its
// words, which are drawn by the word.
func bagOfWords(t *testing.T, name string, dimension int) (vectors [][]float32) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(realdata.Folder(t, "senteval"), "senteval", "raw", name))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string][]float32{}
	for line := range bytes.Lines(data) {
		v := make([]float32, dimension)
		words := strings.Fields(string(line))
		for _, w := range words {
			if known[w] == nil {
				draw := random.New(1, 1, "word", w, 0)
				for range dimension {
					known[w] = append(known[w], float32(normal(&draw)))
				}
			}
			for k, x := range known[w] {
				v[k] += x / float32(len(words))
			}
		}
		vectors = append(vectors, v)
	}
	return vectors
}

// On a bag of words of customer reviews the mean accuracy over five seeds is that of SentEval's
// classifier in PyTorch, within two standard deviations.
func TestBesideSentEval(t *testing.T) {
	python := os.Getenv("SENTWEAVE_PYTORCH")
	if python == "" {
		t.Skip("skipped: SENTWEAVE_PYTORCH, a Python with PyTorch, is not set")
	}
	good, bad := bagOfWords(t, "custrev.pos", 128), bagOfWords(t, "custrev.neg", 128)
	parts := make([]Rows, 3)
	for class, vectors := range [][][]float32{bad, good} {
		for i, v := range vectors {
			p := &parts[[]int{0, 0, 0, 1, 2}[i%5]]
			p.Vectors, p.Classes = append(p.Vectors, v), append(p.Classes, class)
		}
	}
	const seeds = 5
	var told []map[string]any
	for _, p := range parts {
		told = append(told, map[string]any{"x": p.Vectors, "y": p.Classes})
	}
	c := Literature()
	var theirs, ours []float64
	restateBy(t, python, []string{"testdata/senteval.py"}, map[string]any{"parts": told, "classes": 2, "penalties": c.Penalties, "seeds": seeds,
		"batch": c.Batch, "epoch_size": c.EpochSize, "max_epoch": c.MaxEpoch, "tenacity": c.Tenacity}, &theirs)
	for seed := range uint64(seeds) {
		r, err := c.Split(t.Context(), seed, parts[0], parts[1], parts[2], 2)
		if err != nil {
			t.Fatal(err)
		}
		ours = append(ours, r.Test)
	}
	deviation := func(list []float64) float64 {
		sum := 0.0
		for _, x := range list {
			sum += (x - mean(list)) * (x - mean(list))
		}
		return math.Sqrt(sum / float64(len(list)-1))
	}
	t.Logf("ours %.4v, PyTorch's %.4v", ours, theirs)
	two := 2 * math.Hypot(deviation(ours), deviation(theirs))
	if difference := math.Abs(mean(ours) - mean(theirs)); len(theirs) != seeds || difference > two || two > .03 || mean(theirs) < .66 {
		t.Errorf("means %v and %v differ by %v, two deviations are %v", mean(ours), mean(theirs), difference, two)
	}
}
