package bitext

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/realdata"
)

// row is a record as the tables below write it.
type row struct {
	texts  string // joined by " | "
	score  float64
	label  string
	reason string
}

const none = -1e300 // stands for no score

func rows(t *testing.T, next func() (*Record, error)) (list []row, last error) {
	t.Helper()
	for {
		r, err := next()
		if err != nil {
			return list, err
		}
		var texts []string
		for _, text := range r.Texts {
			texts = append(texts, string(text))
		}
		got := row{strings.Join(texts, " | "), r.Score, string(r.Label), r.Reason}
		if math.IsNaN(r.Score) {
			got.score = none
		}
		if got.reason != "" {
			got.texts, got.score, got.label = "", none, ""
		}
		list = append(list, got)
	}
}

func read(texts ...string) []*Lines {
	var sides []*Lines
	for _, text := range texts {
		// A byte at a time, so that every end of a line stands between two reads.
		sides = append(sides, NewLines(iotest.OneByteReader(strings.NewReader(text)), true))
	}
	return sides
}

func TestAligned(t *testing.T) {
	long := strings.Repeat("x", MaxLine+1)
	good := func(texts string) row { return row{texts, none, "", ""} }
	bad := func(reason string) row { return row{"", none, "", reason} }
	for name, c := range map[string]struct {
		sides   []string
		shorter bool
		want    []row
		err     error
	}{
		"two sides":               {[]string{"a\nb\n", "c\nd\n"}, false, []row{good("a | c"), good("b | d")}, io.EOF},
		"three sides":             {[]string{"a\n", "b\n", "c\n"}, false, []row{good("a | b | c")}, io.EOF},
		"no line feed at the end": {[]string{"a\nb", "c\nd\n"}, false, []row{good("a | c"), good("b | d")}, io.EOF},
		"CRLF on one side":        {[]string{"a\r\nb\r\n", "c\nd\n"}, false, []row{good("a | c"), good("b | d")}, io.EOF},
		"a carriage return alone": {[]string{"a\rb\nc\n", "d\ne\n"}, false, []row{good("a\rb | d"), good("c | e")}, io.EOF},
		"U+0085 and U+2028 within a line": {[]string{"a\u0085b\nc\u2028d\n", "e\nf\n"}, false,
			[]row{good("a\u0085b | e"), good("c\u2028d | f")}, io.EOF},
		"vertical tab and form feed": {[]string{"a\vb\fc\n", "d\n"}, false, []row{good("a\vb\fc | d")}, io.EOF},
		"white space around":         {[]string{" a \t\n", "\u00a0b\u3000\n"}, false, []row{good("a | b")}, io.EOF},
		"byte order mark":            {[]string{"\ufeffa\n", "b\n"}, false, []row{good("a | b")}, io.EOF},
		"empty lines are lines":      {[]string{"\na\n", "b\n\n"}, false, []row{good(" | b"), good("a | ")}, io.EOF},
		"a line too long":            {[]string{long + "\na\n", "b\nc\n"}, false, []row{bad(TooLong), good("a | c")}, io.EOF},
		"much too long a line": {[]string{"a\n" + long + long + "\nb", "c\nd\ne"}, false,
			[]row{good("a | c"), bad(TooLong), good("b | e")}, io.EOF},
		"the longest line":         {[]string{long[1:] + "\r\n", "b\n"}, false, []row{good(long[1:] + " | b")}, io.EOF},
		"no UTF-8":                 {[]string{"a\xff\nb\n", "c\nd\n"}, false, []row{bad(InvalidEncoding), good("b | d")}, io.EOF},
		"nothing":                  {[]string{"", ""}, false, nil, io.EOF},
		"one side has a line more": {[]string{"a\nb\n", "c\n"}, false, []row{good("a | c")}, errUneven},
		"the shorter one decides":  {[]string{"a\nb\n", "c\n"}, true, []row{good("a | c")}, io.EOF},
	} {
		t.Run(name, func(t *testing.T) {
			sides := read(c.sides...)
			if len(c.sides[0]) > 1000 { // which would take long
				sides = []*Lines{NewLines(strings.NewReader(c.sides[0]), true), NewLines(strings.NewReader(c.sides[1]), true)}
			}
			got, err := rows(t, NewAligned(sides, c.shorter).Next)
			if !errors.Is(err, c.err) {
				t.Errorf("it ends by %v, want %v", err, c.err)
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(row{})); diff != "" {
				t.Error(diff)
			}
		})
	}
	fault := errors.New("the disk fails")
	broken := NewLines(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(fault)), true)
	if _, err := rows(t, NewAligned([]*Lines{broken, NewLines(strings.NewReader("c\nd\n"), true)}, true).Next); !errors.Is(err, fault) {
		t.Errorf("a fault of the source: %v", err)
	}
}

