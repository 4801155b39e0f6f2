//go:build libtorch && linux

package torch

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
	"sentweave/stages/model"
	"sentweave/transforms/measure/bootstrap"
	"sentweave/transforms/measure/neighbors"
)

// backends are those of sentence-transformers, with the module that each needs and the precisions that it has on the CPU.
var backends = []struct {
	name, module string
	precisions   []string
}{
	{"torch", "sentence_transformers", []string{Float32, bFloat16}},
	{"onnx", "optimum.onnxruntime", []string{Float32, Int8}},
	{"openvino", "optimum.intel", []string{Float32, bFloat16, Int8}},
}

// embedder gives the cosines of each text and the one after it, and the time that the texts took. Embed is nil where something is
// missing, as lacks says.
type embedder struct {
	name  string
	lacks string
	embed func(texts []string) ([]float64, peertest.Took)
	took  []peertest.Took
	// figure is Spearman's correlation × 100 on the STS benchmark.
	figure float64
}

// ours embeds by a model in a precision, on one thread.
func ours(b *testing.B, f *model.Folder, precision string) *embedder {
	b.Helper()
	sequencer, err := f.Sequencer()
	if err != nil {
		b.Fatal(err)
	}
	compute := Compute{Device: tested(), Precision: precision, Threads: 1}
	if err := UseLanes(compute); err != nil {
		return &embedder{name: precision, lacks: err.Error()}
	}
	e, err := NewEncoder(f, -1)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(e.Close)
	return &embedder{name: precision, embed: func(texts []string) ([]float64, peertest.Took) {
		if err := UseLanes(compute); err != nil {
			b.Fatal(err)
		}
		var vectors []float32
		took := peertest.Time(b, func() {
			ids := make([][]int32, len(texts))
			for i, text := range texts {
				ids[i] = sequencer.Append(nil, text)
			}
			vectors = make([]float32, len(texts)*e.Dimension())
			if err := e.Encode(b.Context(), vectors, ids); err != nil {
				b.Fatal(err)
			}
		})
		var cosines []float64
		for d := e.Dimension(); len(vectors) > 0; vectors = vectors[2*d:] {
			cosines = append(cosines, neighbors.Cosine(vectors[:d], vectors[d:2*d]))
		}
		return cosines, took
	}}
}

// theirs embeds by sentence-transformers in another process, on one thread.
func theirs(b *testing.B, f *model.Folder, backend, module, precision string) *embedder {
	b.Helper()
	name := "sentence-transformers/" + backend + "/" + precision
	peer := peertest.Start(b, module, filepath.Join("testdata", "bench.py"), "library", f.Path, "1", tested(), precision, backend)
	if peer == nil {
		return &embedder{name: name, lacks: "SENTWEAVE_PYTORCH names no interpreter that imports " + module}
	}
	input := filepath.Join(b.TempDir(), "texts.json")
	return &embedder{name: name, embed: func(texts []string) ([]float64, peertest.Took) {
		data, err := json.Marshal(texts)
		if err == nil {
			err = os.WriteFile(input, data, 0o666)
		}
		if err != nil {
			b.Fatal(err)
		}
		took, cosines := peer.Ask(b, input)
		return cosines, took
	}}
}

// stsb are the pairs of a part of the STS benchmark, text by text, and their gold; nothing where the test data is not there.
func stsb(b *testing.B, part string) (texts []string, gold []float64) {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(realdata.Folder(b, "stsb"), "stsb", "sts-"+part+".csv"))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		score, err := strconv.ParseFloat(fields[4], 64)
		if err != nil {
			b.Fatal(err)
		}
		texts, gold = append(texts, fields[5], fields[6]), append(gold, score)
	}
	return texts, gold
}

// spearman is the figure of a task × 100.
func spearman(cosines, gold []float64) float64 {
	term := bootstrap.Term{Metric: bootstrap.Spearman, Weight: 1, Scores: [][][]float64{{cosines}}, Gold: gold}
	values, _ := bootstrap.Figure{Terms: []bootstrap.Term{term}}.Values(nil)
	return 100 * values[0]
}

// 256 texts, or 8,192 on a GPU, by MiniLM in each precision, and by sentence-transformers with each backend, in turn, on one thread. Each
// line has the median of texts in a second of CPU, how many times that of sentence-transformers as it comes it is, the same by the
// clock, and the figure on the STS benchmark.
func BenchmarkEmbed(b *testing.B) {
	const rounds = 5
	b.Setenv("BENCH_FOLDER", b.TempDir())
	onThread()
	use(b, tested(), Float32) // which comes back at the end
	useThreads(b, 1)
	f := miniLM(b)
	f.Pooling, f.Normalize = model.Mean, true
	timed := prose(b, f, onGPU(256, 8192))
	sample, _ := stsb(b, "dev")
	pairs, gold := stsb(b, "test")
	list := []*embedder{ours(b, f, Float32), ours(b, f, bFloat16), ours(b, f, Int8)}
	for _, backend := range backends {
		for _, precision := range backend.precisions {
			list = append(list, theirs(b, f, backend.name, backend.module, precision))
		}
	}
	base := list[3] // sentence-transformers as it comes
	present := slices.DeleteFunc(slices.Clone(list), func(e *embedder) bool { return e.embed == nil })
	for _, e := range present {
		e.embed(sample[:400]) // which also warms up
		cosines, _ := e.embed(pairs)
		e.figure = spearman(cosines, gold)
	}
	for range rounds {
		for _, e := range present {
			_, took := e.embed(timed)
			e.took = append(e.took, took)
		}
	}
	for _, e := range list {
		b.Run(e.name, func(b *testing.B) {
			for b.Loop() { // all is measured
			}
			b.ReportMetric(0, "ns/op")
			if e.embed == nil {
				b.Logf("skipped: %s", e.lacks)
				return
			}
			b.ReportMetric(float64(len(timed))/peertest.CPU(e.took), "texts/cpu-s")
			b.ReportMetric(e.figure, "stsb")
			if base.embed != nil {
				b.ReportMetric(peertest.CPU(base.took)/peertest.CPU(e.took), "x-cpu")
				b.ReportMetric(peertest.Clock(base.took)/peertest.Clock(e.took), "x")
			}
		})
	}
}
