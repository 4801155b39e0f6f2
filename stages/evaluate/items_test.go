package evaluate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/evaluate/encoders"
)

// rowsAt are all rows of a dataset that verifies.
func rowsAt[T schemas.Row](t *testing.T, location string) []T {
	t.Helper()
	folder := storage.NewLocal(location)
	if _, err := dataset.Verify(t.Context(), folder); err != nil {
		t.Error(err)
	}
	rows, err := dataset.ReadAll[T](t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Each model has a row for each item, whose texts are beside it once. By hand.
func TestItems(t *testing.T) {
	out := filepath.Join(t.TempDir(), "results")
	files := map[string]string{"tatoeba/tatoeba.deu-eng.deu": "b a\nc b\n", "tatoeba/tatoeba.deu-eng.eng": "a b\na\n"}
	c := Config{Data: storagetest.WriteFiles(t, storagetest.WriteFiles(t, t.TempDir(), sts13), files), Tasks: []string{"sts13", "tatoeba"},
		Split: "test"}
	models := encoders.Models{Baseline: []string{"bow", "char3"}}
	if _, _, err := Run(t.Context(), out, c, Options{Models: models}); err != nil {
		t.Fatal(err)
	}
	texts := map[uint64]string{}
	for _, x := range rowsAt[schemas.Text](t, filepath.Join(out, dataset.TextsFolder)) {
		if _, twice := texts[x.ID]; twice {
			t.Errorf("%+v occurs twice", x)
		}
		texts[x.ID] = x.Language + ":" + x.Text
	}
	items := rowsAt[schemas.Item](t, filepath.Join(out, dataset.ItemsFolder))
	var got []string
	for _, i := range items {
		if i.Model != "bow" || i.Subtask == "headlines" || i.Subtask == "OnWN" {
			continue
		}
		line := fmt.Sprintf("%s %s %d %s %s %g", i.Subtask, i.Language, i.Position, texts[i.TextA], texts[*i.TextB], i.Score)
		if i.Gold != nil {
			line += fmt.Sprintf(" gold %g", *i.Gold)
		}
		if i.Found != nil {
			line += " found " + texts[*i.Found]
		}
		got = append(got, line)
	}
	want := []string{
		"FNWN eng 0 eng:a b eng:a c 0.5 gold 1", "FNWN eng 1 eng:a b eng:a b 1 gold 2", "FNWN eng 2 eng:a eng:b 0 gold 0",
		"deu-eng deu 0 deu:b a eng:a b 1 found eng:a b", "deu-eng deu 1 deu:c b eng:a 0 found eng:a b",
		"eng-deu deu 0 eng:a b deu:b a 1 found deu:b a", "eng-deu deu 1 eng:a deu:c b 0 found deu:b a",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	if len(items) != 2*(3+2+2+4) {
		t.Errorf("%d items", len(items))
	}
}

// An evaluation that stops, and goes on, has the items of one that did not; --overwrite replaces
// them with the results.
func TestItemsOfAnInterruptedRun(t *testing.T) {
	c := Config{Data: storagetest.WriteFiles(t, t.TempDir(), sts13), Tasks: []string{"sts13"}, Split: "test"}
	models := encoders.Models{Baseline: []string{"bow", "char3"}}
	root := t.TempDir()
	whole, cut := filepath.Join(root, "whole"), filepath.Join(root, "cut")
	for _, out := range []string{whole, cut} {
		if _, _, err := Run(t.Context(), out, c, Options{Models: models}); err != nil {
			t.Fatal(err)
		}
	}
	manifests := []string{dataset.ManifestName, "items/" + dataset.ManifestName, "texts/" + dataset.ManifestName}
	for _, gone := range [][]string{
		{"manifest.json", "_run/units/00001.json", "data/part-00001.parquet"},
		{"manifest.json", "_run/units/00001.json", "items/manifest.json", "items/_run/units/00001.json", "items/data/part-00001.parquet"},
		{"manifest.json", "_run/units/00000.json", "_run/units/00001.json", "texts/manifest.json", "texts/_run/units/00000.json",
			"items/manifest.json"},
	} {
		for _, name := range gone {
			if err := os.Remove(filepath.Join(cut, name)); err != nil {
				t.Fatal(err)
			}
		}
		if _, done, err := Run(t.Context(), cut, c, Options{Models: models}); err != nil || done {
			t.Fatal(err, done)
		}
		for _, name := range manifests {
			a, errA := os.ReadFile(filepath.Join(whole, name))
			b, errB := os.ReadFile(filepath.Join(cut, name))
			if errA != nil || errB != nil || string(a) != string(b) {
				t.Errorf("without %v: %s differs: %v, %v", gone, name, errA, errB)
			}
		}
	}
	models.Baseline = []string{"bow"}
	if _, _, err := Run(t.Context(), cut, c, Options{Models: models, Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	if n := len(rowsAt[schemas.Item](t, filepath.Join(cut, "items"))); n != 7 {
		t.Errorf("%d items", n)
	}
}