func TestTable(t *testing.T) {
	pair := Layout{Texts: []int{0, 1}, Score: NoColumn, Label: NoColumn, Count: 2}
	scored := Layout{Texts: []int{1, 2}, Score: 0, Label: NoColumn, Count: 3}
	ragged, points, named := scored, scored, pair
	named.Count, named.Names = 3, []string{"de", "en", "no"}
	ragged.Count, ragged.Least = 4, 3
	points.DecimalComma, points.Decimal = true, ','
	labelled := Layout{Texts: []int{2, 0}, Score: NoColumn, Label: 1, Count: 3}
	good := func(texts string) row { return row{texts, none, "", ""} }
	bad := func(reason string) row { return row{"", none, "", reason} }
	for name, c := range map[string]struct {
		layout Layout
		comma  byte
		text   string
		want   []row
	}{
		"pairs":               {pair, 0, "a\tb\nc\td\r\n", []row{good("a | b"), good("c | d")}},
		"quotes mean nothing": {pair, 0, "\"a\tb\"\n", []row{good("\"a | b\"")}},
		"a score first":       {scored, 0, "1.25\ta\tb\n-1e3\tc\td\n", []row{{"a | b", 1.25, "", ""}, {"c | d", -1000, "", ""}}},
		"no number": {scored, 0, "x\ta\tb\nNaN\ta\tb\n1e39\ta\tb\nInf\ta\tb\n\ta\tb\n1\ta\tb",
			[]row{bad(Number), bad(Number), bad(Number), bad(Number), bad(Number), {"a | b", 1, "", ""}}},
		"a label between, texts swapped": {labelled, 0, "a\tneutral\tb\n", []row{{"b | a", none, "neutral", ""}}},
		"five columns":                   {scored, 0, "1\ta\tb\tc\td\n1\ta\n\n", []row{bad(Columns), bad(Columns), bad(Columns)}},
		"no UTF-8":                       {pair, 0, "a\xc3\tb\n", []row{bad(InvalidEncoding)}},
		"CSV": {pair, ',', "a,b\n\"c, d\",\"e \"\"f\"\"\"\r\n,\n",
			[]row{good("a | b"), good("c, d | e \"f\""), good(" | ")}},
		"a line feed in quotes":   {pair, ',', "\"a\nb\n\",c\nd,e\n", []row{good("a\nb | c"), good("d | e")}},
		"a quote that stays open": {pair, ',', "a,b\n\"c,d\ne,f\n", []row{good("a | b"), bad(Quotes), good("e | f")}},
		"misplaced quotes":        {pair, ',', "a\"b\",c\n\"a\"b,c\nd,e\n", []row{bad(Quotes), bad(Quotes), good("d | e")}},
		"semicolons for commas":   {pair, ';', "a,b;c\n\"d;e\";\"f\"\n", []row{good("a,b | c"), good("d;e | f")}},
		"CSV with four columns":   {pair, ',', "a,b,c,d\n", []row{bad(Columns)}},
		"separators at the end":   {pair, 0, "a\tb\t\t\na\tb\t\tc\n", []row{good("a | b"), bad(Columns)}},
		"columns by number": {ragged, 0, "1\ta\tb\tc\n2\ta\t b\n3\ta\tb\tc\td\n4\ta\n",
			[]row{{"a | b", 1, "", ""}, {"a | b", 2, "", ""}, {"a | b", 3, "", ""}, bad(Columns)}},
		"columns by number of CSV": {ragged, ',', "1,a,b,c\n2,a,b\n3,a,\"b\n\",c,d\n4,a, and,b,c\n5,a, b,c\n6,a\n",
			[]row{{"a | b", 1, "", ""}, {"a | b", 2, "", ""}, {"a | b", 3, "", ""}, bad(Columns), {"a | b", 5, "", ""}, bad(Columns)}},
		"names of columns again": {named, 0, "de\ten\tno\na\tb\t1\n\ufeffde\ten\tno\t\nde\ten\t2\nde\n",
			[]row{bad(Header), good("a | b"), bad(Header), good("de | en"), bad(Columns)}},
		"thousands or decimals": {points, ';', "1.234;a;b\n0,5;a;b\n1.234,5;a;b\n1.5;a;b\n0.123;a;b\n-12.345.678;a;b\n",
			[]row{bad(Number), {"a | b", .5, "", ""}, {"a | b", 1234.5, "", ""}, {"a | b", 1.5, "", ""},
				{"a | b", .123, "", ""}, bad(Number)}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := rows(t, NewTable(read(c.text)[0], c.layout, c.comma).Next)
			if err != io.EOF {
				t.Errorf("it ends by %v", err)
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(row{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestJSONLines(t *testing.T) {
	fields := Fields{Texts: []string{"translation.en", "translation.de"}, Score: "score"}
	bad := func(reason string) row { return row{"", none, "", reason} }
	for text, want := range map[string]row{
		`{"translation": {"de": "B", "en": " A "}, "score": 2.5}`:                           {"A | B", 2.5, "", ""},
		`{"translation.en": "A", "translation": {"de": "\u00e4"}, "score": "2"}`:            {"A | ä", 2, "", ""},
		`{"translation": {"en": "A"}, "score": 1}`:                                          bad(Field),
		`{"translation": {"en": "A", "de": 1}, "score": 1}`:                                 bad(Field),
		`{"translation": {"en": "A", "de": null}, "score": 1}`:                              bad(Field),
		`{"translation": {"en": "A", "de": "B"}}`:                                           bad(Field),
		`{"translation": {"en": "A", "de": "B"}, "score": "NaN"}`:                           bad(Number),
		`{"translation": {"en": "A", "de": "B"}, "score": null}`:                            bad(Number),
		`{"translation": {"en": "A"`:                                                        bad(JSON),
		`["A", "B"]`:                                                                        bad(JSON),
		`null`:                                                                              bad(JSON),
		`{"translation": {"en": "A\ud83d", "de": "B"}, "score": 1}`:                         bad(InvalidEncoding),
		"{\"translation\": {\"en\": \"A\", \"de\": \"h\xe4\"}, \"score\": 1}":               bad(InvalidEncoding),
		"{\"translation\": {\"en\": \"A\", \"de\": \"B\"}, \"by\": \"\xe4\", \"score\": 1}": {"A | B", 1, "", ""},
		`{"translation": {"en": "A", "de": "B"}, "laser": NaN, "score": 1}`:                 {"A | B", 1, "", ""},
		`{"translation": {"en": "A", "de": "B"}, "score": NaN}`:                             bad(Number),
		`{"translation": {"en": "A", "en": "C", "de": "B"}, "score": 1}`:                    bad(Repeated),
		`{"translation": {"en": "A", "de": "B"}, "score": 1, "score": 2}`:                   bad(Repeated),
		`{"translation": {"en": "A", "de": "B"}, "x": 1, "x": 2, "score": 1}`:               {"A | B", 1, "", ""},
		`{"translation": {"en": "", "de": "B"}, "score": 1}`:                                {" | B", 1, "", ""},
	} {
		got, err := rows(t, NewJSONLines(read(text + "\n")[0], fields).Next)
		if err != io.EOF {
			t.Errorf("%s ends by %v", text, err)
		}
		if diff := cmp.Diff([]row{want}, got, cmp.AllowUnexported(row{})); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	// Of three texts one may be absent or null, and is nil then.
	three := Fields{Texts: []string{"en", "de", "fr"}}
	for text, want := range map[string]string{
		`{"en": "A", "de": "B", "fr": null}`: "A B <nil>",
		`{"fr": "C", "en": ""}`:              " <nil> C",
		`{"en": "A", "de": null}`:            Field + " de",
		`{"en": "A", "de": "B", "fr": 1}`:    Field + " fr",
	} {
		r, err := NewJSONLines(read(text)[0], three).Next()
		if err != nil {
			t.Fatal(err)
		}
		got := r.Reason + " " + r.Detail
		if r.Reason == "" {
			var texts []string
			for _, text := range r.Texts {
				if texts = append(texts, string(text)); text == nil {
					texts[len(texts)-1] = "<nil>"
				}
			}
			got = strings.Join(texts, " ")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	// Blank lines are passed over, and counted.
	lines := NewJSONLines(read("\n{\"en\":\"A\",\"de\":\"B\"}\n \n\r\n{\n\n")[0], three)
	for _, want := range []struct {
		blank  int64
		reason string
	}{{1, ""}, {2, JSON}} {
		if r, err := lines.Next(); err != nil || r.Blank != want.blank || r.Reason != want.reason {
			t.Errorf("%+v, %v, want %+v", r, err, want)
		}
	}
	if _, err := lines.Next(); err != io.EOF {
		t.Errorf("blank lines end by %v", err)
	}
	labelled := Fields{Texts: []string{"a"}, Label: "gold"}
	got, _ := rows(t, NewJSONLines(read("{\"a\":\"A\",\"gold\":\"neutral\"}\n{\"a\":\"A\",\"gold\":1}\n{\"a\":\"A\",\"gold\":[1]}\n")[0],
		labelled).Next)
	if diff := cmp.Diff([]row{{"A", none, "neutral", ""}, {"A", none, "1", ""}, bad(Field)}, got, cmp.AllowUnexported(row{})); diff != "" {
		t.Error(diff)
	}
}

// The files of LASER's Tatoeba test set, line by line as another reader parts them.
func TestTatoeba(t *testing.T) {
	data := realdata.Folder(t, "tatoeba")
	files, err := filepath.Glob(filepath.Join(data, "*.eng"))
	if err != nil || len(files) == 0 {
		files, _ = filepath.Glob(filepath.Join(data, "*", "*.eng"))
	}
	if len(files) == 0 {
		t.Skip("skipped: no files of Tatoeba")
	}
	for _, english := range files {
		pair := strings.TrimSuffix(english, ".eng")
		other := pair + "." + strings.TrimSuffix(filepath.Ext(pair)[1:], "-eng")
		var sides []*Lines
		var want []string
		for _, name := range []string{other, english} {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sides = append(sides, NewLines(strings.NewReader(string(content)), true))
			for i, line := range strings.Split(strings.TrimSuffix(string(content), "\n"), "\n") {
				if line = strings.TrimSpace(line); name == other {
					want = append(want, line)
				} else {
					want[i] += " | " + line
				}
			}
		}
		got, err := rows(t, NewAligned(sides, false).Next)
		if err != io.EOF {
			t.Errorf("%s: %v", pair, err)
		}
		var texts []string
		for _, r := range got {
			texts = append(texts, r.texts)
		}
		if !slices.Equal(want, texts) {
			t.Errorf("%s: %d rows, want %d", pair, len(texts), len(want))
		}
	}
}

func BenchmarkAligned(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog, and Käthe watches from the fence.\n", 1<<14)
	b.SetBytes(int64(2 * len(text)))
	b.ReportAllocs()
	for b.Loop() {
		a := NewAligned([]*Lines{NewLines(strings.NewReader(text), true), NewLines(strings.NewReader(text), true)}, false)
		for {
			if _, err := a.Next(); err != nil {
				break
			}
		}
	}
}
