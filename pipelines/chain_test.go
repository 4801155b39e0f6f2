package pipelines_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/pipelinetest/chain"
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

// The whole chain on real pages: the Debian handbook in five languages.
func TestHandbook(t *testing.T) {
	handbook, model := os.Getenv("SENTWEAVE_HANDBOOK"), os.Getenv("SENTWEAVE_LID176")
	if handbook == "" || model == "" {
		t.Skip("skipped: SENTWEAVE_HANDBOOK or SENTWEAVE_LID176 is not set")
	}
	root := t.TempDir()
	links := chain.Links("", pipelinetest.Vocabulary(t))
	links[0].Config = func(t testing.TB, root string) pipelinetest.Pipeline {
		return pipelinetest.Parse[corpus.Config](t, "--input", handbook, "--layout", pipelinetest.Layout, "--langid", model, "--languages",
			"en,es,fr,de,ja")
	}
	links[1].Config = func(t testing.TB, root string) pipelinetest.Pipeline {
		c := links[0].Config(t, root).(corpus.Config)
		c.Modulus, c.Ranks = 10, []int{9}
		return c
	}
	links[2].Config = func(t testing.TB, root string) pipelinetest.Pipeline {
		c := links[0].Config(t, root).(corpus.Config)
		c.Extend = filepath.Join(root, links[0].Name)
		return c
	}
	for name, m := range chain.Run(t, links, root, pipelinetest.Settings(1<<20), pipelinetest.Plain(2)) {
		// The engine of the chain gives texts back as they are, and views that are their
		// texts are dropped.
		if copies := strings.HasSuffix(name, "translation"); (m.Rows == 0) != copies {
			t.Errorf("%s has %d rows", name, m.Rows)
		}
		if err := m.Funnel.Check(); err != nil {
			t.Error(err)
		}
	}
}
