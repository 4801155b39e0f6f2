package pipelines_test

import (
	"maps"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/dedup"
	"sentweave/pipelines/examples"
	"sentweave/pipelines/pairs"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/pipelinetest/chain"
	"sentweave/pipelines/wordcounts"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

var small = pipelinetest.Corpus{Pages: 12, Paragraphs: 4}

// Same plan, same bytes: of every file of every dataset of the chain.
func TestSameBytes(t *testing.T) {
	input, vocabulary := small.Write(t), pipelinetest.Vocabulary(t)
	links := chain.Links(input, vocabulary)
	settings := pipelinetest.Settings(16 << 10)
	first := t.TempDir()
	manifests := chain.Run(t, links, first, settings, pipelinetest.Plain(1))
	want := map[string]map[string]string{}
	for name, m := range manifests {
		want[name] = pipelinetest.Digests(t, filepath.Join(first, name))
		if m.Plan.Units < 3 && name != "pairnoise" || m.Rows == 0 { // which has one unit
			t.Fatalf("%s has %d units and %d rows: too few to tell anything", name, m.Plan.Units, m.Rows)
		}
	}
	reversed := small
	reversed.Reverse = true
	tests := []struct {
		name       string
		input      string
		run        pipelinetest.Runner
		processors int
		zone       *time.Location
	}{
		{"seven at once", input, pipelinetest.Plain(7), 4, time.UTC},
		{"one processor and other files and time zone", reversed.Write(t), pipelinetest.Plain(2), 1,
			time.FixedZone("Line Islands", 14*3600)},
		{"the runner four at once", input, pipelinetest.Local(4), 4, time.UTC},
		{"the runner one at once", reversed.Write(t), pipelinetest.Local(1), 1, time.UTC},
		{"without Beam's runner four at once", input, pipelinetest.WithoutBeam(4), 4, time.UTC},
		{"Prism four at once", input, pipelinetest.Prism(4), 4, time.UTC},
	}
	if testing.Short() {
		tests = tests[1:3]
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			old, local := runtime.GOMAXPROCS(test.processors), time.Local
			time.Local = test.zone
			defer func() { runtime.GOMAXPROCS(old); time.Local = local }()
			root := t.TempDir()
			chain.Run(t, chain.Links(test.input, vocabulary), root, settings, test.run)
			for _, l := range links {
				if diff := cmp.Diff(want[l.Name], pipelinetest.Digests(t, filepath.Join(root, l.Name))); diff != "" {
					t.Errorf("%s: %s", l.Name, diff)
				}
			}
		})
	}
}

// Other shard sizes: the same rows in the same order, the same content hash, the
// same funnel and the same samples.
func TestSameRows(t *testing.T) {
	input, vocabulary := small.Write(t), pipelinetest.Vocabulary(t)
	links := chain.Links(input, vocabulary)
	roots := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	var all []map[string]*dataset.Manifest
	for i, shardBytes := range []int64{1 << 30, 50_000, 4_000} {
		all = append(all, chain.Run(t, links, roots[i], pipelinetest.Settings(shardBytes), pipelinetest.Plain(3)))
	}
	for _, l := range links {
		a, rows := all[0][l.Name], everyRow(t, filepath.Join(roots[0], l.Name))
		for i := 1; i < len(all); i++ {
			b := all[i][l.Name]
			if l.Fixed != (a.Plan.Units == b.Plan.Units) && (l.Fixed || i == 2) || a.Plan.Units > b.Plan.Units {
				t.Errorf("%s: %d units, and %d of smaller shards", l.Name, a.Plan.Units, b.Plan.Units)
			}
			if a.ContentXXH3 != b.ContentXXH3 || a.Rows != b.Rows {
				t.Errorf("%s: %d rows with hash %s, and %d with %s", l.Name, a.Rows, a.ContentXXH3, b.Rows, b.ContentXXH3)
			}
			if diff := cmp.Diff(a.Funnel, b.Funnel); diff != "" {
				t.Errorf("%s: funnel: %s", l.Name, diff)
			}
			if diff := cmp.Diff(rows, everyRow(t, filepath.Join(roots[i], l.Name))); diff != "" {
				t.Errorf("%s: rows: %.2000s", l.Name, diff)
			}
		}
	}
}

