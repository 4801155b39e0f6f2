package examples

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
)

// Items become single texts with a class: their label, or what stars above a number say.
func TestBenchmarks(t *testing.T) {
	stars := 4.
	item := func(row int32, split, text, label string) schemas.Benchmark {
		return schemas.Benchmark{ID: schemas.DerivedID("b", split, text, label), Task: "MR", Split: split, Row: row, File: "f",
			LanguageA: "eng", TextA: text, Label: label}
	}
	pair := item(3, "train", "snow falls", "1")
	pair.TextB, pair.LanguageB = "snow", "eng"
	skipped := item(4, "train", "hills", "")
	skipped.Skip = true
	target := item(5, "train", "spring", "")
	target.Target = &stars
	rows := []schemas.Benchmark{item(0, "train", "rain", "0"), item(1, "train", "snow", "5"), item(2, "test", "rain", "1"), pair, skipped,
		target,
		item(6, "train", "hills", "good"), item(7, "train", "\u200b\u200b", "1"), item(8, "train", "falls", "-1")}
	for _, test := range []struct {
		args  []string
		want  map[int32]int32 // labels by the text's first token
		drops map[string]int64
	}{
		{[]string{"--splits", "train"}, map[int32]int32{rain: 0, 6: 5},
			map[string]int64{"items split other_split": 1, "items label two_texts": 1, "items label no_gold": 1,
				"items label unknown_label": 3, "items tokenize no_tokens": 1}},
		{[]string{"--splits", "train", "--above", "3"}, map[int32]int32{rain: 0, 6: 1, 13: 1, falls: 0},
			map[string]int64{"items split other_split": 1, "items label two_texts": 1, "items label no_gold": 1,
				"items label unknown_label": 1, "items tokenize no_tokens": 1}},
	} {
		m := newMaker(t)
		c := m.Config
		given := pipelinetest.Parse[Config](
			t, append([]string{"--benchmarks", datasettest.Write(t, nil, rows), "--vocabulary", c.Vocabulary}, test.args...)...)
		out, manifest := pipelinetest.Run(t, given, pipelinetest.Settings(1), pipelinetest.Plain(2))
		if err := manifest.Funnel.Check(); err != nil {
			t.Error(err)
		}
		got := map[int32]int32{}
		for _, e := range pipelinetest.Rows[schemas.Example](t, out) {
			if e.Kind != schemas.KindSingle || len(e.TokensA) != 3 || e.Label == nil || len(e.TokensB) > 0 {
				t.Fatalf("%+v", e)
			}
			got[e.TokensA[1]] = *e.Label
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%v: %s", test.args, diff)
		}
		if diff := cmp.Diff(test.drops, pipelinetest.Dropped(manifest)); diff != "" {
			t.Errorf("%v: %s", test.args, diff)
		}
	}
	// Of two texts, in some languages.
	german := item(9, "train", "snow", "0")
	german.TextB, german.LanguageA, german.LanguageB = "rain", "deu", "deu"
	mixed := item(10, "train", "rain", "1")
	mixed.TextB, mixed.LanguageB = "snow", "deu"
	named := item(11, "train", "falls", schemas.Labels()[2])
	named.TextB, named.LanguageB = "rain", "eng"
	silent := item(12, "train", "spring", "1")
	silent.TextB, silent.LanguageB = "\u200b\u200b", "eng"
	rows = append(rows, german, mixed, named, silent)
	m := newMaker(t)
	given := pipelinetest.Parse[Config](t, "--benchmarks", datasettest.Write(t, nil, rows), "--vocabulary", m.Config.Vocabulary, "--splits",
		"train", "--languages", "eng", "--two-texts")
	out, manifest := pipelinetest.Run(t, given, pipelinetest.Settings(1), pipelinetest.Plain(2))
	if err := manifest.Funnel.Check(); err != nil {
		t.Error(err)
	}
	labels := map[string]int32{}
	for _, e := range pipelinetest.Rows[schemas.Example](t, out) {
		if e.Kind != schemas.KindNLI || e.Label == nil || e.LanguageB != "eng" {
			t.Fatalf("%+v", e)
		}
		labels[fmt.Sprint(e.TokensA[1:len(e.TokensA)-1], e.TokensB[1:len(e.TokensB)-1])] = *e.Label
	}
	if diff := cmp.Diff(map[string]int32{fmt.Sprint([]int32{6, falls}, []int32{6}): 1, fmt.Sprint([]int32{falls}, []int32{rain}): 2},
		labels); diff != "" {
		t.Error(diff)
	}
	want := map[string]int64{"items split other_split": 1, "items split other_language": 2, "items label one_text": 6,
		"items label no_gold": 1, "items tokenize no_tokens": 1}
	if diff := cmp.Diff(want, pipelinetest.Dropped(manifest)); diff != "" {
		t.Error(diff)
	}
	c := newMaker(t).Config
	c.Documents, c.Benchmarks, c.Splits = "", datasettest.Write(t, nil, rows), []string{"trian"}
	if _, err := c.Plan(t.Context(), t.TempDir(), pipelinetest.Settings(1)); err == nil ||
		!strings.Contains(err.Error(), "has the split trian; there are test, train") {
		t.Errorf("a split that no item has: %v", err)
	}
	for _, c := range []Config{{Vocabulary: "v", Pairs: "p", Benchmarks: "b"}, {Vocabulary: "v", Pairs: "p", Above: 3},
		{Vocabulary: "v", Benchmarks: "b", Splits: []string{""}}} {
		if err := c.Validate(); err == nil ||
			!strings.Contains(err.Error(), map[bool]string{true: "give one of", false: "splits"}[c.Pairs != "" && c.Benchmarks != ""]) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
