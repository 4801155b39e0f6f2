package pairing

import (
	"strings"
	"testing"

	"sentweave/schemas"
)

func words(text string) int { return len(strings.Fields(text)) }

func TestRows(t *testing.T) {
	document := schemas.Document{ID: schemas.ID("page.html", 0), Source: "page.html", Language: "eng"}
	for i, text := range []string{"One two three.", "Four five.", "Six seven eight nine.", "Ten.", "Eleven twelve.", "",
		"Treize quatorze quinze.", "Seize dix-sept dix-huit."} {
		if text == "" {
			continue // taken by a filter
		}
		s := schemas.Sentence{Text: text, Language: "eng", Position: int32(i)}
		if i > 5 {
			s.Language = "fra"
		}
		document.Sentences = append(document.Sentences, s)
	}
	c := DefaultConfig()
	c.MaxTokens, c.SpecialTokens, c.MinTokens, c.SwapProbability = 5, 0, 3, 0
	forward := rows(t, c, document)
	c.SwapProbability = 1
	backward := rows(t, c, document)

	want := [][2]string{
		{"One two three. Four five.", "Six seven eight nine. Ten."},
		{"Treize quatorze quinze.", "Seize dix-sept dix-huit."},
	}
	if len(forward) != len(want) || len(backward) != len(want) {
		t.Fatalf("%d and %d rows, want %d", len(forward), len(backward), len(want))
	}
	for i, w := range want {
		a, b := forward[i], backward[i]
		if a.TextA != w[0] || a.TextB != w[1] || a.Swapped {
			t.Errorf("row %d: %q, %q, swapped %t; want %q", i, a.TextA, a.TextB, a.Swapped, w)
		}
		if b.TextA != w[1] || b.TextB != w[0] || !b.Swapped {
			t.Errorf("row %d swapped: %q, %q, swapped %t", i, b.TextA, b.TextB, b.Swapped)
		}
		if a.ID != b.ID {
			t.Errorf("row %d: the order changes the id", i)
		}
		if *a.PositionA != *b.PositionB || *a.PositionB != *b.PositionA {
			t.Errorf("row %d: positions do not go with the texts", i)
		}
		if a.Origin != "crawl" || a.DocumentA != document.ID || a.DocumentB != document.ID {
			t.Errorf("row %d: %+v", i, a)
		}
	}
	if a := forward[0]; *a.PositionA != 0 || *a.PositionB != 2 || a.LanguageA != "eng" {
		t.Errorf("positions %d, %d, language %s; want 0, 2, eng", *a.PositionA, *a.PositionB, a.LanguageA)
	}
	if b := forward[1]; *b.PositionA != 6 || *b.PositionB != 7 || b.LanguageB != "fra" {
		t.Errorf("positions %d, %d, language %s; want 6, 7, fra", *b.PositionA, *b.PositionB, b.LanguageB)
	}
	if forward[0].ID == forward[1].ID {
		t.Error("two rows have one id")
	}
}

func rows(t *testing.T, c Config, document schemas.Document) []schemas.Pair {
	t.Helper()
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	var r Result
	rows, err := p.Rows(nil, &r, document, words, "crawl")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if err := row.Validate(); err != nil {
			t.Errorf("row %s: %v", row.ID, err)
		}
	}
	if r.Count("") != 6 || r.Count(ReasonTooShort) != 1 {
		t.Errorf("%d sentences used, %d too short; want 6 and 1", r.Count(""), r.Count(ReasonTooShort))
	}
	return rows
}

func TestRowsRefusesSplitting(t *testing.T) {
	c := DefaultConfig()
	c.LongSentences = longSplit
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Rows(nil, &Result{}, schemas.Document{}, words, ""); err == nil || !strings.Contains(err.Error(), "truncate") {
		t.Errorf("error %v does not name the way out", err)
	}
}
