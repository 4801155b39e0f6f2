//go:build libtorch

package torchverbs

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/realdata"
	"sentweave/stages/embed"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate"
	"sentweave/stages/metrics"
	"sentweave/stages/torch"
	"sentweave/transforms/testsets/benchmark"
	"sentweave/transforms/testsets/senteval"
)

// The test binary is the verb encode where this is set, with the model of the folder.
const encodeVariable = "SENTWEAVE_TEST_ENCODE"

func TestMain(m *testing.M) {
	if folder := os.Getenv(encodeVariable); folder != "" {
		verb := Encode{ModelConfig: miniLMConfig(folder)}
		if err := verb.Run(context.Background(), nil); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func miniLMConfig(folder string) embed.ModelConfig {
	return embed.ModelConfig{Model: folder, Layer: -1, Compute: torch.Compute{Threads: runtime.NumCPU()}}
}

// miniLM opens the published model, or skips.
func miniLM(t *testing.T) *embed.Model {
	t.Helper()
	folder := realdata.Variable(t, "SENTWEAVE_MINILM")
	// Libtorch keeps the number of threads by thread, and gives new ones the last
	// number that was set: this thread ends with the test, and the number is set back.
	runtime.LockOSThread()
	threads := torch.Threads()
	m, err := embed.Open(miniLMConfig(folder))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		torch.SetThreads(threads)
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// published are the figures of all-MiniLM-L6-v2 in the results of MTEB
// (github.com/embeddings-benchmark/results, revision 8b3219a9 of the model):
// Spearman's correlation × 100 of the cosines over all pairs of a task. That of
// STS14 is from a run of sentence-transformers over these files.
var published = []struct {
	task  string
	pairs int64
	all   float64
}{
	{"sts12", 3108, 72.37}, {"sts13", 1500, 80.60}, {"sts14", 3750, 75.60},
	{"sts15", 3000, 85.39}, {"sts16", 1186, 78.99}, {"stsb", 1379, 82.03},
}

// The published model has its published figures, from text to correlation.
func TestMiniLMHasItsPublishedSTS(t *testing.T) {
	m := miniLM(t)
	c := evaluate.Config{Data: realdata.Folder(t, "sts", "stsb"), Split: "test"}
	for _, p := range published {
		c.Tasks = append(c.Tasks, p.task)
	}
	found := map[string]float64{}
	pairs := map[string]int64{}
	for r, err := range evaluate.Measure(t.Context(), c, m) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Subtask == metrics.SubtaskAll && r.Metric == metrics.Spearman {
			found[r.Task], pairs[r.Task] = 100*r.Value, r.N
		}
	}
	for _, p := range published {
		got, ok := found[p.task]
		t.Logf("%s: %.4f of %d pairs, published %.2f", p.task, got, pairs[p.task], p.all)
		if !ok || math.Abs(got-p.all) > .02 || pairs[p.task] != p.pairs {
			t.Errorf("%s: %.4f of %d pairs, want %.2f of %d", p.task, got, pairs[p.task], p.all, p.pairs)
		}
	}
}

// So it has on a dataset of benchmarks, from vectors that were made of it before.
func TestMiniLMHasItsPublishedSTSOnADataset(t *testing.T) {
	miniLM(t) // or skip
	data := realdata.Folder(t, "stsb")
	stsb, _ := senteval.TaskByName("stsb")
	stsb.Files = stsb.Files[2:] // test
	rows, _, err := benchmark.Rows(senteval.Source{Language: "eng"}.Read(stsb, func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(data, "stsb", filepath.Base(name)))
	}))
	if err != nil {
		t.Fatal(err)
	}
	benchmarks, vectors := datasettest.Write(t, nil, rows), filepath.Join(t.TempDir(), "vectors")
	c := embed.Config{ModelConfig: miniLMConfig(os.Getenv("SENTWEAVE_MINILM")), Texts: benchmarks, NoText: true, ShardBytes: 1 << 20}
	if _, _, err := embed.Run(t.Context(), vectors, c, embed.Options{Open: embed.Open}); err != nil {
		t.Fatal(err)
	}
	e, err := encoder.OpenEmbeddings(t.Context(), vectors)
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range evaluate.Measure(
		t.Context(), evaluate.Config{Benchmarks: []string{benchmarks}, Tasks: []string{"sts"}, Split: "test"}, e) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Metric == metrics.Spearman && (r.Subtask != "stsb/all" || math.Abs(100*r.Value-82.03) > .02 || r.N != 1379) {
			t.Errorf("%s: %.4f of %d pairs, published 82.03 of 1379", r.Subtask, 100*r.Value, r.N)
		}
	}
}

// A program that asks `encode` over its standard streams gets the vectors that the
// model gives in the same process. The last bits depend on where libtorch's
// buffers lie.
func TestEncodeGivesTheVectorsOfTheModel(t *testing.T) {
	m := miniLM(t)
	texts := encoder.Texts("eng", "", "a", "中文句子", "A line\nand another\x00one.", strings.Repeat("far too many words ", 200))
	for i := range 200 {
		texts = append(texts, encoder.Text{Text: fmt.Sprint("sentence number ", i*i, " of many")})
	}
	texts = append(texts, texts[1])
	command := exec.Command(os.Args[0])
	command.Env, command.Stderr = append(os.Environ(), encodeVariable+"="+os.Getenv("SENTWEAVE_MINILM")), os.Stderr
	child, err := encoder.Start(t.Context(), m.Name(), command)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range [][]encoder.Text{texts, texts[:3], nil} {
		got, err := child.Encode(t.Context(), part)
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.Encode(t.Context(), part)
		if err != nil {
			t.Fatal(err)
		}
		x, y := got.(encoder.Dense), want.(encoder.Dense)
		if x.Len() != len(part) || x.Dim != m.Dimension() ||
			!slices.EqualFunc(x.Data, y.Data, func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 }) {
			t.Errorf("%d texts: the program's %d vectors of %d numbers differ from the model's", len(part), x.Len(), x.Dim)
		}
	}
	if err := child.Close(); err != nil {
		t.Error(err)
	}
}

// In int8 the published model loses at most half a point of the STS benchmark.
func TestInt8LosesLittle(t *testing.T) {
	miniLM(t) // or skip
	c := miniLMConfig(os.Getenv("SENTWEAVE_MINILM"))
	c.Precision = "int8"
	data := realdata.Folder(t, "stsb")
	m, err := embed.Open(c)
	if err != nil && strings.Contains(err.Error(), "products in int8") {
		t.Skipf("skipped: int8 is for processors with VNNI: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for r, err := range evaluate.Measure(t.Context(), evaluate.Config{Data: data, Tasks: []string{"stsb"}, Split: "test"}, m) {
		if err != nil {
			t.Fatal(err)
		}
		if got := 100 * r.Value; r.Subtask == metrics.SubtaskAll && r.Metric == metrics.Spearman && math.Abs(got-82.03) > .5 {
			t.Errorf("%.4f, published 82.03 in float32", got)
		}
	}
}