// Without a chosen size, a dataset of one shard with one row group makes several units,
// which give the rows of a single one.
func TestUnitsOfOneShard(t *testing.T) {
	if testing.Short() {
		t.Skip("some megabytes take seconds")
	}
	documents, _ := pipelinetest.Documents{Shards: 1, PerShard: 1900, Sentences: 80, Repeated: 1}.Write(t)
	for name, pipeline := range map[string]pipelinetest.Pipeline{
		"dedup":       pipelinetest.Parse[dedup.Config](t, "--documents", documents, "--level", "sentence"),
		"near":        pipelinetest.Parse[dedup.Config](t, "--documents", documents, "--near", "datatrove"),
		"wordcounts":  pipelinetest.Parse[wordcounts.Config](t, "--documents", documents),
		"consecutive": pipelinetest.Parse[pairs.Config](t, "--documents", documents),
		"examples": pipelinetest.Parse[examples.Config](t, "--documents", documents, "--vocabulary", pipelinetest.Vocabulary(t),
			"--max-tokens", "64"),
	} {
		whole, fine := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "fine")
		want := pipelinetest.RunTo(t, pipeline, whole, pipelinetest.Settings(1<<30), pipelinetest.Plain(2))
		m := pipelinetest.RunTo(t, pipeline, fine, pipelinetest.Settings(0), pipelinetest.Local(2))
		if least := want.Plan.Units + 2; m.Plan.Units < least {
			t.Errorf("%s: %d units, want at least %d", name, m.Plan.Units, least)
		}
		if m.ContentXXH3 != want.ContentXXH3 || m.Rows != want.Rows {
			t.Errorf("%s: %d rows with hash %s, and %d with %s", name, want.Rows, want.ContentXXH3, m.Rows, m.ContentXXH3)
		}
		if diff := cmp.Diff(want.Funnel, m.Funnel); diff != "" {
			t.Errorf("%s: funnel: %s", name, diff)
		}
		if !reflect.DeepEqual(everyRow(t, whole), everyRow(t, fine)) {
			t.Errorf("%s: other rows, or another order", name)
		}
	}
}

// everyRow returns the rows of a dataset, then its rejects.
func everyRow(t *testing.T, location string) []any {
	t.Helper()
	m, err := dataset.Load(t.Context(), storage.NewLocal(location))
	if err != nil {
		t.Fatal(err)
	}
	var rows []any
	switch m.Plan.Schema {
	case "document":
		rows = untyped(pipelinetest.Rows[schemas.Document](t, location))
	case "pair":
		rows = untyped(pipelinetest.Rows[schemas.Pair](t, location))
	case "pairscore":
		rows = untyped(pipelinetest.Rows[schemas.PairScore](t, location))
	case "contamination":
		rows = untyped(pipelinetest.Rows[schemas.Contamination](t, location))
	case "invertedlist":
		rows = untyped(pipelinetest.Rows[schemas.InvertedList](t, location))
	case "wordcount":
		rows = untyped(pipelinetest.Rows[schemas.WordCount](t, location))
	case "example":
		rows = untyped(pipelinetest.Rows[schemas.Example](t, location))
	case "benchmark":
		rows = untyped(pipelinetest.Rows[schemas.Benchmark](t, location))
	case "translation":
		rows = untyped(pipelinetest.Rows[schemas.Translation](t, location))
	default:
		t.Fatalf("rows of %s", m.Plan.Schema)
	}
	return append(rows, untyped(pipelinetest.Rejects(t, location))...)
}

func untyped[T any](rows []T) []any {
	all := make([]any, len(rows))
	for i := range rows {
		all[i] = rows[i]
	}
	return all
}

// Seeds change what is drawn and nothing else.
func TestSeed(t *testing.T) {
	input, vocabulary := small.Write(t), pipelinetest.Vocabulary(t)
	links := chain.Links(input, vocabulary)
	settings := pipelinetest.Settings(1 << 20)
	a := chain.Run(t, links, t.TempDir(), settings, pipelinetest.Plain(2))
	settings.Seed = 8
	b := chain.Run(t, links, t.TempDir(), settings, pipelinetest.Plain(2))
	drawn := map[string]bool{"consecutive": true, "examples": true, "views": true, "crosslingual": true, "benchmarks": true,
		"translate": true, "sample": true, "sample-pairs": true, "pairnoise": true, "index": true,
		"tatoeba": true, "mine-indexed": true} // a part that is held out, and what an index finds, are of another size
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if a[name].Rows != b[name].Rows && name != "tatoeba" && name != "mine-indexed" ||
			(a[name].ContentXXH3 != b[name].ContentXXH3) != drawn[name] {
			t.Errorf("%s: %d rows %s, with another seed %d rows %s", name, a[name].Rows, a[name].ContentXXH3, b[name].Rows,
				b[name].ContentXXH3)
		}
	}
}

// No manifest or plan holds a path of this machine.
func TestNoPaths(t *testing.T) {
	input, vocabulary := small.Write(t), pipelinetest.Vocabulary(t)
	for name, m := range chain.Run(t, chain.Links(input, vocabulary), t.TempDir(), pipelinetest.Settings(1<<20), pipelinetest.Plain(2)) {
		if strings.Contains(string(m.Plan.Config), "/tmp") || strings.Contains(string(m.Plan.Config), filepath.Dir(input)) {
			t.Errorf("%s: %s", name, m.Plan.Config)
		}
	}
}
