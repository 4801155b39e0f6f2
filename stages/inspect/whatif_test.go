package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
)

// measured are documents with scores: fineweb_short is n/10, which every fourth lacks; of every third the filters drop what is
// above .4.
func measured(n int) []schemas.Document {
	rows := documents(n)
	for i := range rows {
		short := float32(i%10) / 10
		rows[i].SetScore("blocks", float32(i))
		if i%4 != 3 {
			rows[i].SetScore("fineweb_short", short)
		}
		if i%3 == 0 && short > .4 {
			rows[i].SetScore("dropped_short_lines", short)
		} else {
			rows[i].SetScore("kept", 1)
		}
	}
	return rows
}

// Scores compare as columns do; a row without a score passes no comparison with it.
func TestFilterScores(t *testing.T) {
	d := build(t, measured(20), 7)
	for filter, want := range map[string]int{
		"blocks < 5": 5, "fineweb_short == .1": 1, "fineweb_short >= 0": 15, "fineweb_short == null": 5, "fineweb_short != null": 15,
		"not fineweb_short >= 0": 5, "kept == 1 and fineweb_short > .4": 4, "dropped_short_lines > 0": 4, "kept == null": 4,
		`language == "eng" and blocks >= 9`: 4, "scores.name == \"kept\" and scores.value > 18": 1,
	} {
		if got := strings.Count(show(t, d, View{Where: filter, JSON: true, Columns: []string{"id"}}), "\n"); got != want {
			t.Errorf("%s: %d rows, want %d", filter, got, want)
		}
	}
	for filter, want := range map[string]string{
		"fineweb_shrt > .1":                 `no column "fineweb_shrt"; did you mean "fineweb_short"?; the scores are blocks, dropped_short_lines, fineweb_short, kept (1:1)`,
		"nothing_like_it == 3":              "scores.value, sentences, ",
		"length(kept) == 3":                 "kept is a score and has no length",
		`kept == "yes"`:                     "kept is float and compares with a number",
		"kept > null":                       "null compares by == and != only",
		"kept.x == 1":                       `no column "kept.x"`,
		"one_name == 1 and other_name == 2": "no column \"one_name\"",
	} {
		_, err := d.Show(t.Context(), &bytes.Buffer{}, View{Where: filter})
		if fault := (*Fault)(nil); !errors.As(err, &fault) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", filter, err, want)
		} else if strings.Count(err.Error(), "the scores are") > 1 {
			t.Errorf("%s: the list comes twice: %v", filter, err)
		}
	}
}

