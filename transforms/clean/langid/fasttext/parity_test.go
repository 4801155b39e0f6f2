package fasttext

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
)

// lid176 opens the model that the environment names.
func lid176(tb testing.TB) *Model {
	tb.Helper()
	path := realdata.Variable(tb, "SENTWEAVE_LID176")
	m, err := Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// tatoebaLines returns every line of the Tatoeba test set, and lines that try
// the tokenisation.
func tatoebaLines(tb testing.TB) []string {
	tb.Helper()
	names, err := filepath.Glob(filepath.Join(realdata.Folder(tb), "tatoeba", "tatoeba.*"))
	if err != nil || len(names) == 0 {
		tb.Skip("skipped: the Tatoeba test set is absent")
	}
	sort.Strings(names)
	var lines []string
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		lines = append(lines, strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")...)
	}
	return lines
}

// peer is the fastText program's Python binding: lines in, one line out each,
// with the k best labels and probabilities in full precision.
const peer = `
import sys, fasttext
fasttext.FastText.eprint = lambda *a: None
model = fasttext.load_model(sys.argv[1])
k = int(sys.argv[2])
for line in sys.stdin.buffer.read().decode("utf-8", "surrogateescape").split("\n")[:-1]:
    found = model.f.predict(line + "\n", k, 0.0, "surrogateescape")
    print(" ".join("%s %.9g" % (label.removeprefix("__label__"), p) for p, label in found))
`

// trainingPython returns a Python whose fasttext trains, which that of the package fasttext-wheel does.
func trainingPython(t *testing.T) string {
	t.Helper()
	python := peertest.Python(t, "fasttext")
	if exec.CommandContext(t.Context(), python, "-c", "import fasttext; fasttext.train_supervised").Run() != nil {
		t.Skip("skipped: the module fasttext of SENTWEAVE_PYTHON does not train: pip install fasttext-wheel")
	}
	return python
}

// runPeer has the peer predict lines, which hold no line break.
func runPeer(tb testing.TB, model string, k int, lines []string) [][]Prediction {
	tb.Helper()
	input := []byte(strings.Join(lines, "\n") + "\n")
	out := peertest.Output(tb, input, peertest.Python(tb, "fasttext"), "-c", peer, model, strconv.Itoa(k))
	rows := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(rows) != len(lines) {
		tb.Fatalf("the peer answered %d lines of %d", len(rows), len(lines))
	}
	all := make([][]Prediction, len(rows))
	for i, row := range rows {
		fields := strings.Fields(row)
		for j := 0; j+1 < len(fields); j += 2 {
			p, err := strconv.ParseFloat(fields[j+1], 32)
			if err != nil {
				tb.Fatal(err)
			}
			all[i] = append(all[i], Prediction{fields[j], float32(p)})
		}
	}
	return all
}

const tolerance = 1e-5

// compare counts the lines whose labels differ and the largest distance of probabilities.
func compare(t *testing.T, m *Model, k int, lines []string, want [][]Prediction) {
	t.Helper()
	c := m.NewClassifier()
	var got []Prediction
	var farthest float64
	faults := 0
	for i, line := range lines {
		got = c.Predict(got[:0], line, k)
		same := len(got) == len(want[i])
		for j := 0; same && j < len(got); j++ {
			distance := math.Abs(float64(got[j].Probability) - float64(want[i][j].Probability))
			farthest = max(farthest, distance)
			same = got[j].Label == want[i][j].Label && distance <= tolerance
		}
		if !same {
			if faults++; faults <= 10 {
				t.Errorf("Predict(%.200q, %d) = %v, the peer says %v", line, k, got, want[i])
			}
		}
	}
	t.Logf("%d lines, %d differ, probabilities at most %.2g apart", len(lines), faults, farthest)
}

func TestParityOnTatoeba(t *testing.T) {
	m := lid176(t)
	lines := append(tatoebaLines(t),
		"", " ", "\t\r\v\f", "</s>", "one </s> two", "__label__en", "__label__xx und so weiter", "a\x00b c",
		"punctuation, only?", "12345 67", "\u00a0\u3000", "ﬁ", strings.Repeat("long", 3000), strings.Repeat("wide ", 3000),
	)
	for _, k := range []int{1, 3} {
		compare(t, m, k, lines, runPeer(t, os.Getenv("SENTWEAVE_LID176"), k, lines))
	}
}

// The program reads the model that comes with ours, and says the same.
func TestParityOfEmbedded(t *testing.T) {
	const path = "../embedded/messages.ftz"
	m, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := tatoebaLines(t)
	compare(t, m, 2, lines, runPeer(t, path, 2, lines))
}

func BenchmarkPredictTatoeba(b *testing.B) {
	c := lid176(b).NewClassifier()
	lines := tatoebaLines(b)
	var size int64
	for _, l := range lines {
		size += int64(len(l)) + 1
	}
	b.SetBytes(size)
	b.ReportAllocs()
	var dst []Prediction
	for b.Loop() {
		for _, l := range lines {
			dst = c.Predict(dst[:0], l, 1)
		}
	}
	b.ReportMetric(float64(len(lines))*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
