package beam_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/pipelinetest/chain"
	"sentweave/pipelines/units"
	"sentweave/runners/beam"
	"sentweave/schemas/dataset"
)

// on runs jobs by a runner.
func on(options beam.Options) pipelinetest.Runner {
	return func(ctx context.Context, job *units.Job) (*dataset.Manifest, error) {
		m, _, err := beam.Run(ctx, job, options)
		return m, err
	}
}

// Every pipeline gives on Flink the bytes that it gives without Beam.
func TestFlinkChain(t *testing.T) {
	options := onLocal(t)
	links := chain.Links(pipelinetest.Corpus{Pages: 12, Paragraphs: 4, Languages: []string{"eng", "deu"}}.Write(t),
		pipelinetest.Vocabulary(t))
	settings := pipelinetest.Settings(8 << 10)
	plain, flink := t.TempDir(), t.TempDir()
	chain.Run(t, links, plain, settings, pipelinetest.Plain(2))
	chain.Run(t, links, flink, settings, on(options))
	for _, l := range links {
		want := pipelinetest.Digests(t, filepath.Join(plain, l.Name))
		if diff := cmp.Diff(want, pipelinetest.Digests(t, filepath.Join(flink, l.Name))); diff != "" || len(want) == 0 {
			t.Errorf("%s: %s", l.Name, diff)
		}
	}
}
