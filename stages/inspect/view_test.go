package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
)

func hashOf(data []byte) uint64 { return xxh3.Hash(data) }

func TestFilter(t *testing.T) {
	d := build(t, documents(30), 7)
	tests := []struct {
		filter string
		want   int // of 30
	}{
		{``, 30},
		{`language == "spa"`, 10},
		{`language != "spa"`, 20},
		{`language >= "eng" and language < "f"`, 10},
		{`language == "spa" or language == "deu"`, 20},
		{`not language == "spa"`, 20}, {`not (language == "spa")`, 20}, {`!(language == 'spa') && (offset == 1 || offset == 2)`, 1},
		{`not not language == "spa" and not offset > 3`, 1}, {`language == "spa" or language == "deu" and offset == 0`, 10},
		{`offset < 5`, 5}, {`offset > -1`, 30}, {`offset == 0x10`, 1}, {"\n offset\t== .1e1 ", 1}, {`offset <= 5.5`, 6}, {`offset > 28`, 1},
		{`offset >= 1e1`, 20},
		{`language_score == 0.3`, 3}, // rounded to 32 bits on both sides
		{`language_score < 0.35`, 12},
		{`url == null`, 15}, {`url == nil`, 15}, {`url != null`, 15}, {`url contains "/1"`, 5}, {"url matches `/\\d\\d$`", 10},
		{`url matches '/\\d\\d$'`, 10}, {`url not contains "/1"`, 25},
		{`url != "http://example.org/0"`, 14}, // an absent value is not compared
		{`date > "2023-11-14T22:13:20Z"`, 15}, {`date == "2023-11-14T22:13:20.123Z"`, 1}, {`date < "2023-11-14"`, 0},
		{`length(sentences) == 3`, 7}, {`length(sentences) == 0`, 8},
		{`sentences.text contains "Sentence 2"`, 7}, {`sentences.block == 1`, 7}, {`sentences.text == null`, 8},
		{`length(sentences.text) > 18`, 15}, {`length(sentences.text) == 18`, 7},
		{`length(language) == 3`, 30}, {`length(url) > 20`, 10},
		{`scores.name == "x"`, 0}, {`length(scores) == 0`, 30},
	}
	for _, test := range tests {
		if got := strings.Count(show(t, d, View{Where: test.filter, JSON: true, Columns: []string{"offset"}}), "\n"); got != test.want {
			t.Errorf("%s: %d rows, want %d", test.filter, got, test.want)
		}
	}
}

