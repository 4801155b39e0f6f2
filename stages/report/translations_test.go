package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/stages/report/markup/markuptest"
)

func translated(n int, target, reason string) schemas.Translation {
	r := schemas.Translation{
		Key: schemas.ID(target, int64(n)), Engine: "fake", Model: "m", SourceLanguage: "eng", TargetLanguage: target,
		Text: fmt.Sprint("text ", n), Translation: fmt.Sprint(target, " ", n), Status: schemas.TranslationOK,
	}
	if reason != "" {
		r.Status, r.Reason = schemas.TranslationRejected, reason
	}
	return r
}

// Counts are those of the rows, and samples those with the smallest hashes, however
// the rows are cut into shards.
func TestReadTranslations(t *testing.T) {
	var rows []schemas.Translation
	for i := range 100 {
		reason := ""
		switch {
		case i%10 == 3:
			reason = "copied"
		case i%25 == 5:
			reason = "empty"
		}
		rows = append(rows, translated(i, "spa", reason))
	}
	rows = append(rows, translated(0, "arb", ""), translated(1, "arb", "copied"))
	var smallest []schemas.Translation
	for _, r := range rows[:100] {
		if r.Reason == "copied" {
			smallest = append(smallest, r)
		}
	}
	slices.SortFunc(smallest, func(a, b schemas.Translation) int {
		if xxh3.HashString(a.Key) < xxh3.HashString(b.Key) {
			return -1
		}
		return 1
	})
	var first translations
	for i, shards := range [][][]schemas.Translation{{rows}, {rows[60:], rows[:30], rows[30:60]}} {
		got, err := readTranslations(t.Context(), "a", datasettest.Write(t, nil, shards...), 8, 2)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = got
		} else if diff := cmp.Diff(fmt.Sprint(first), fmt.Sprint(got)); diff != "" {
			t.Errorf("in other shards: %s", diff)
		}
	}
	want := []TranslationSummary{
		{Name: "a", Source: "eng", Target: "arb", Rows: 2, OK: 1, Rejected: map[string]int64{"copied": 1}},
		{Name: "a", Source: "eng", Target: "spa", Rows: 100, OK: 86, Rejected: map[string]int64{"copied": 10, "empty": 4}},
	}
	if diff := cmp.Diff(want, first.summary()); diff != "" {
		t.Error(diff)
	}
	spanish := first.Pairs[1]
	if len(spanish.Accepted) != 8 || len(spanish.Rejected[1].Samples) != 2 || spanish.Engines[0] != "fake m" {
		t.Errorf("%+v", spanish)
	}
	for i, s := range spanish.Rejected[0].Samples {
		if s.Text != smallest[i].Text {
			t.Errorf("sample %d is %q, want %q", i, s.Text, smallest[i].Text)
		}
	}
}

// Each text is set in its own direction and language, and long ones are cut.
func TestTranslationsPage(t *testing.T) {
	rows := []schemas.Translation{translated(0, "heb", ""), translated(1, "heb", "lost_numbers")}
	rows[0].Translation, rows[1].Text = "שלום <b>", strings.Repeat("é ", 200)
	data, err := readTranslations(t.Context(), "x", datasettest.Write(t, nil, rows), 8, 3)
	if err != nil {
		t.Fatal(err)
	}
	r, err := experiment{Title: "t", Translations: []translations{data}}.Report()
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, r)
	markuptest.Check(t, text)
	for _, part := range []string{
		`<td dir="auto" lang="he">שלום &lt;b&gt;</td><td dir="auto">ok</td>`, strings.TrimSpace(strings.Repeat("é ", 150)) + "…</td>",
		`<td dir="auto">lost_numbers</td>`,
		"Translations: x", "English into Hebrew", "1 of them rejected", "50.0 %",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the page does not hold %q", part)
		}
	}
}

func TestParseLabelled(t *testing.T) {
	got, err := parseLabelled("translations", []string{"a/b/", "x=c/d", "gs://bucket/e=f/g", "./y=z"})
	want := []labelled{{"b", "a/b/"}, {"x", "c/d"}, {"g", "gs://bucket/e=f/g"}, {"y=z", "./y=z"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, error %v", got, err)
	}
	for _, bad := range [][]string{{"a", "b/a"}, {"=x"}, {"x="}, {""}} {
		if _, err := parseLabelled("translations", bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
