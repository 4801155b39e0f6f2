package vocab

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage"
	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/formats"
)

func words() []schemas.WordCount {
	return []schemas.WordCount{
		{Word: "walked", Language: "eng", Count: 30}, {Word: "walker", Language: "eng", Count: 20},
		{Word: "talked", Language: "eng", Count: 10},
		{Word: "gehen", Language: "deu", Count: 9}, {Word: "gehend", Language: "deu", Count: 5},
		{Word: "selten", Language: "deu", Count: 1},
	}
}

func config(location string) Config {
	return Config{
		WordCounts: location, Size: 60, Exact: true, Exponent: .5, Mode: "reference",
		Reserved: []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"},
		MinCount: 2, LowerThreshold: 2, UpperThreshold: 1000, Iterations: 4, MaxWords: -1, MaxCharacters: 50, MaxUniqueCharacters: 100,
	}
}

func TestRun(t *testing.T) {
	output := filepath.Join(t.TempDir(), "vocabulary")
	c := config(datasettest.Write(t, nil, words()))
	record, done, err := Run(t.Context(), output, c, Options{})
	if err != nil || done {
		t.Fatal(done, err)
	}
	data, err := os.ReadFile(filepath.Join(output, FileName))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) != record.Pieces || !cmp.Equal(lines[:5], c.Reserved) {
		t.Errorf("%d pieces, the record says %d; they begin with %q", len(lines), record.Pieces, lines[:5])
	}
	if !strings.Contains(string(data), "\nwalked\n") {
		t.Errorf("the most frequent word is not a piece: %q", lines)
	}
	if s := record.Languages["eng"]; s.Words != 60 || s.Unknown != 0 {
		t.Errorf("eng: %+v", s)
	}
	again, done, err := Run(t.Context(), output, c, Options{})
	if err != nil || !done {
		t.Errorf("second run: %t, %v", done, err)
	}
	if diff := cmp.Diff(record, again, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "Record.Config.WordCounts" },
		cmp.Ignore())); diff != "" {
		t.Errorf("the record changes when it is read back:\n%s", diff)
	}

	other := c
	other.Size = 25
	if _, _, err := Run(t.Context(), output, other, Options{}); !errors.Is(err, dataset.ErrOtherPlan) ||
		!strings.Contains(err.Error(), `config size is 60`) {
		t.Errorf("another size: %v", err)
	}
	replaced, done, err := Run(t.Context(), output, other, Options{Overwrite: true})
	if err != nil || done || replaced.Pieces == record.Pieces {
		t.Errorf("overwriting: %t, %v", done, err)
	}
}

// "selten" is too rare to be learned from, so that its first character is unknown.
func TestCoverage(t *testing.T) {
	output := t.TempDir()
	record, _, err := Run(t.Context(), output, config(datasettest.Write(t, nil, words())), Options{})
	if err != nil {
		t.Fatal(err)
	}
	// "gehen" and "gehend" are pieces, 9·5 + 5·6 = 75 characters in 14 words.
	want := Coverage{Words: 15, Unknown: 1. / 15, PiecesPerWord: 1, CharactersPerPiece: 75. / 14, DifferentWords: 3, OnePiece: 2. / 3,
		KnownCharacters: 80. / 81}
	if diff := cmp.Diff(want, record.Languages["deu"]); diff != "" {
		t.Error(diff)
	}
	table, err := os.ReadFile(filepath.Join(output, CoverageName))
	if err != nil || !strings.HasPrefix(string(table), "language,different_words,words,pieces_per_word,") ||
		!strings.Contains(string(table), "\ndeu,3,15,1,") || !strings.Contains(string(table), "\neng,3,60,1,6,1,0,1\n") {
		t.Errorf("%s, %v", table, err)
	}
}

