// Package chain is every pipeline in a row, from pages to examples, for tests that
// compare ways to run them.
package chain

import (
	"path/filepath"
	"testing"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/dedup"
	"sentweave/pipelines/examples"
	"sentweave/pipelines/pairs"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/units"
	"sentweave/pipelines/wordcounts"
	"sentweave/schemas/dataset"
)

// Link is a pipeline of the chain: it reads the outputs of earlier ones.
type Link struct {
	Name string
	// Config is given the folder in which the outputs of the chain stand.
	Config func(t testing.TB, root string) pipelinetest.Pipeline
	// Rows says that every unit makes its rows alone.
	Rows bool
}

// Links is every pipeline, in several ways, from the pages on.
func Links(input, vocabulary string) []Link {
	at := filepath.Join
	return []Link{
		{"documents", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[corpus.Config](t, "--input", input, "--layout", pipelinetest.Layout)
		}, true},
		{"heldout", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[corpus.Config](t, "--input", input, "--layout", pipelinetest.Layout, "--pages-modulus", "2", "--pages-ranks", "1")
		}, true},
		{"dedup", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[dedup.Config](t, "--documents", at(root, "documents"))
		}, false},
		{"dedup-sentences", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[dedup.Config](t, "--documents", at(root, "documents"), "--level", "sentence", "--loose", "--against", at(root, "heldout"))
		}, false},
		{"wordcounts", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[wordcounts.Config](t, "--documents", at(root, "dedup"))
		}, false},
		{"parallel", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[pairs.Config](t, "--documents", at(root, "documents"), "--kind", "parallel")
		}, true},
		{"parallel-sentences", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[pairs.Config](t, "--documents", at(root, "dedup"), "--kind", "parallel", "--sentences", "--pivot", "en")
		}, true},
		{"consecutive", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[pairs.Config](t, "--documents", at(root, "dedup"), "--sliding")
		}, true},
		{"examples", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[examples.Config](t, "--documents", at(root, "dedup"), "--vocabulary", vocabulary, "--max-tokens", "64", "--copies", "2")
		}, true},
		{"pair-examples", func(t testing.TB, root string) pipelinetest.Pipeline {
			return pipelinetest.Parse[examples.Config](t, "--pairs", at(root, "parallel"), "--vocabulary", vocabulary, "--mask", "trainer")
		}, true},
	}
}

// Run makes all datasets of the chain in a folder and returns their manifests.
func Run(t testing.TB, links []Link, root string, settings units.Settings, run pipelinetest.Runner) map[string]*dataset.Manifest {
	t.Helper()
	manifests := map[string]*dataset.Manifest{}
	for i, l := range links {
		if i == 2 { // datasets are smaller than pages
			settings.ShardBytes = max(1, settings.ShardBytes/16)
		}
		manifests[l.Name] = pipelinetest.RunTo(t, l.Config(t, root), filepath.Join(root, l.Name), settings, run)
	}
	return manifests
}