func answer(t *testing.T, d *Dataset, q WhatIf) (*Answer, string) {
	t.Helper()
	a, err := d.WhatIf(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := a.PrintRows(&b); err != nil {
		t.Fatal(err)
	}
	return a, b.String()
}

// The counts are those of a loop over the rows.
func TestWhatIf(t *testing.T) {
	rows := measured(40)
	want := map[string]*Recount{}
	for i, r := range rows {
		n := int64(len(r.Sentences))
		c := want[r.Language]
		if c == nil {
			c = &Recount{}
			want[r.Language] = c
		}
		_, kept := r.Score("kept")
		short, has := r.Score("fineweb_short")
		passing := has && short > .2 && i != 5
		c.Rows, c.Sentences = c.Rows+1, c.Sentences+n
		if kept {
			c.Kept, c.KeptSentences = c.Kept+1, c.KeptSentences+n
		}
		if passing {
			c.Passing, c.PassingSentences = c.Passing+1, c.PassingSentences+n
		}
		if passing && !kept {
			c.Coming++
		}
		if kept && !passing {
			c.Going++
		}
	}
	q := WhatIf{Expression: "fineweb_short > .2 and offset != 5", Sample: 2}
	whole := build(t, rows, 40)
	one, table := answer(t, whole, q)
	if diff := cmp.Diff(want, one.Languages); diff != "" || !one.Judged || one.All.Rows != 40 || one.All.Coming == 0 {
		t.Errorf("%+v: %s", one.All, diff)
	}
	if len(one.Coming) != 2 || len(one.Going) != 2 || len(one.Staying) != 0 || !strings.HasPrefix(string(one.Coming[0]), `{"id":"`) ||
		!strings.Contains(string(one.Coming[0]), `,"fineweb_short":0.`) {
		t.Errorf("%s, %s", one.Coming, one.Going)
	}
	lines := strings.Split(table, "\n")
	if strings.Join(strings.Fields(lines[0]), " ") != "was id language fineweb_short offset sentences.text" || len(lines) != 6 ||
		!strings.HasPrefix(lines[1], "comes  short_lines  ") || !strings.HasPrefix(lines[3], "goes") {
		t.Errorf("the table is\n%s", table)
	}
	// Another division into shards gives the same rows.
	first, _ := json.Marshal(one)
	two, _ := answer(t, build(t, rows, 7), q)
	if second, _ := json.Marshal(two); !bytes.Equal(first, second) {
		t.Errorf("%s\n%s", first, second)
	}
	some, _ := answer(t, whole, WhatIf{Expression: "fineweb_short > .2", Where: `language == "spa"`, Columns: []string{"offset"},
		Sample: 1})
	if len(some.Languages) != 1 || some.All.Rows != 13 || !strings.HasPrefix(string(some.Going[0]), `{"offset":`) {
		t.Errorf("%+v, %s", some.All, some.Going)
	}
	for _, q := range []WhatIf{{Expression: "no_such > 1"}, {Expression: "kept == 1", Where: "no_such > 1"},
		{Expression: "kept == 1", Columns: []string{"no_such"}}} {
		var fault *Fault
		if _, err := whole.WhatIf(t.Context(), q); !errors.As(err, &fault) {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

// Pairs with measures have a verdict in a column; other rows have none, and stay or go.
func TestWhatIfOfPairs(t *testing.T) {
	var scores []schemas.PairScore
	var pairs []schemas.Pair
	for i := range 6 {
		ratio := float32(i)
		s := schemas.PairScore{ID: schemas.ID("x", int64(i)), TextA: "one", TextB: fmt.Sprint("zwei ", i), LanguageA: "eng",
			LanguageB: "deu", LengthRatio: &ratio}
		if i > 3 {
			s.Reason = "length_ratio"
		}
		scores = append(scores, s)
		pairs = append(pairs, schemas.Pair{ID: s.ID, Kind: schemas.KindBitext, TextA: s.TextA, TextB: s.TextB, LanguageA: "eng",
			LanguageB: "deu", Score: &ratio})
	}
	a, table := answer(t, build(t, scores, 4), WhatIf{Expression: "length_ratio > 1 and length_ratio < 5", Sample: 5})
	if want := (Recount{Rows: 6, Kept: 4, Passing: 3, Coming: 1, Going: 2}); a.All != want || *a.Languages["deu-eng"] != want || !a.Judged {
		t.Errorf("%+v, want %+v", a.All, want)
	}
	if !strings.Contains(table, "comes  length_ratio") || !strings.Contains(table, "one     zwei 4\n") {
		t.Errorf("the table is\n%s", table)
	}
	b, table := answer(t, build(t, pairs, 4), WhatIf{Expression: "score > 1", Sample: 1})
	if want := (Recount{Rows: 6, Kept: 6, Passing: 4, Going: 2}); b.All != want || b.Judged || len(b.Staying) != 1 || len(b.Going) != 1 {
		t.Errorf("%+v, want %+v: %s, %s", b.All, want, b.Staying, b.Going)
	}
	if strings.Contains(table, "was") || !strings.Contains(table, "\nstays  ") || !strings.Contains(table, "\ngoes   ") {
		t.Errorf("the table is\n%s", table)
	}
}
