package views_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/chrf"
)

// translation is a row of a memory; an empty text is one that was rejected.
func translation(source, target, text, translated string) schemas.Translation {
	i := engines.Identity{Engine: "test"}
	t := schemas.Translation{
		Key: i.Key(engines.Pair{Source: source, Target: target}, text), Engine: "test", OptionsXXH3: i.OptionsXXH3(),
		SourceLanguage: source, TargetLanguage: target,
		Text: text, Translation: translated, Status: schemas.TranslationOK,
	}
	if translated == "" {
		t.Status, t.Reason = schemas.TranslationRejected, "empty"
	}
	return t
}

func memory(t *testing.T, shards ...[]schemas.Translation) string {
	return datasettest.Write(t, nil, shards...)
}

// Texts go there and back through the text in the pivot language, whatever unit it
// is in; what was not translated, rejected on either way, or comes back as it
// was, gives no view.
func TestBackTranslation(t *testing.T) {
	documents := datasettest.Write(t, nil,
		[]schemas.Document{pipelinetest.DocumentOf(1, "eng", "The house is big.", "Same\u00a0again. ", "Never seen.", "Half way.")},
		[]schemas.Document{pipelinetest.DocumentOf(2, "eng", "The house is big.", "Rejected there.", "Rejected back.", "A big house."),
			pipelinetest.DocumentOf(3, "spa", "La casa es grande.")})
	there := memory(t,
		[]schemas.Translation{translation("eng", "spa", "The house is big.", "La casa es grande."),
			translation("eng", "spa", "Same again.", "Igual otra vez.")},
		[]schemas.Translation{translation("eng", "spa", "Half way.", "A medio camino."), translation("eng", "spa", "Rejected there.", ""),
			translation("eng", "spa", "Rejected back.", "Malo."),
			translation("eng", "spa", "A big house.", "La casa es grande."),
			translation("eng", "fra", "The house is big.", "La maison est grande.")})
	back := memory(t, []schemas.Translation{
		translation("spa", "eng", "La casa es grande.", "The house is large."), translation("spa", "eng", "Igual otra vez.", "Same again."),
		translation("spa", "eng", "Malo.", ""),
		translation("fra", "eng", "La maison est grande.", "The home is big."),
	})
	args := []string{"back-translation", "--texts", documents, "--there", there, "--back", back}
	rows, m, _ := run(t, append(args, "--through", "es")...)
	if diff := cmp.Diff([]string{"The house is big. > The house is large.", "The house is big. > The house is large.",
		"A big house. > The house is large."}, lines(rows)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int64{
		"texts language other_language": 1, "texts translation not_translated": 3, "texts translation rejected": 1, "texts view copy": 1,
	}, pipelinetest.Dropped(m)); diff != "" {
		t.Error(diff)
	}
	first := rows[0]
	if first.Kind != schemas.KindView || first.Origin != "back-translation" || *first.Group != *rows[1].Group || first.ID == rows[1].ID ||
		first.LanguageB != "eng" ||
		*first.Score != float32(chrf.Segment("The house is large.", "The house is big.")) {
		t.Errorf("%+v", first)
	}
	rows, m, _ = run(t, append(args, "--through", "es", "--min-chrf", "70")...)
	if len(rows) != 0 || pipelinetest.Dropped(m)["texts translation round_trip"] != 3 {
		t.Errorf("with a least score: %q, %v", lines(rows), pipelinetest.Dropped(m))
	}
	// Through two languages both sides are back-translations.
	rows, _, _ = run(t, append(args, "--through", "es,fr")...)
	if diff := cmp.Diff([]string{"The house is large. > The home is big.", "The house is large. > The home is big."},
		lines(rows)); diff != "" {
		t.Error(diff)
	}
	if *rows[0].Group != *first.Group {
		t.Error("the group is not that of the text")
	}
}

// Each translation of a text is a pair in two languages; of several memories the
// first that can be used counts.
func TestTranslationViews(t *testing.T) {
	pairs := datasettest.Write(t, nil, []schemas.Pair{{
		ID: schemas.DerivedID("x"), Kind: schemas.KindConsecutive, TextA: "One.", TextB: "Two.", LanguageA: "eng", LanguageB: "eng",
		Origin: "x",
	}})
	first := memory(t, []schemas.Translation{translation("eng", "spa", "One.", ""), translation("eng", "deu", "One.", "Eins.")})
	second := memory(t, []schemas.Translation{translation("eng", "spa", "One.", "Uno."), translation("eng", "deu", "One.", "Einer."),
		translation("eng", "deu", "Two.", "Zwei.")})
	rows, m, _ := run(t, "translation", "--texts", pairs, "--there", first+","+second, "--targets", "de,es")
	if diff := cmp.Diff([]string{"One. > Eins.", "One. > Uno.", "Two. > Zwei."}, lines(rows)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int64{"texts translation not_translated": 1}, pipelinetest.Dropped(m)); diff != "" {
		t.Error(diff)
	}
	if r := rows[1]; r.Kind != schemas.KindBitext || r.LanguageB != "spa" || r.Origin != "translation" || *r.Group != *rows[0].Group ||
		r.ID == rows[0].ID {
		t.Errorf("%+v", r)
	}
}

// A text that occurs several times, in one row, one shard or another, gives each of
// its pairs once: that of its first place which is wanted.
func TestTranslationViewsOnce(t *testing.T) {
	there := memory(t, []schemas.Translation{
		translation("eng", "spa", "One.", "Uno."), translation("eng", "deu", "One.", "Eins."), translation("eng", "spa", "Two.", "Dos."),
		translation("eng", "deu", "Two.", ""),
		translation("eng", "spa", "OK", "OK"),
	})
	documents := datasettest.Write(t, nil,
		[]schemas.Document{pipelinetest.DocumentOf(1, "eng", "Two.", "One.", "One.", "OK"), pipelinetest.DocumentOf(2, "deu", "One.")},
		[]schemas.Document{pipelinetest.DocumentOf(3, "eng", "One.", "Two.", "OK"), pipelinetest.DocumentOf(4, "eng", " One. ")})
	args := []string{"translation", "--there", there, "--targets", "es,de", "--texts"}
	rows, m, _ := run(t, append(args, documents)...)
	if diff := cmp.Diff([]string{"Two. > Dos.", "One. > Uno.", "One. > Eins."}, lines(rows)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int64{
		"texts language other_language": 1, "texts translation rejected": 2, "texts translation not_translated": 2, "texts view copy": 1,
		"texts view repeated": 8,
	}, pipelinetest.Dropped(m)); diff != "" {
		t.Error(diff)
	}

	item := func(n, split, a, b string) schemas.Benchmark {
		return schemas.Benchmark{ID: schemas.DerivedID(n), Task: "snli", Split: split, File: "f", LanguageA: "eng", LanguageB: "eng",
			TextA: a, TextB: b, Label: "neutral"}
	}
	items := datasettest.Write(t, nil,
		[]schemas.Benchmark{item("1", "test", "One.", "Two."), item("2", "train", "Two.", "Two.")},
		[]schemas.Benchmark{item("3", "train", "One.", "Two."), item("4", "train", "One.", "One.")})
	rows, _, _ = run(t, append(args, items, "--splits", "train")...)
	if diff := cmp.Diff([]string{"Two. > Dos.", "One. > Uno.", "One. > Eins."}, lines(rows)); diff != "" {
		t.Error(diff)
	}
	for _, r := range rows {
		if r.Origin != "translation snli/train" {
			t.Errorf("%+v", r)
		}
	}
}