func TestDamageIsMended(t *testing.T) {
	output := t.TempDir()
	c := config(datasettest.Write(t, nil, words()))
	record, _, err := Run(t.Context(), output, c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(output, FileName), []byte("[UNK]\nx\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(t.Context(), storage.NewLocal(output)); !errors.Is(err, dataset.ErrCorrupt) {
		t.Errorf("another vocabulary under the record: %v", err)
	}
	again, done, err := Run(t.Context(), output, c, Options{})
	if err != nil || done || again.Hash != record.Hash {
		t.Errorf("run over damage: %t, %v", done, err)
	}
}

// A vocabulary of Unigram is a tokenizer.json that gives ids, in the place of the vocabulary of another model.
func TestUnigram(t *testing.T) {
	output := t.TempDir()
	if _, _, err := Run(t.Context(), output, config(datasettest.Write(t, nil, words())), Options{}); err != nil {
		t.Fatal(err)
	}
	c := Config{WordCounts: datasettest.Write(t, map[string]bool{"spaces": true}, words()), Model: unigramModel, Size: 24, Exponent: .5,
		CharacterCoverage: 1, SeedSize: 100}
	record, _, err := Run(t.Context(), output, c, Options{Overwrite: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(output, FileName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the vocabulary of WordPiece: %v", err)
	}
	v, err := formats.Read(t.Context(), formats.Locate(t.Context(), output))
	if err != nil {
		t.Fatal(err)
	}
	special, err := v.Special()
	if err != nil || v.Size() != c.Size || record.Pieces != c.Size || special.Padding != 1 || special.Mask != 23 {
		t.Errorf("%d pieces with the special ids %v, %v", v.Size(), special, err)
	}
	if ids := v.(tokens.Tokenizer).Encode(nil, "walked  gehend"); v.Decode(ids) != "walked gehend" || record.Languages["eng"].Unknown != 0 {
		t.Errorf("%v is %q", ids, v.Decode(ids))
	}
	again, done, err := Run(t.Context(), output, c, Options{})
	if err != nil || !done || again.Hash != record.Hash {
		t.Errorf("second run: %t, %v", done, err)
	}
	c.SeedSize++
	if _, _, err := Run(t.Context(), output, c, Options{}); err == nil || !strings.Contains(err.Error(), "config seed_size is 100 there") {
		t.Errorf("other seeds: %v", err)
	}
	c.Size = 1000
	if _, _, err := Run(t.Context(), t.TempDir(), c, Options{}); err == nil || !strings.Contains(err.Error(), "give at most") {
		t.Errorf("too many pieces: %v", err)
	}
	for model, spaces := range map[string]bool{"": true, unigramModel: false} {
		other := config(datasettest.Write(t, map[string]bool{"spaces": spaces}, words()))
		other.Model, other.CharacterCoverage, other.SeedSize = model, 1, 100
		_, _, err := Run(t.Context(), t.TempDir(), other, Options{})
		if err == nil || !strings.Contains(err.Error(), "wordcounts: its words are") {
			t.Errorf("model %q of words between spaces %t: %v", model, spaces, err)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	c := config(datasettest.Write(t, nil, words()))
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "thesis.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Run(t.Context(), foreign, c, Options{Overwrite: true}); err == nil || !strings.Contains(err.Error(), "thesis.txt") {
		t.Errorf("a folder of others: %v", err)
	}
	if _, _, err := Run(t.Context(), t.TempDir(), config(t.TempDir()), Options{}); !errors.Is(err, dataset.ErrNoDataset) {
		t.Errorf("no word counts: %v", err)
	}
	if _, _, err := Run(t.Context(), t.TempDir(), config(datasettest.Write(t, nil, []schemas.WordCount{})), Options{}); err == nil {
		t.Error("empty word counts gave no error")
	}
	bad := c
	bad.Size, bad.Exponent, bad.Reserved = 1, 3, []string{"a\nb"}
	err := bad.Validate()
	for _, part := range []string{"size 1", "exponent 3", "holds a space"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not name %q", err, part)
		}
	}
}
