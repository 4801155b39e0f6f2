package mine_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sentweave/pipelines/index"
	"sentweave/pipelines/mine"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
)

func indexOf(t testing.TB, vectors string, lists int) string {
	t.Helper()
	location, _ := pipelinetest.Run(t, pipelinetest.Parse[index.Config](t, "--vectors", vectors, "--lists", fmt.Sprint(lists)),
		pipelinetest.Settings(0), pipelinetest.Plain(2))
	return location
}

// recall returns how many of the exact neighbours of the sample an index has found.
func recall(m *dataset.Manifest) (found, of int64) {
	for _, c := range m.Funnel.Chains {
		if c.Items == "exact neighbours" {
			return c.Steps[0].Total().Out, c.Steps[0].Total().In
		}
	}
	return 0, 0
}

// With all lists pairs, scores and shards are those of exact search, whatever is wanted of them; with few lists the neighbours
// that are missed are counted.
func TestIndexed(t *testing.T) {
	both := datasettest.Write(t, nil, append(pipelinetest.Rows[schemas.Embedding](t, pipelinetest.Vectors(t, "deu", 60, true)),
		pipelinetest.Rows[schemas.Embedding](t, pipelinetest.Vectors(t, "eng", 60, true))...))
	deu, eng := pipelinetest.Vectors(t, "deu", 60, false), pipelinetest.Vectors(t, "eng", 60, false)
	for name, test := range map[string]struct {
		source, target string
		args           []string
	}{
		"pairs":     {deu, eng, nil},
		"ties":      {both, both, []string{"--languages", "deu,eng", "--margin", "distance", "--threshold=-9", "--retrieval", "intersect"}},
		"negatives": {deu, eng, []string{"--negatives", "2", "--k", "5", "--retrieval", "fwd"}},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"--source", test.source, "--target", test.target}, test.args...)
			indexes := append(args, "--source-index", indexOf(t, test.source, 9), "--target-index", indexOf(t, test.target, 7), "--probes")
			run := func(parallelism int, args ...string) (string, *dataset.Manifest) {
				c := pipelinetest.Parse[mine.Config](t, args...)
				return pipelinetest.Run(t, c, pipelinetest.Settings(20_000), pipelinetest.Plain(parallelism))
			}
			_, exact := run(2, args...)
			_, m := run(2, append(indexes, "9")...)
			if exact.ContentXXH3 != m.ContentXXH3 || exact.Rows == 0 {
				t.Errorf("%d rows with hash %s, want %d with %s", m.Rows, m.ContentXXH3, exact.Rows, exact.ContentXXH3)
			}
			if found, of := recall(m); of == 0 || found != of {
				t.Errorf("found %d of %d neighbours", found, of)
			}
			few, m := run(1, append(indexes, "1")...)
			other, _ := run(3, append(indexes, "1")...)
			if !maps.Equal(pipelinetest.Digests(t, few), pipelinetest.Digests(t, other)) {
				t.Error("other bytes at other parallelism")
			}
			if found, of := recall(m); found == 0 || found >= of {
				t.Errorf("with one list found %d of %d neighbours", found, of)
			}
		})
	}
}

// Of two sources and five targets in two lists, 0° to 45° and 60° to 100°, with one probe and k 2: the source at 50° looks into
// the second list, so its neighbours 45° and 60° are found half, and those of the source at 0° are all found. Backward both
// sources are in one list.
func TestRecallByHand(t *testing.T) {
	write := func(language string, degrees ...float64) string {
		var rows []schemas.Embedding
		for i, d := range degrees {
			sin, cos := math.Sincos(d * math.Pi / 180)
			rows = append(rows, schemas.Embedding{ID: fmt.Sprint(language, i), Language: language, Text: fmt.Sprint(language, i),
				Vector: []float32{float32(cos), float32(sin)}})
		}
		return datasettest.Write(t, nil, rows)
	}
	deu, eng := write("deu", 0, 50), write("eng", 0, 10, 45, 60, 100)
	_, m := mineTo(t, 0, "--source", deu, "--target", eng, "--source-index", indexOf(t, deu, 1), "--target-index", indexOf(t, eng, 2),
		"--probes", "1", "--k", "2", "--threshold=-9")
	if found, of := recall(m); found != 13 || of != 14 {
		t.Errorf("found %d of %d neighbours, want 13 of 14", found, of)
	}
	want := "recall@2 of the index is 92.86 %: of the 14 nearest sentences of a sample, by exact search, it found 13; --probes raises it"
	_, all := mineTo(t, 0, "--source", deu, "--target", eng, "--source-index", indexOf(t, deu, 1), "--target-index", indexOf(t, eng, 5),
		"--probes", "1", "--k", "2", "--threshold=-9")
	if found, of := recall(all); found != of || of == 0 {
		t.Errorf("found %d of %d neighbours of sentences that are compared with all", found, of)
	}
	if notes := (mine.Config{K: 2}).Shortfalls(m); !slices.Contains(notes, want) {
		t.Errorf("notes are %q, want %q", notes, want)
	}
}

// Misuse and an index of something else are found before any work.
func TestIndexRefused(t *testing.T) {
	deu, eng := pipelinetest.Vectors(t, "deu", 20, false), pipelinetest.Vectors(t, "eng", 20, false)
	of := map[string]string{"deu": indexOf(t, deu, 3), "eng": indexOf(t, eng, 4)}
	damaged := func(change func(l *schemas.InvertedList)) string {
		folder, m, err := dataset.OpenAs[schemas.InvertedList](t.Context(), of["eng"])
		if err != nil {
			t.Fatal(err)
		}
		var rows []schemas.InvertedList
		for row, err := range dataset.Rows[schemas.InvertedList](t.Context(), folder, m) {
			if err != nil {
				t.Fatal(err)
			}
			change(&row)
			rows = append(rows, row)
		}
		return datasettest.WriteDraft(t, dataset.Draft{Config: struct{}{}, Inputs: m.Plan.Inputs}, rows)
	}
	other := damaged(func(l *schemas.InvertedList) {
		if len(l.Rows) == 0 {
			l.Vectors = l.Vectors[4:]
		}
	})
	beyond := damaged(func(l *schemas.InvertedList) {
		if n := len(l.Rows); n > 0 {
			l.Rows[n-1] += 1000
		}
	})
	for name, test := range map[string]struct{ source, target, probes, want string }{
		"other vectors": {of["deu"], of["deu"], "1", "target-index: " + of["deu"] + " is an index of other vectors than those of " + eng},
		"dimensions":    {of["deu"], other, "1", "list 0 has vectors or rows that the embeddings do not have"},
		"rows":          {of["deu"], beyond, "1", "has vectors or rows that the embeddings do not have"},
		"one index":     {"", of["eng"], "1", "source-index and target-index go together"},
		"probes alone":  {"", "", "1", "probes has no effect without source-index and target-index"},
		"no index":      {deu, of["eng"], "1", "holds rows of embedding v1, this step reads invertedlist"},
	} {
		t.Run(name, func(t *testing.T) {
			c := mine.Config{Source: deu, Target: eng, SourceIndex: test.source, TargetIndex: test.target}
			c.Margin, c.Retrieval, c.K = "ratio", "max", 4
			c.Probes, _ = strconv.Atoi(test.probes)
			if err := pipelinetest.Fails(t, c, pipelinetest.Settings(0)); !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
}
