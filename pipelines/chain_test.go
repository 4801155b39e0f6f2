package pipelines_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/dedup"
	"sentweave/pipelines/examples"
	"sentweave/pipelines/pairs"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/units"
	"sentweave/pipelines/wordcounts"
	"sentweave/schemas/dataset"
)

func TestMain(m *testing.M) {
	child := os.Getenv(childVariable)
	args := os.Args[1:]
	if child != "" {
		os.Args = os.Args[:1] // they are the pipeline's
	}
	flag.Parse()
	log.SetupLogging("error", "text")
	beam.Init()
	if child != "" {
		os.Exit(runChild(child, args))
	}
	os.Exit(m.Run())
}

// link is a pipeline of the chain: it reads the outputs of earlier ones.
type link struct {
	name string
	// config is given the folder in which the outputs of the chain stand.
	config func(t testing.TB, root string) pipelinetest.Pipeline
	// rows says that every unit makes its rows alone.
	rows bool
}

// chain is every pipeline, in several ways, from the pages on.
func chain(input, vocabulary string) []link {
	at := filepath.Join
	return []link{
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

// runChain makes all datasets of the chain in a folder and returns their manifests.
func runChain(t testing.TB, links []link, root string, settings units.Settings, run pipelinetest.Runner) map[string]*dataset.Manifest {
	t.Helper()
	manifests := map[string]*dataset.Manifest{}
	for i, l := range links {
		if i == 2 { // datasets are smaller than pages
			settings.ShardBytes = max(1, settings.ShardBytes/16)
		}
		manifests[l.name] = pipelinetest.RunTo(t, l.config(t, root), filepath.Join(root, l.name), settings, run)
	}
	return manifests
}

// The whole chain on real pages: the Debian handbook in five languages.
func TestHandbook(t *testing.T) {
	handbook, model := os.Getenv("SENTWEAVE_HANDBOOK"), os.Getenv("SENTWEAVE_LID176")
	if handbook == "" || model == "" {
		t.Skip("skipped: SENTWEAVE_HANDBOOK or SENTWEAVE_LID176 is not set")
	}
	root := t.TempDir()
	links := chain("", pipelinetest.Vocabulary(t))
	links[0].config = func(t testing.TB, root string) pipelinetest.Pipeline {
		return pipelinetest.Parse[corpus.Config](t, "--input", handbook, "--layout", pipelinetest.Layout, "--langid", model, "--languages", "en,es,fr,de,ja")
	}
	links[1].config = func(t testing.TB, root string) pipelinetest.Pipeline {
		c := links[0].config(t, root).(corpus.Config)
		c.Modulus, c.Ranks = 10, []int{9}
		return c
	}
	for name, m := range runChain(t, links, root, pipelinetest.Settings(1<<20), pipelinetest.Plain(2)) {
		if m.Rows == 0 {
			t.Errorf("%s has no row", name)
		}
		if err := m.Funnel.Check(); err != nil {
			t.Error(err)
		}
	}
}
