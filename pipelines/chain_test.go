package pipelines_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/dedup"
	"sentweave/pipelines/examples"
	"sentweave/pipelines/pairs"
	"sentweave/pipelines/units"
	"sentweave/pipelines/wordcounts"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

type pipeline interface {
	Validate() error
	Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error)
}

func configure(t *testing.T, config any, args ...string) {
	t.Helper()
	parser, err := kong.New(config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(args); err != nil {
		t.Fatal(err)
	}
}

func runPlain(t *testing.T, c pipeline, output string, settings units.Settings, parallelism int) *dataset.Manifest {
	t.Helper()
	start := time.Now()
	job, err := c.Plan(t.Context(), output, settings)
	if err != nil {
		t.Fatal(err)
	}
	folder := storage.NewLocal(output)
	if _, err := job.Plan.Create(t.Context(), folder, job.Units); err != nil {
		t.Fatal(err)
	}
	m, err := job.RunPlain(t.Context(), units.Env{Folder: folder, Plan: job.Plan}, parallelism)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d rows in %v", job.Plan.Pipeline, m.Rows, time.Since(start).Round(time.Millisecond))
	return m
}

func TestHandbook(t *testing.T) {
	handbook := os.Getenv("SENTWEAVE_HANDBOOK")
	if handbook == "" {
		t.Skip("skipped: SENTWEAVE_HANDBOOK is not set")
	}
	out := t.TempDir()
	if keep := os.Getenv("KEEP"); keep != "" {
		out = keep
	}
	settings := units.Settings{Seed: 1, ShardBytes: 1 << 20}
	var c corpus.Config
	configure(t, &c, "--input", handbook, "--layout", "{language}/{page}.html", "--languages", "eng,spa,fra,deu", "--langid", os.Getenv("SENTWEAVE_LID176"),
		"--pages-modulus", "6", "--pages-ranks", "1,2,3,4,5")
	runPlain(t, c, filepath.Join(out, "documents"), settings, 2)
	var d dedup.Config
	configure(t, &d, "--documents", filepath.Join(out, "documents"))
	runPlain(t, d, filepath.Join(out, "dedup"), settings, 2)
	d.Level = "sentence"
	runPlain(t, d, filepath.Join(out, "dedup-s"), settings, 2)
	var w wordcounts.Config
	configure(t, &w, "--documents", filepath.Join(out, "dedup"))
	runPlain(t, w, filepath.Join(out, "wordcounts"), settings, 2)
	var p pairs.Config
	configure(t, &p, "--documents", filepath.Join(out, "documents"), "--kind", "parallel")
	runPlain(t, p, filepath.Join(out, "pairs"), settings, 2)
	configure(t, &p, "--documents", filepath.Join(out, "dedup"))
	runPlain(t, p, filepath.Join(out, "consecutive"), settings, 2)
	var e examples.Config
	configure(t, &e, "--documents", filepath.Join(out, "dedup"), "--vocabulary", "../../shared/data/vocab/bert-base-uncased.txt")
	runPlain(t, e, filepath.Join(out, "examples"), settings, 2)
	e = examples.Config{}
	configure(t, &e, "--pairs", filepath.Join(out, "pairs"), "--vocabulary", "../../shared/data/vocab/bert-base-uncased.txt")
	runPlain(t, e, filepath.Join(out, "pair-examples"), settings, 2)
}
