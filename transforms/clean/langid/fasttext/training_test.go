package fasttext

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
)

func trainingConfig() TrainingConfig {
	return TrainingConfig{Dim: 10, Epochs: 5, Rate: .5, Minn: 2, Maxn: 3, Buckets: 5000, MinCount: 2, Seed: 1}
}

// labelledTexts are n texts of 50 labels that synthetic makes.
func labelledTexts(n int, seed uint64) (list []LabelledText) {
	draw := rand.New(rand.NewPCG(seed, 2))
	for range n {
		label, text, _ := strings.Cut(synthetic(draw, draw.IntN(50)), " ")
		list = append(list, LabelledText{strings.TrimPrefix(label, labelPrefix), text})
	}
	return list
}

// trained returns a model, as its file and as that is read.
func trained(t *testing.T, texts []LabelledText, c TrainingConfig) ([]byte, *Model) {
	t.Helper()
	calls := 0
	m, err := Train(context.Background(), texts, c, func(done, loss float64) {
		if calls++; math.Abs(done-float64(calls)/10) > 1e-9 || !(loss > 0) {
			t.Errorf("call %d: %v done, loss %v", calls, done, loss)
		}
	})
	if err != nil || calls != 10 {
		t.Fatal(err, calls)
	}
	return written(t, m)
}

// written returns the file of a model, and what is read of it.
func written(t *testing.T, m *Trained) ([]byte, *Model) {
	t.Helper()
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		t.Fatal(err)
	}
	read, err := Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), read
}

func accuracy(m *Model, texts []LabelledText) float64 {
	c, right := m.NewClassifier(), 0.
	for _, text := range texts {
		if p := c.Predict(nil, text.Text, 1); len(p) == 1 && p[0].Label == text.Label {
			right++
		}
	}
	return right / float64(len(texts))
}

// A training is a function of texts, configuration and seed, and what it learns holds for other texts.
func TestTrain(t *testing.T) {
	texts, c := labelledTexts(3000, 1), trainingConfig()
	first, m := trained(t, texts, c)
	if second, _ := trained(t, texts, c); !bytes.Equal(first, second) {
		t.Error("the same training gave other bytes")
	}
	if a := accuracy(m, labelledTexts(1000, 3)); a < .9 {
		t.Errorf("accuracy %v on other texts", a)
	}
	c.Seed = 2
	if other, _ := trained(t, texts, c); bytes.Equal(first, other) {
		t.Error("another seed gave the same bytes")
	}
}

// A step goes against the slope of the loss, which differences of the loss tell.
func TestStepIsSlope(t *testing.T) {
	c := trainingConfig()
	m, err := newTrained(labelledTexts(200, 1), c)
	if err != nil {
		t.Fatal(err)
	}
	s := &steps{Classifier: m.model.NewClassifier(), gradient: make([]float32, c.Dim),
		input: m.model.input.(*dense), output: m.model.output.(*dense)}
	draw := rand.New(rand.NewPCG(1, 1))
	for i := range s.output.data {
		s.output.data[i] = float32(draw.NormFloat64())
	}
	s.features("ba co dü xyz")
	const target, rate, far = 7, .5, .01
	loss := func() float64 { // of the softmax, in float64
		sum, scores := 0., make([]float64, len(s.scores))
		for i := range scores {
			for j := range c.Dim {
				mean := 0.
				for _, row := range s.rows {
					mean += float64(s.input.row(row)[j]) / float64(len(s.rows))
				}
				scores[i] += mean * float64(s.output.row(int32(i))[j])
			}
			sum += math.Exp(scores[i])
		}
		return math.Log(sum) - scores[target]
	}
	places := []*float32{&s.output.row(target)[3], &s.output.row(2)[0], &s.input.row(s.rows[0])[1], &s.input.row(s.rows[4])[9]}
	var before []float32
	var slopes []float64
	for _, place := range places {
		value := *place
		before = append(before, value)
		*place = value + far
		slope := loss()
		*place = value - far
		slopes = append(slopes, (slope-loss())/(2*far))
		*place = value
	}
	want := loss()
	if got := s.step(target, rate); math.Abs(got-want) > 1e-3 {
		t.Errorf("the loss is %v, want %v", got, want)
	}
	for i, place := range places {
		count := 1. // a row that a text has twice moves twice as far
		if i >= 2 {
			row := s.rows[[]int{0, 4}[i-2]]
			count = float64(len(slices.DeleteFunc(slices.Clone(s.rows), func(r int32) bool { return r != row })))
			slopes[i] /= count
		}
		if got := float64(before[i]-*place) / rate / count; math.Abs(got-slopes[i]) > .01*math.Abs(slopes[i])+1e-4 {
			t.Errorf("value %d moved by %v of the rate, its slope is %v", i, got, slopes[i])
		}
	}
}

