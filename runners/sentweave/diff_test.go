package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Results of two encoders differ by items, which are shown with their texts.
func TestDiffOfResults(t *testing.T) {
	base := t.TempDir()
	data, at := filepath.Join(base, "data"), func(name string) string { return filepath.Join(base, name) }
	if err := os.MkdirAll(filepath.Join(data, "tatoeba"), 0o777); err != nil {
		t.Fatal(err)
	}
	for code, text := range map[string]string{"deu": "Haus am See\nrot\n", "eng": "house\nSee\x1b[31m red\n"} {
		if err := os.WriteFile(filepath.Join(data, "tatoeba/tatoeba.deu-eng."+code), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for out, kind := range map[string]string{"words": "bow", "letters": "char3", "same": "bow"} {
		sentweave(t, "evaluate", "--out", at(out), "--data", data, "--tasks", "tatoeba", "--model", "m=baseline:"+kind).expect(
			t, 0, []string{"12 results"}, []string{"evaluate: m"})
	}
	sentweave(t, "diff", at("words"), at("same")).expect(t, 0, []string{"the datasets are equal\n", "!items"}, nil)
	sentweave(t, "diff", at("words"), at("letters")).expect(t, 1, []string{
		"items of tatoeba, m: 4 items, 1 worse, 0 better\n", "  worse  deu-eng deu 0: right to wrong\n", `    a: "Haus am See"`,
		`found after: "See\x1b[31m red"`, "the rows differ\n",
	}, nil)
	sentweave(t, "diff", at("words"), at("letters"), "--limit", "0").expect(t, 1, []string{"1 worse, 0 better\n", "!Haus"}, nil)
	sentweave(t, "diff", at("words"), at("letters"), "--json").expect(t, 1, []string{`"found_a": "house"`, `"change": -1`}, nil)
	sentweave(t, "diff", at("words"), at("letters"), "--models", "m=n").expect(
		t, 1, nil, []string{`models: "n" has no items: those that have some are m`})
	sentweave(t, "diff", at("words"), at("letters"), "--models", "=m", "--limit", "-1").expect(
		t, 2, nil, []string{"--models: want A=B", "--limit is -1"})
	if err := os.RemoveAll(filepath.Join(at("letters"), "items")); err != nil {
		t.Fatal(err)
	}
	sentweave(t, "diff", at("words"), at("letters")).expect(t, 1, []string{"the rows differ\n"},
		[]string{"note: items are not compared: " + at("letters") + " has no items"})
}
