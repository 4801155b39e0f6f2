package fasttext

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
)

const vectorTrainer = `
import fasttext, json, sys
folder, words = sys.argv[1], json.load(sys.stdin)
kinds = {
    "ngrams": dict(model="skipgram", minn=3, maxn=6),
    "words": dict(model="skipgram", minn=0, maxn=0),
}
for name, kind in kinds.items():
    m = fasttext.train_unsupervised(folder + "/train.txt", dim=8, bucket=2000, minCount=1, epoch=1, thread=1, verbose=0, **kind)
    m.save_model(folder + "/" + name + ".bin")
    json.dump([m.get_word_vector(w).tolist() for w in words], open(folder + "/" + name + ".json", "w"))
`

// Vectors of words, seen and unseen, are those of the program, with n-grams and without.
func TestWordVectorsBesideFastText(t *testing.T) {
	python := trainingPython(t)
	folder := t.TempDir()
	draw := rand.New(rand.NewPCG(1, 2))
	var train []string
	for i := range 300 {
		train = append(train, strings.ReplaceAll(synthetic(draw, i%300), labelPrefix, ""))
	}
	if err := os.WriteFile(filepath.Join(folder, "train.txt"), []byte(strings.Join(train, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	words := append(strings.Fields(train[0]+" "+train[7]), "unseen", "wörter", "x", "日本語", "</s>")
	input, err := json.Marshal(words)
	if err != nil {
		t.Fatal(err)
	}
	peertest.Output(t, input, python, "-c", vectorTrainer, folder)
	for _, name := range []string{"ngrams", "words"} {
		raw, err := os.ReadFile(filepath.Join(folder, name+".bin"))
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(folder, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var want [][]float64
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(raw, Magic()) {
			t.Errorf("%s begins with %x", name, raw[:4])
		}
		v, err := ReadWordVectors(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float32, v.Dim())
		for i, w := range words {
			known := v.Vector(w, got)
			length := 0.0
			for k, x := range got {
				length += want[i][k] * want[i][k]
				if math.Abs(float64(x)-want[i][k]) > 1e-6 {
					t.Fatalf("%s: value %d of %q is %v, fastText has %v", name, k, w, x, want[i][k])
				}
			}
			if known != (length > 0) {
				t.Errorf("%s: %q is known: %t (%v), and fastText's vector is %v", name, w, known, got, want[i])
			}
		}
		if _, err := Read(bytes.NewReader(raw), int64(len(raw))); err == nil ||
			!strings.Contains(err.Error(), "this one holds word vectors") {
			t.Errorf("%s as a classifier: %v", name, err)
		}
		if _, err := ReadWordVectors(bytes.NewReader(raw[:len(raw)-3]), int64(len(raw)-3)); err == nil {
			t.Errorf("%s: a cut file passes", name)
		}
	}
}