func TestTrainRefuses(t *testing.T) {
	texts := labelledTexts(100, 1)
	for name, test := range map[string]struct {
		texts  []LabelledText
		change func(*TrainingConfig)
		want   string
	}{
		"one label":    {[]LabelledText{{"a", "b"}, {"a", "c"}}, func(*TrainingConfig) {}, "one label"},
		"no label":     {[]LabelledText{{"", "b"}}, func(*TrainingConfig) {}, "label \"\" is empty"},
		"white space":  {[]LabelledText{{"a b", "b"}}, func(*TrainingConfig) {}, "white space"},
		"n-grams":      {texts, func(c *TrainingConfig) { c.Minn, c.Maxn = 4, 3 }, "minn 4 is above maxn 3"},
		"word n-grams": {texts, func(c *TrainingConfig) { c.WordNgrams = -1 }, "word-ngrams is -1, it must be from 0"},
		"rate":         {texts, func(c *TrainingConfig) { c.Rate = math.NaN() }, "rate is NaN"},
		"several":      {texts, func(c *TrainingConfig) { c.Dim, c.Buckets = 0, 0 }, "buckets is 0"},
	} {
		c := trainingConfig()
		test.change(&c)
		if _, err := Train(context.Background(), test.texts, c, nil); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Train(ended, texts, trainingConfig(), nil); err != context.Canceled {
		t.Errorf("%v", err)
	}
}

// peerTrainer trains by the program. By fewer than ten threads it would leave the vectors of the later n-grams 0, and learn slower.
const peerTrainer = `
import sys, fasttext
m = fasttext.train_supervised(input=sys.argv[1], dim=10, epoch=5, lr=.5, minn=2, maxn=3, bucket=5000, minCount=2, loss="softmax",
                              wordNgrams=int(sys.argv[4]), thread=10, seed=int(sys.argv[2]), verbose=0)
m.save_model(sys.argv[3])
`

// The program's models are as good on other texts, and the program reads ours and predicts the same.
func TestTrainBesideFastText(t *testing.T) {
	texts, others, lines := labelledTexts(3000, 1), labelledTexts(2000, 3), []string(nil)
	for _, text := range others {
		lines = append(lines, text.Text)
	}
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	var input strings.Builder
	for _, text := range texts {
		input.WriteString(labelPrefix + text.Label + " " + text.Text + "\n")
	}
	ours, theirs := [3]float64{}, [3]float64{}
	for i := range ours {
		c := trainingConfig()
		c.Seed, c.WordNgrams = uint64(i), i // 0 and 1 are without n-grams of words
		file, m := trained(t, texts, c)
		for name, content := range map[string][]byte{"ours.bin": file, "input": []byte(input.String())} {
			if err := os.WriteFile(path(name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		compare(t, m, 3, lines, runPeer(t, path("ours.bin"), 3, lines))
		peertest.Output(t, nil, peertest.Python(t), "-c", peerTrainer, path("input"), strconv.Itoa(i), path("theirs.bin"),
			strconv.Itoa(max(1, i)))
		peer, err := Open(path("theirs.bin"))
		if err != nil {
			t.Fatal(err)
		}
		compare(t, peer, 3, lines, runPeer(t, path("theirs.bin"), 3, lines))
		ours[i], theirs[i] = accuracy(m, others), accuracy(peer, others)
	}
	t.Logf("accuracy %.4f, the program's %.4f", ours, theirs)
	if slices.Min(ours[:]) < slices.Min(theirs[:])-.01 || slices.Max(ours[:]) > slices.Max(theirs[:])+.01 {
		t.Errorf("accuracy %.4f, the program's %.4f", ours, theirs)
	}
}
