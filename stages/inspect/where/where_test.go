package where_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"sentweave/stages/inspect/where"
)

func TestParse(t *testing.T) {
	tests := []struct{ text, want string }{
		{`language == "spa"`, `language == "spa"`},
		{`language=='spa'`, `language == "spa"`},
		{`a == 1 or b == 2 and c == 3`, `(a == 1 or (b == 2 and c == 3))`},
		{`(a == 1 or b == 2) and c == 3`, `((a == 1 or b == 2) and c == 3)`},
		{`a==1 and b==2 and c==3`, `((a == 1 and b == 2) and c == 3)`},
		{`not a == 1 and b == 2`, `(not a == 1 and b == 2)`},
		{`not (a == 1 and b == 2)`, `not (a == 1 and b == 2)`},
		{`length(sentences.text) >= 10`, `length(sentences.text) >= 10`},
		{`length > 3`, `length > 3`}, // a column of that name
		{`score <= -1.5e-3`, `score <= -1.5e-3`},
		{`score < .5`, `score < .5`},
		{`swapped != true`, `swapped != true`},
		{`label == null`, `label == null`},
		{`text ~ '\d+\.\d+'`, `text ~ "\\d+\\.\\d+"`},
		{`text contains "say \"yes\""`, `text contains "say \"yes\""`},
		{`text contains 'two\nlines'`, `text contains "two\nlines"`},
		{"\n a\t== 1 ", `a == 1`},
		{`text contains "日本"`, `text contains "日本"`},
	}
	for _, test := range tests {
		e, err := where.Parse(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if got := e.String(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.text, got, test.want)
		}
	}
}

func TestPositions(t *testing.T) {
	e, err := where.Parse(`length(text) > 12`)
	if err != nil {
		t.Fatal(err)
	}
	c := e.(*where.Comparison)
	if c.ColumnAt != 7 || c.OperatorAt != 13 || c.LiteralAt != 15 {
		t.Errorf("got the positions %d, %d, %d", c.ColumnAt, c.OperatorAt, c.LiteralAt)
	}
}

func TestFaults(t *testing.T) {
	tests := []struct {
		text    string
		at      int
		message string
	}{
		{``, 0, "the filter is empty"},
		{`   `, 0, "the filter is empty"},
		{`language = "spa"`, 9, `write ==`},
		{`language == spa`, 12, `texts stand in quotes: "spa"`},
		{`language == `, 12, "the end stands where a value should"},
		{`language`, 8, "the end stands where an operator should"},
		{`language like "x"`, 9, `"like" stands where an operator should`},
		{`(a == 1`, 7, "the parenthesis of character 1 should close"},
		{`a == 1)`, 6, `")" stands where the filter should end`},
		{`a == 1 b == 2`, 7, `"b" stands where the filter should end`},
		{`a == 1 and`, 10, "the end stands where the name of a column should"},
		{`a == "x`, 5, `the text does not end: a " is missing`},
		{`a == 'x\`, 5, `the text does not end: a ' is missing`},
		{`a == 1 && b == 2`, 7, "write and"},
		{`a == 1 || b == 2`, 7, "write or"},
		{`!a == 1`, 0, "write != or not"},
		{`a == 1; b == 2`, 6, `';' has no meaning`},
		{`"spa" == language`, 0, "a text stands where the name of a column should"},
		{`size(a) > 3`, 0, `there is no function "size"`},
		{`length(a > 3`, 9, "length( should close"},
		{`length(3) > 3`, 7, "the name of a column should"},
		{`and == 1`, 0, "the name of a column should"},
		{`日本 == 1`, 0, "has no meaning here"},
		{strings.Repeat("(", 300) + "a == 1", 201, "stand in each other"},
		{strings.Repeat("not ", 300) + "a == 1", 804, "stand in each other"},
	}
	for _, test := range tests {
		_, err := where.Parse(test.text)
		var fault *where.Error
		if !errors.As(err, &fault) {
			t.Errorf("%.40s: got %v, want a fault", test.text, err)
			continue
		}
		if fault.At != test.at || !strings.Contains(fault.Message, test.message) {
			t.Errorf("%.40s: got %d, %s; want %d, %s", test.text, fault.At, fault.Message, test.at, test.message)
		}
	}
}

func TestErrorMarksThePlace(t *testing.T) {
	_, err := where.Parse(`text contains "é" and language = "spa"`)
	want := "filter, character 32: \"=\" is no operator; write ==\n" +
		"  text contains \"é\" and language = \"spa\"\n" +
		"                                 ^"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`language == "spa" and length(text) > 10`, `not (a.b != 'x\'y' or c ~ "\d") and d contains "\\"`, `a<=-1e+5`, `((a==null))`,
		`a == "\`, `length(`, `a == 1 or`, "a == \"\xff\"",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := where.Parse(text)
		if err != nil {
			var fault *where.Error
			if !errors.As(err, &fault) || fault.At < 0 || fault.At > len(fault.Filter) || fault.Message == "" {
				t.Fatalf("%q: the error %#v has no place", text, err)
			}
			if !utf8.ValidString(err.Error()) {
				t.Fatalf("%q: the message is not UTF-8", text)
			}
			return
		}
		printed := e.String()
		again, err := where.Parse(printed)
		if err != nil {
			// Printing puts parentheses round what stood without, so depth may run out.
			if strings.Contains(err.Error(), "stand in each other") {
				return
			}
			t.Fatalf("%q prints as %q, which does not parse: %v", text, printed, err)
		}
		if again.String() != printed {
			t.Fatalf("%q prints as %q and then as %q", text, printed, again.String())
		}
	})
}
