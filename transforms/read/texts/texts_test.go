package texts

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	"sentweave/schemas"
)

func TestTexts(t *testing.T) {
	position, group := new(int32(4)), new(uint64(9))
	row := schemas.DerivedID("row")
	for name, test := range map[string]struct {
		texts iter.Seq[Text]
		want  []string
	}{
		"document": {OfDocument(schemas.Document{
			ID: row, Sentences: []schemas.Sentence{{Text: "One.", Language: "eng", Position: 3},
				{Text: "Zwei.", Language: "deu", Position: 4}}}),
			[]string{"One. eng  3 true", "Zwei. deu  4 true"}},
		"pair": {OfPair(schemas.Pair{ID: row, TextA: "One.", LanguageA: "eng", TextB: "Eins.", LanguageB: "deu",
			PositionA: position, Group: group}), []string{"One. eng a 4 false", "Eins. deu b - false"}},
		"single":       {OfPair(schemas.Pair{ID: row, TextA: "One.", LanguageA: "eng"}), []string{"One. eng a - true"}},
		"second alone": {OfBenchmark(schemas.Benchmark{ID: row, TextB: "Eins.", LanguageB: "deu"}), []string{"Eins. deu b - true"}},
		"empty item":   {OfItem(schemas.Benchmark{ID: row, LanguageA: "deu"}), []string{". deu a - true"}},
		"without gold": {OfItem(schemas.Benchmark{ID: row, LanguageA: "deu", Skip: true}), nil},
		"no text":      {OfBenchmark(schemas.Benchmark{ID: row}), nil},
		"translation": {OfTranslation(
			schemas.Translation{Key: row, Translation: "Uno.", TargetLanguage: "spa", Status: schemas.TranslationOK}),
			[]string{"Uno. spa  - true"}},
		"a rejected one": {OfTranslation(
			schemas.Translation{Key: row, Translation: "Uno.", TargetLanguage: "spa", Status: schemas.TranslationRejected}), nil},
	} {
		var got []string
		ids := map[string]bool{}
		for x := range test.texts {
			at := "-"
			if x.Position != nil {
				at = fmt.Sprint(*x.Position)
			}
			got = append(got, fmt.Sprintf("%s %s %s %s %v", x.Text, x.Language, x.Side, at, x.Meaning() != 9))
			if ids[x.ID] = true; x.Row != row || !schemas.IsID(x.ID) {
				t.Errorf("%s: %+v", name, x)
			}
		}
		if !slices.Equal(got, test.want) || len(ids) != len(got) {
			t.Errorf("%s: %q with %d ids, want %q", name, got, len(ids), test.want)
		}
		for range test.texts { // nothing is given after the end
			break
		}
	}
	// White space aside, equal texts mean the same wherever they stand.
	a, b := Text{Text: " One.\n", Document: "d"}, Text{Text: "One.", Side: SideB}
	if a.Meaning() != b.Meaning() || a.Meaning() == (Text{Text: "Two."}).Meaning() {
		t.Error("the meaning is not that of the text")
	}
}
