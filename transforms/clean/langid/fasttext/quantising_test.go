package fasttext

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
)

func quiet(float64, float64) {}

// quantisedModel trains and quantises a model and returns its file and what is read of it.
func quantisedModel(t *testing.T, texts []LabelledText, c TrainingConfig, features int) ([]byte, *Model) {
	t.Helper()
	m, err := Train(t.Context(), texts, c, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Quantise(t.Context(), texts, features, quiet); err != nil {
		t.Fatal(err)
	}
	return written(t, m)
}

// Quantising is a function of texts, configuration and features, and the small model tells nearly as much.
func TestQuantise(t *testing.T) {
	const features = 600
	texts, others, c := labelledTexts(3000, 1), labelledTexts(1000, 3), trainingConfig()
	dense, m := trained(t, texts, c)
	file, small := quantisedModel(t, texts, c, features)
	if again, _ := quantisedModel(t, texts, c, features); !bytes.Equal(file, again) {
		t.Error("the same model was quantised to other bytes")
	}
	if small.input.rows() != features || small.words.pruned.size()+int64(small.words.nwords) != features {
		t.Errorf("%d rows, %d words, %d n-grams", small.input.rows(), small.words.nwords, small.words.pruned.size())
	}
	if small.words.find(endOfLine, hash(endOfLine)) < 0 {
		t.Error("the mark of the end of a line was pruned")
	}
	if a, b := accuracy(m, others), accuracy(small, others); b < a-.02 || 8*len(file) > len(dense) {
		t.Errorf("accuracy %v in %d bytes, was %v in %d", b, len(file), a, len(dense))
	}
}

// The rows that stay are those with the greatest norms, under the buckets that they had.
func TestPrune(t *testing.T) {
	const features = 300
	m, err := Train(t.Context(), labelledTexts(1000, 1), trainingConfig(), quiet)
	if err != nil {
		t.Fatal(err)
	}
	before, input := m.model.words, m.model.input.(*dense)
	m.prune(features)
	after, small := m.model.words, m.model.input.(*dense)
	least, most, kept := math.Inf(1), 0., 0
	for row := range int32(input.m) {
		place := int32(-1)
		if word := ""; row < before.nwords {
			word = before.word(row)
			place = after.find(word, hash(word))
			if word == endOfLine {
				kept++
				continue
			}
		} else {
			place = after.row(uint32(row - before.nwords))
		}
		norm := 0.
		for i, v := range input.row(row) {
			norm += float64(v) * float64(v)
			if place >= 0 && small.row(place)[i] != v {
				t.Fatalf("row %d is another one, at %d", row, place)
			}
		}
		if place >= 0 {
			kept, least = kept+1, min(least, norm)
		} else {
			most = max(most, norm)
		}
	}
	if kept != features || least < most*(1-1e-6) {
		t.Errorf("%d kept, the least norm %v, the greatest of those that went %v", kept, least, most)
	}
}

// 256 different vectors in any number are found exactly; of a line of points the error is that of as many equal parts.
func TestEncode(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	var line []float32
	for range 20_000 {
		line = append(line, draw.Float32())
	}
	codes, q, err := encode(t.Context(), line, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	squares := 0.
	for i, v := range line {
		difference := float64(v - q.centroid(0, codes[i])[0])
		squares += difference * difference
	}
	const parts = 1. / 12 / centroids / centroids // the mean square in a part of the line of width 1/256
	if mean := squares / float64(len(line)); mean < parts*.8 || mean > parts*1.6 {
		t.Errorf("mean square %v, that of equal parts is %v", mean, parts)
	}
	few := []float32{.5, -.25, 3} // all rows the same, of an odd width
	var rows []float32
	for range 300 {
		rows = append(rows, few...)
	}
	codes, q, err = encode(t.Context(), rows, 3, 1)
	if err != nil || q.subvectors != 2 || q.lastWidth != 1 {
		t.Fatal(err, q.subvectors, q.lastWidth)
	}
	for part, want := range [][]float32{few[:2], few[2:]} {
		for i, v := range q.centroid(part, codes[part]) {
			if math.Abs(float64(v-want[i])) > 1e-5 {
				t.Errorf("part %d: %v, want %v", part, q.centroid(part, codes[part]), want)
			}
		}
	}
}

// A model with fewer labels has the odds that they had among all, in its file, too.
func TestKeep(t *testing.T) {
	texts := labelledTexts(3000, 1)
	m, err := Train(t.Context(), texts, trainingConfig(), quiet)
	if err != nil {
		t.Fatal(err)
	}
	all := m.Model().Labels()
	before := m.Model().NewClassifier()
	var want [][]Prediction
	for _, text := range texts[:200] {
		want = append(want, before.Predict(nil, text.Text, len(all)))
	}
	if err := m.Keep([]string{all[7], all[3], all[40]}); err != nil {
		t.Fatal(err)
	}
	_, small := written(t, m)
	after := small.NewClassifier()
	for i, text := range texts[:200] {
		odds := map[string]float64{}
		for _, p := range want[i] {
			odds[p.Label] = float64(p.Probability)
		}
		got := after.Predict(nil, text.Text, len(all))
		if len(got) != 3 {
			t.Fatal(got)
		}
		sum := odds[all[7]] + odds[all[3]] + odds[all[40]]
		for _, p := range got {
			// The program adds 1e-5 to each probability.
			if sum > .01 && math.Abs(float64(p.Probability)-odds[p.Label]/sum) > .01 {
				t.Errorf("%s: %v, want %v", p.Label, p.Probability, odds[p.Label]/sum)
			}
		}
	}
	if err := m.Keep([]string{"xx"}); err == nil || !strings.Contains(err.Error(), "label \"xx\"") {
		t.Errorf("%v", err)
	}
}

func TestQuantiseRefuses(t *testing.T) {
	texts := labelledTexts(300, 1)
	m, err := Train(t.Context(), texts, trainingConfig(), quiet)
	if err != nil {
		t.Fatal(err)
	}
	rows := int(m.model.input.rows())
	for _, features := range []int{-1, 255, rows} {
		err := m.Quantise(t.Context(), texts, features, quiet)
		if err == nil || !strings.Contains(err.Error(), strconv.Itoa(features)+" features of "+strconv.Itoa(rows)) {
			t.Errorf("%d: %v", features, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.Quantise(ended, texts, 300, quiet); err != context.Canceled {
		t.Errorf("%v", err)
	}
}

// peerQuantiser trains and quantises by the program.
const peerQuantiser = `
import sys, fasttext
m = fasttext.train_supervised(input=sys.argv[1], dim=10, epoch=5, lr=.5, minn=2, maxn=3, bucket=5000, minCount=2, loss="softmax", thread=10, verbose=0)
m.quantize(input=sys.argv[1], qnorm=True, cutoff=600, retrain=True, epoch=5, lr=.5, thread=10, verbose=0)
m.save_model(sys.argv[2])
`

// The program reads quantised models and predicts the same, and its own are about as good and as large.
func TestQuantiseBesideFastText(t *testing.T) {
	texts, others := labelledTexts(3000, 1), labelledTexts(2000, 3)
	file, m := quantisedModel(t, texts, trainingConfig(), 600)
	folder, lines := t.TempDir(), []string(nil)
	var input strings.Builder
	for _, text := range texts {
		input.WriteString(labelPrefix + text.Label + " " + text.Text + "\n")
	}
	for _, text := range others {
		lines = append(lines, text.Text)
	}
	ours, theirs, train := filepath.Join(folder, "ours.ftz"), filepath.Join(folder, "theirs.ftz"), filepath.Join(folder, "input")
	for name, content := range map[string][]byte{ours: file, train: []byte(input.String())} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	compare(t, m, 3, lines, runPeer(t, ours, 3, lines))
	peertest.Output(t, nil, peertest.Python(t), "-c", peerQuantiser, train, theirs)
	peer, err := Open(theirs)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(theirs)
	if err != nil {
		t.Fatal(err)
	}
	a, b := accuracy(m, others), accuracy(peer, others)
	t.Logf("accuracy %.4f in %d bytes, the program's %.4f in %d", a, len(file), b, info.Size())
	if a < b-.01 || math.Abs(float64(len(file))/float64(info.Size())-1) > .1 {
		t.Errorf("accuracy %.4f in %d bytes, the program's %.4f in %d", a, len(file), b, info.Size())
	}
}