func TestFilterFaults(t *testing.T) {
	d := build(t, documents(1), 1)
	tests := []struct{ filter, want string }{
		{`langauge == "x"`, "filter: there is no column \"langauge\"; did you mean \"language\"? (1:1)\n | langauge == \"x\"\n | ^"},
		{`nothing_like_it == "x"`, `there are id, source, offset`},
		{`sentences.txt == "x"`, `did you mean "sentences.text"?`},
		{`offset == 1 and language == 3`, `language is text and compares with a text in quotes, not with 3 (1:29)`},
		{`offset == "x"`, `compares with a number`},
		{`offset == 1.2.3`, `unexpected token Number(".3")`},
		{`language = "spa"`, `unexpected token Operator("=") (1:10)`},
		{`language == spa`, `a value should come after ==: a text in quotes, a number, true, false or null (1:13)`},
		{`language == `, `unexpected token EOF`},
		{`language`, `a comparison of a column with a value should be here`},
		{`language like "x"`, `unexpected token`},
		{`language in ["spa"]`, `in does not compare; there are ==, !=, <, <=, >, >=, contains and matches`},
		{`(offset == 1`, `unexpected token EOF`},
		{`offset == 1)`, `unexpected token Bracket(")")`},
		{`language == "x`, `literal not terminated`},
		{`"spa" == language`, `the name of a column should come before ==`},
		{`-offset > 3`, `the name of a column should come before >`},
		{`len(url) > 3`, `the name of a column should come before >`},
		{`size(url) > 3`, `there is no such function; there is length(column)`},
		{`length(3) > 3`, `the name of a column should come before >`},
		{`url ~ "x"`, `unrecognized character`},
		{"url == \"\xff\"", `it is not UTF-8`},
		{strings.Repeat("(", 1<<17), `longer than 65536 bytes`},
		{strings.Repeat("!", 20_000) + "offset == 1", `exceeds maximum allowed nodes`},
		{`offset contains "x"`, `contains is for texts`},
		{`offset matches "x"`, `matches is for texts`},
		{`sentences == null`, `compare one of its columns, such as sentences.text`},
		{`url > null`, `by == and != only`},
		{`url matches "("`, `missing closing )`},
		{`date > "yesterday"`, `is no time`},
		{`date > 3`, `compares with a time in quotes`},
		{`length(offset) > 1`, `has no length`},
		{`length(url) > "x"`, `compares with a number`},
		{`length(url) > 1.5`, `not a whole number`},
	}
	for _, test := range tests {
		var b bytes.Buffer
		_, err := d.Show(t.Context(), &b, View{Where: test.filter})
		var fault *Fault
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), test.want) || b.Len() > 0 {
			t.Errorf("%s: got %v, want %s", test.filter, err, test.want)
		}
	}
	if _, err := d.Show(t.Context(), &bytes.Buffer{}, View{Columns: []string{"idd"}}); err == nil ||
		!strings.Contains(err.Error(), `did you mean "id"?`) {
		t.Errorf("unknown column: %v", err)
	}
}

func TestBooleans(t *testing.T) {
	var rows []schemas.Pair
	for i := range 6 {
		rows = append(rows, schemas.Pair{
			ID: schemas.ID("x", int64(i)), Kind: schemas.KindConsecutive, TextA: "a", TextB: "b", LanguageA: "eng", LanguageB: "eng",
			Swapped: i < 2,
		})
	}
	d := build(t, rows, 6)
	for filter, want := range map[string]int{`swapped == true`: 2, `swapped != true`: 4, `swapped == false`: 4} {
		if got := strings.Count(show(t, d, View{Where: filter, JSON: true}), "\n"); got != want {
			t.Errorf("%s: %d rows, want %d", filter, got, want)
		}
	}
	for _, filter := range []string{`swapped == 1`, `swapped < true`} {
		if _, err := d.Show(t.Context(), &bytes.Buffer{}, View{Where: filter}); err == nil {
			t.Errorf("%s is taken", filter)
		}
	}
}

func TestView(t *testing.T) {
	d := build(t, documents(4), 3)
	tests := []struct {
		view View
		want string
	}{
		{View{Columns: []string{"offset", "language", "url"}}, "" +
			"offset  language  url\n" +
			"     0  eng       http://example.org/0\n" +
			"     1  spa\n" +
			"     2  deu       http://example.org/2\n" +
			"     3  eng\n"},
		{View{Columns: []string{"sentences.text", "offset"}, Head: 2}, "" +
			"sentences.text             offset\n" +
			"[]                              0\n" +
			"[\"Sentence 0 of\\n\\\"1\\\".\"]       1\n"},
		{View{Columns: []string{"sentences.position", "sentences.text", "url"}, Head: 2, JSON: true}, "" +
			`{"url":"http://example.org/0","sentences":[]}` + "\n" +
			`{"sentences":[{"text":"Sentence 0 of\n\"1\".","position":0}]}` + "\n"},
		{View{Rejects: true, Columns: []string{"reason", "sample"}}, "reason    sample\ntoo_long  so long\n"},
		{View{Rejects: true, Where: `reason == "x"`, Columns: []string{"id"}}, "id\n"},
	}
	for _, test := range tests {
		if got := show(t, d, test.view); got != test.want {
			t.Errorf("%+v: got\n%s\nwant\n%s", test.view, got, test.want)
		}
	}
}

