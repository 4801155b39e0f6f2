package fasttext

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
)

// trainer trains the models that the published one does not stand for: every
// loss, no n-grams, word n-grams, quantised with and without norms, pruned, and
// with a quantised output matrix.
const trainer = `
import sys, fasttext
folder = sys.argv[1]
base = dict(input=folder + "/train.txt", dim=12, epoch=3, thread=1, minCount=1, bucket=5000, verbose=0)
def train(name, quantise=None, **more):
    m = fasttext.train_supervised(**{**base, **more})
    if quantise is not None:
        m.quantize(input=base["input"], **quantise)
    m.save_model(folder + "/" + name)
train("hs.bin", loss="hs", minn=2, maxn=4)
train("ns.bin", loss="ns", minn=0, maxn=3, wordNgrams=2)
train("ova.bin", loss="ova", minn=3, maxn=3)
train("softmax.bin", loss="softmax", wordNgrams=3)
train("words.bin", loss="softmax", minn=0, maxn=0)
train("quantised.ftz", dict(qnorm=False, dsub=5), loss="softmax", minn=2, maxn=3)
train("norms.ftz", dict(qnorm=True, dsub=2), loss="hs", minn=2, maxn=3, wordNgrams=2)
train("pruned.ftz", dict(qnorm=True, cutoff=700, retrain=True, epoch=1, thread=1), loss="softmax", minn=2, maxn=3)
train("output.ftz", dict(qnorm=True, qout=True), loss="softmax", minn=2, maxn=3)
train("outpuths.ftz", dict(qnorm=False, qout=True), loss="hs", minn=2, maxn=3)
`

// synthetic writes lines of made-up words in 300 labels, each label with its own
// favourite syllables.
func synthetic(random *rand.Rand, label int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "__label__L%03d", label)
	syllables := []string{"ba", "co", "dü", "eš", "fi", "го", "ли", "ми", "你", "好", "x", "yz", "ré", "ña"}
	for range 5 + random.IntN(6) {
		b.WriteByte(' ')
		for range 1 + random.IntN(3) {
			at := (label + random.IntN(4)*random.IntN(2)) % len(syllables)
			b.WriteString(syllables[at])
		}
		fmt.Fprintf(&b, "%c", 'a'+rune(label*7/len(syllables)%26))
	}
	return b.String()
}

func TestParityOfOtherModels(t *testing.T) {
	python := trainingPython(t)
	folder := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	var train, lines []string
	for i := range 3000 {
		line := synthetic(random, i%300)
		train = append(train, line)
		if i%3 == 0 {
			_, text, _ := strings.Cut(line, " ")
			lines = append(lines, text, text+" unseen wörter", strings.ToUpper(text))
		}
	}
	lines = append(lines, "", "</s>", "nothing known 123")
	if err := os.WriteFile(filepath.Join(folder, "train.txt"), []byte(strings.Join(train, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	peertest.Output(t, nil, python, "-c", trainer, folder)
	models, err := filepath.Glob(filepath.Join(folder, "*.[bf][it][nz]"))
	if err != nil || len(models) != 10 {
		t.Fatalf("the peer wrote %d models, want 10 (%v)", len(models), err)
	}
	const k = 2
	for _, path := range models {
		t.Run(filepath.Base(path), func(t *testing.T) {
			want := runPeer(t, path, k, lines)
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, limit := range []int64{expandLimit, 0} {
				m, err := read(bytes.NewReader(raw), int64(len(raw)), limit, false)
				if err != nil {
					t.Fatal(err)
				}
				compare(t, m, k, lines, want)
				m.words.subwords, m.words.subwordStarts = nil, nil
				compare(t, m, k, lines, want)
			}
		})
	}
}
