package pipelines_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/pipelinetest/chain"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// BenchmarkPipelines runs each pipeline on a corpus of 500 pages (of the
// handbook, if SENTWEAVE_HANDBOOK names it) by goroutines, then on the
// runner, in turn. It reports input rows a second, and how many times longer the
// runner took.
func BenchmarkPipelines(b *testing.B) {
	input := os.Getenv("SENTWEAVE_HANDBOOK")
	if input == "" {
		input = pipelinetest.Corpus{Pages: 100, Paragraphs: 30, Plain: true}.Write(b)
	}
	links := chain.Links(input, pipelinetest.Vocabulary(b))
	root := b.TempDir()
	settings := pipelinetest.Settings(256 << 10)
	manifests := chain.Run(b, links, root, settings, pipelinetest.Plain(runtime.NumCPU()))
	settings.ShardBytes /= 4
	run := func(b *testing.B, l chain.Link, output string, r pipelinetest.Runner) time.Duration {
		if l.Name == "documents" || l.Name == "heldout" {
			settings.ShardBytes = 256 << 10
		}
		start := time.Now()
		pipelinetest.RunTo(b, l.Config(b, root), output, settings, r)
		took := time.Since(start)
		if err := os.RemoveAll(output); err != nil {
			b.Fatal(err)
		}
		return took
	}
	for _, l := range links {
		b.Run(l.Name, func(b *testing.B) {
			b.ReportAllocs()
			var plain, local, withoutBeam time.Duration
			i := 0
			for b.Loop() {
				plain += run(b, l, filepath.Join(b.TempDir(), fmt.Sprint("plain", i)), pipelinetest.Plain(runtime.NumCPU()))
				b.StopTimer()
				local += run(b, l, filepath.Join(b.TempDir(), fmt.Sprint("local", i)), pipelinetest.Local(runtime.NumCPU()))
				withoutBeam += run(b, l, filepath.Join(b.TempDir(), fmt.Sprint("without", i)), pipelinetest.WithoutBeam(runtime.NumCPU()))
				b.StartTimer()
				i++
			}
			rows, bytes := inputOf(b, manifests[l.Name], root, l)
			b.SetBytes(bytes)
			b.ReportMetric(float64(rows)*float64(b.N)/plain.Seconds(), "rows/s")
			b.ReportMetric(float64(local)/float64(plain), "x-of-plain")
			b.ReportMetric(float64(withoutBeam)/float64(local), "without-beam/local")
		})
	}
}

// inputOf returns rows and bytes of a pipeline's input: of pages, those of the
// funnel and the files.
func inputOf(b *testing.B, m *dataset.Manifest, root string, l chain.Link) (rows, bytes int64) {
	b.Helper()
	for _, input := range m.Plan.Inputs {
		bytes += input.Bytes
		for _, other := range []string{"documents", "dedup", "parallel"} {
			if d, err := dataset.Load(b.Context(), storage.NewLocal(filepath.Join(root, other))); err == nil && d.Check == input.XXH3 {
				rows += d.Rows
			}
		}
	}
	if rows == 0 {
		rows = m.Funnel.Chains[0].Steps[0].Total().In
	}
	return rows, bytes
}