func TestHeadSaysThatThereIsMore(t *testing.T) {
	d := build(t, documents(4), 3)
	for head, more := range map[int]bool{3: true, 4: false, 5: false, 0: false} {
		shown, err := d.Show(t.Context(), &bytes.Buffer{}, View{Head: head})
		if err != nil || shown.More != more {
			t.Errorf("head %d: %+v, %v", head, shown, err)
		}
	}
}

// The sample is the rows with the smallest hashes: it must not depend on shards
// or on the columns that are shown, and every row must have its chance.
func TestSample(t *testing.T) {
	rows := documents(200)
	ids := func(perShard int, v View) string {
		v.JSON = true
		return show(t, build(t, rows, perShard), v)
	}
	want := ids(200, View{Sample: 12, Columns: []string{"id"}})
	if n := strings.Count(want, "\n"); n != 12 {
		t.Fatalf("%d rows, want 12", n)
	}
	if got := ids(7, View{Sample: 12, Columns: []string{"id"}}); got != want {
		t.Errorf("other shards give another sample:\n%s\n%s", got, want)
	}
	if got := ids(200, View{Sample: 500}); strings.Count(got, "\n") != 200 {
		t.Error("a sample larger than the dataset is not the dataset")
	}
	low := strings.Count(show(t, build(t, rows, 50), View{Sample: 100, Where: "offset < 100", JSON: true}), "\n")
	half := 0
	for _, line := range strings.Split(show(t, build(t, rows, 50), View{Sample: 100, JSON: true, Columns: []string{"offset"}}), "\n") {
		var offset int
		if n, _ := fmt.Sscanf(line, `{"offset":%d}`, &offset); n == 1 && offset < 100 {
			half++
		}
	}
	if low != 100 || half < 35 || half > 65 { // 6 standard deviations of the hypergeometric distribution are 21
		t.Errorf("of 100 sampled rows %d are of the first half", half)
	}
}

func TestTable(t *testing.T) {
	tests := []struct {
		name string
		rows [][]string
		want string
	}{
		{"wide characters", [][]string{{"日本語", "1"}, {"ab", "22"}}, "text     n\n日本語   1\nab      22\n"},
		{"line breaks and escapes", [][]string{{"a\r\nb\x1b[31m\u2028", "1"}}, "text        n\na  b [31m   1\n"},
		{"no rows", nil, "text  n\n"},
	}
	for _, test := range tests {
		var b bytes.Buffer
		table := newTable(&b, []string{"text", "n"}, []bool{false, true})
		for _, r := range test.rows {
			if err := table.row(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := table.Close(); err != nil {
			t.Fatal(err)
		}
		if b.String() != test.want {
			t.Errorf("%s: got\n%q\nwant\n%q", test.name, b.String(), test.want)
		}
	}
}

func TestTableCutsLongTexts(t *testing.T) {
	var b bytes.Buffer
	table := newTable(&b, []string{"a", "b"}, []bool{false, false})
	for range tableRows + 5 { // past the rows that wait
		if err := table.row([]string{strings.Repeat("漢", 3000), "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")[1:] {
		if w := width(line); w < 80 || w > 84 || !strings.HasSuffix(line, "  x") || !strings.Contains(line, "…") {
			t.Fatalf("a line of width %d: %s", w, line)
		}
	}
}

func TestLines(t *testing.T) {
	tests := []struct{ text, want string }{
		{"a b", "a b"}, {"a\r\nb", "a b"}, {"a\n\nb", "a  b"}, {"\ra", " a"}, {"a\u0085b\u2028c\u2029d", "a b c d"},
		{"a\vb\fc\x1cd\x1de\x1ef", "a b c d e f"},
		{"ab\xe2", "ab\xe2"}, {"\u2027\u202a", "\u2027\u202a"}, {"", ""}, {"end\r", "end "},
	}
	for _, test := range tests {
		if got := string(appendLine(nil, []byte(test.text))); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}
