package jsonfields

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPick(t *testing.T) {
	for _, c := range []struct{ line, path, want string }{
		{`{"text":"a"}`, "text", `string a`},
		{` { "m" : { "t" : -0.5e+10 } } `, "m.t", `number -0.5e+10`},
		{`{"m.t":"literal","m":{"t":"nested"}}`, "m.t", `string literal`},
		{`{"m":{"t":"nested"},"m.t":"literal"}`, "m.t", `string literal`},
		{`{"m":{"a.b":1}}`, "m.a.b", `number 1`},
		{`{"m":[{"t":"a"},{"t":"b"}]}`, "m.1.t", `string b`},
		{`{"m":{"1":"b"}}`, "m.1", `string b`},
		{`{"m":null}`, "m", `null null`},
		{`{"m":{}}`, "m.t", `absent `},
		{`{"m":[true]}`, "m.0", `other true`},
		{`{"x":NaN,"m":-Infinity}`, "m", `number -Infinity`},
		{`{"m":1,"\u006d":2}`, "m", `number 2 repeated`},
		{`{"m":{"t":1},"m":{}}`, "m.t", `absent  repeated`},
		{`{"m.t":1,"m":{"t":2},"m":{}}`, "m.t", `number 1`},
		{`{"m":{"t":2},"m":{},"m.t":1}`, "m.t", `number 1`},
		{`{"m":{"t":1,"x":1,"x":2},"x":3}`, "m.t", `number 1`},
		{`{"m":1}`, "", `absent `},
		{`{"m":N}`, "m", `no JSON at byte 5 of the line`},
		{`{"m":Infinite}`, "m", `no JSON at byte 5 of the line`},
		{`{"m":1} {}`, "m", `several values of JSON in a line, the second at byte 8`},
		{`{"m":1} x`, "m", `no JSON at byte 8 of the line`},
		{`{"m":1{}`, "m", `no JSON at byte 6 of the line`},
		{``, "m", `no JSON at byte 0 of the line`},
		{strings.Repeat("[", 1_000_000), "m", `too deep`},
	} {
		if got := pick(c.line, c.path); got != c.want {
			t.Errorf("%.80s, %s: %s, want %s", c.line, c.path, got, c.want)
		}
	}
}

func pick(line, path string) string {
	p := New(path)
	switch err := p.Pick([]byte(line)); {
	case errors.Is(err, ErrDeep):
		return "too deep"
	case err != nil:
		return err.Error()
	}
	v := p.Value(0)
	told := [...]string{"absent", "string", "number", "null", "other"}[v.Kind] + " " + string(v.Raw)
	if v.Repeated {
		told += " repeated"
	}
	return told
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		raw, text string
		valid     bool
	}{
		{`plain`, "plain", true},
		{`\u00e9\n\ud83d\ude00x\/\\`, "é\n😀x/\\", true},
		{`\ud83d for you`, "\ufffd for you", false},
		{`\ude00\ud83d`, "\ufffd\ufffd", false},
		{`\ud83d\u0041`, "\ufffdA", false},
		{"fl\xfcgel", "fl\ufffdgel", false},
		{"\xed\xa0\xbd", "\ufffd\ufffd\ufffd", false}, // half a pair in the form of UTF-8
		{`\ufffd`, "\ufffd", true},
		{"\ufffd", "\ufffd", true},
	} {
		text, valid := New().Text([]byte(c.raw))
		if string(text) != c.text || valid != c.valid {
			t.Errorf("%q: %q, %v; want %q, %v", c.raw, text, valid, c.text, c.valid)
		}
	}
}

func TestStrings(t *testing.T) {
	p := New("t")
	if err := p.Pick([]byte(`{"t":{"en":"a","n":NaN,"\u0064e":"b\n","l":[{"x":"y"}],"en":"c","o":{"p":"q"}}}`)); err != nil {
		t.Fatal(err)
	}
	var names []string
	p.Strings(p.Value(0), func(name, text []byte) { names = append(names, string(name)+"="+string(text)) })
	if !slices.Equal(names, []string{"en=a", "de=b\n", "en=c"}) {
		t.Error(names)
	}
}

// FuzzPick compares with encoding/json: what is valid, and what a field holds.
func FuzzPick(f *testing.F) {
	for _, s := range []string{
		`{"a":{"b":"x"}}`, `{"a":{"b":"x"},"a":1}`, `{"a":[0,"\ud800\udc00"],"b":-0.5e+10}`, `[[[]]]`, `{"\u0061":{"b":"\ud800\u0041"}}`,
		`tru`, `{"a":{"b":"é` + "\xff" + `"}}`, "\x00", "{\"a\":\x00}", `{"a":{"b":1,"b":null}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		p := New("a.b")
		err := p.Pick([]byte(line))
		valid := json.Valid([]byte(line))
		if valid && err != nil || !valid && err == nil && !strings.Contains(line, "NaN") && !strings.Contains(line, "Infinity") {
			t.Fatalf("%q: %v, encoding/json says valid=%v", line, err, valid)
		}
		if !valid {
			return
		}
		var value any
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber() // else a number out of range is an error
		if err := decoder.Decode(&value); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		outer, _ := value.(map[string]any)
		inner, _ := outer["a"].(map[string]any)
		want, there := inner["b"]
		if literal, ok := outer["a.b"]; ok {
			want, there = literal, true
		}
		v := p.Value(0)
		if there != (v.Kind != Absent) {
			t.Fatalf("%q: %+v, want %v", line, v, want)
		}
		text, isText := want.(string)
		if isText != (v.Kind == String) {
			t.Fatalf("%q: %+v, want %v", line, v, want)
		}
		if !isText {
			return
		}
		got, valid := p.Text(v.Raw)
		if string(got) != text || valid && !utf8.Valid(v.Raw) {
			t.Fatalf("%q: %q, valid=%v; want %q", line, got, valid, text)
		}
	})
}
