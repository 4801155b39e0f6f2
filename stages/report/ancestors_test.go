package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage"
	"sentweave/stages/model"
	"sentweave/stages/vocab"
)

// The page opens with what the models were made of, in the order in which it was made.
func TestLineage(t *testing.T) {
	run := t.TempDir()
	documents := datasettest.Write(t, map[string]any{"min": 3}, []schemas.WordCount{{Word: "a", Language: "eng", Count: 9}})
	if err := os.Rename(documents, filepath.Join(run, "counts")); err != nil {
		t.Fatal(err)
	}
	m, err := dataset.Load(t.Context(), storage.NewLocal(filepath.Join(run, "counts")))
	if err != nil {
		t.Fatal(err)
	}
	learn := vocab.Config{
		WordCounts: filepath.Join(run, "counts"), Size: 7, Exponent: 1, Mode: "reference",
		Reserved: []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"},
		MinCount: 2, LowerThreshold: 2, UpperThreshold: 10, Iterations: 1, MaxWords: -1, MaxCharacters: 50, MaxUniqueCharacters: 10,
	}
	if _, _, err := vocab.Run(t.Context(), filepath.Join(run, "pieces"), learn, vocab.Options{}); err != nil {
		t.Fatal(err)
	}
	pieces, err := os.ReadFile(filepath.Join(run, "pieces", vocab.FileName))
	if err != nil {
		t.Fatal(err)
	}
	vocabulary := dataset.VocabularyInput(string(pieces)).XXH3
	encoder := filepath.Join(run, "encoder")
	record := `{"inputs": [{"role": "gone", "xxh3": "beef"}], "config": {"vocabulary": "` + vocabulary + `"}}`
	for name, text := range map[string]string{"config.json": "{}", "model.safetensors": "x", "training.json": record} {
		if err := os.MkdirAll(encoder, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(encoder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	in, err := model.Input(t.Context(), "model m", encoder)
	if err != nil {
		t.Fatal(err)
	}
	results := source{"results", &dataset.Manifest{Plan: dataset.Plan{Inputs: []dataset.Input{{Role: "task sts", XXH3: m.Check}, in}}}}
	list, err := Config{Lineage: []string{run}}.lineage(t.Context(), []source{results})
	if err != nil {
		t.Fatal(err)
	}
	page, err := experiment{Title: "t", Results: demo(), Models: models(), Ancestors: list}.Report()
	if err != nil || page.Sections[0].Title != "How the models were made" {
		t.Fatalf("%+v, %v", page.Sections[0], err)
	}
	text := string(page.Markdown())
	for _, want := range []string{
		"| counts | test, version 1, seed 0 | 1 | ", " | " + m.ContentXXH3 + " |  |\n| pieces | vocab, version 2 | 7 | – | " + vocabulary +
			" | wordcounts " + m.Check + " (1 file, ",
		") |\n| encoder | an encoder | – | – |  | gone beef, vocabulary " + vocabulary + " |", `| pieces | – | {"size":7,`,
		"| eng | 1 | 9 | 1.00 | 100.0 | 0.0 | 100.0 |",
		"| counts | items | read | 1 | 1 |  |", `| counts | ` + m.Plan.Hash + ` | {"min":3} |`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%.2000s", want, text)
		}
	}
	if _, err := (Config{Lineage: []string{run}}).lineage(t.Context(), nil); err == nil ||
		!strings.Contains(err.Error(), "no model of the results") {
		t.Error(err)
	}
	if _, err := (Config{Lineage: []string{t.TempDir()}}).lineage(t.Context(), nil); err == nil ||
		!strings.Contains(err.Error(), "does not exist, or is empty") {
		t.Error(err)
	}
}
