package texts_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/texts"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
)

// id is the n-th of some identities.
func id(n int) string { return schemas.DerivedID("test", string(rune('a'+n))) }

func all(t *testing.T, location string, shardBytes int64) (list []texts.Text) {
	t.Helper()
	source, err := texts.Open(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	m := source.Manifest()
	sent := texts.Source{Dataset: source.Dataset, Schema: source.Schema}
	if err := sent.Reopen(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, unit := range dataset.Pack(m.Pieces(shardBytes), shardBytes) {
		if err := sent.Each(t.Context(), unit, func(x texts.Text) error { list = append(list, x); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// short is what the tests compare of a text.
func short(list []texts.Text) (lines []string) {
	for _, x := range list {
		line := x.Language + " " + x.Side + " " + x.Text
		if x.Group != nil {
			line += " group"
		}
		if x.Document != "" {
			line += " document"
		}
		if x.Position != nil {
			line += " " + string(rune('0'+*x.Position))
		}
		lines = append(lines, line)
	}
	return lines
}

func TestTexts(t *testing.T) {
	group, position := new(uint64(9)), new(int32(4))
	for name, test := range map[string]struct {
		location string
		want     []string
	}{
		"document": {datasettest.Write(
			t, nil, []schemas.Document{pipelinetest.DocumentOf(1, "eng", "One.", "Two.", "One."),
				pipelinetest.DocumentOf(2, "deu", "Eins.")}),
			[]string{"eng  One. document 0", "eng  Two. document 1", "eng  One. document 2", "deu  Eins. document 0"}},
		"pair": {datasettest.Write(t, nil, []schemas.Pair{
			{ID: id(0), Kind: schemas.KindBitext, TextA: "One.", TextB: "Eins.", LanguageA: "eng", LanguageB: "deu", Group: group,
				DocumentA: id(7), PositionA: position, Origin: "o"},
			{ID: id(1), Kind: schemas.KindSingle, TextA: "Two.", LanguageA: "eng", Origin: "o"},
		}), []string{"eng a One. group document 4", "deu b Eins. group", "eng a Two."}},
		// Two versions of one item, and one item without gold of which a text is missing.
		"benchmark": {datasettest.Write(t, nil, []schemas.Benchmark{
			{ID: id(0), Task: "xnli", File: "f", LanguageA: "eng", LanguageB: "eng", TextA: "One.", TextB: "Two.", Label: "neutral"},
			{ID: id(0), Task: "xnli", File: "f", LanguageA: "deu", LanguageB: "deu", TextA: "One.", TextB: "Zwei.", Label: "neutral"},
			{ID: id(1), Task: "xnli", File: "f", LanguageA: "deu", LanguageB: "deu", TextB: "Drei.", Skip: true},
		}), []string{"eng a One.", "eng b Two.", "deu a One.", "deu b Zwei.", "deu b Drei."}},
		"translation": {datasettest.Write(t, nil, []schemas.Translation{
			{Key: id(0), Engine: "e", SourceLanguage: "eng", TargetLanguage: "spa", Text: "One.", Translation: "Uno.",
				Status: schemas.TranslationOK},
			{Key: id(1), Engine: "e", SourceLanguage: "eng", TargetLanguage: "spa", Text: "Two.", Translation: "Two.",
				Status: schemas.TranslationRejected, Reason: "copied"},
		}), []string{"spa  Uno."}},
	} {
		t.Run(name, func(t *testing.T) {
			list := all(t, test.location, 1<<20)
			if diff := cmp.Diff(test.want, short(list)); diff != "" {
				t.Error(diff)
			}
			seen := map[string]bool{}
			for _, x := range list {
				if seen[x.ID] || !schemas.IsID(x.ID) {
					t.Errorf("the id %q of %q is none, or occurs twice", x.ID, x.Text)
				}
				seen[x.ID] = true
			}
			if diff := cmp.Diff(list, all(t, test.location, 1)); diff != "" {
				t.Errorf("in other units: %s", diff)
			}
		})
	}
}

// What stops the caller stops the reading.
func TestStops(t *testing.T) {
	source, err := texts.Open(t.Context(), datasettest.Write(t, nil, []schemas.Document{pipelinetest.DocumentOf(1, "eng", "One.", "Two.")}))
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	n := 0
	unit := dataset.Pack(source.Manifest().Pieces(1), 1)[0]
	err = source.Each(context.Background(), unit, func(texts.Text) error { n++; return stop })
	if !errors.Is(err, stop) || n != 1 {
		t.Errorf("%d texts, %v", n, err)
	}
}

func TestOpenFails(t *testing.T) {
	counts := datasettest.Write(t, nil, []schemas.WordCount{{Word: "a", Language: "eng", Count: 1}})
	for location, want := range map[string]string{
		counts:                                "holds rows of wordcount v1, this step reads document, pair, benchmark, translation",
		t.TempDir():                           "no dataset",
		filepath.Join(t.TempDir(), "not yet"): "no dataset",
	} {
		_, err := texts.Open(t.Context(), location)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), location) {
			t.Errorf("%v, want %q and %s", err, want, location)
		}
	}
}

// Units of a job name rows of the dataset for which it was planned.
func TestReopenAnew(t *testing.T) {
	location := datasettest.Write(t, nil, []schemas.Document{pipelinetest.DocumentOf(1, "eng", "One.")})
	source, err := texts.Open(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	other := datasettest.Write(t, nil, []schemas.Document{pipelinetest.DocumentOf(1, "eng", "Other.")})
	if err := os.RemoveAll(location); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, location); err != nil {
		t.Fatal(err)
	}
	if err := source.Reopen(t.Context()); err == nil || !strings.Contains(err.Error(), "made anew") {
		t.Errorf("%v", err)
	}
}
