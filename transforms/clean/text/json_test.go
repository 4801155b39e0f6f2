package text

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func extractOne(line string, fields Fields) Record {
	var e extractor
	e.compile(fields)
	var r Record
	e.extract([]byte(line), &r)
	return r
}

func TestExtract(t *testing.T) {
	all := DefaultConfig(JSONLines).Fields
	for _, c := range []struct {
		line   string
		fields Fields
		want   Record
	}{
		{`{"text":"a","id":12,"url":"u","date":"2020","language":"de"}`, all, Record{Text: "a", ID: "12", URL: "u", Date: "2020", Language: "de"}},
		{` { "text" : "a" , "id" : null , "url" : [ ] } `, all, Record{Text: "a"}},
		{`{"te\u0078t":"\u00e9\n\ud83d\ude00\ud800x\/"}`, all, Record{Text: "é\n😀\ufffdx/"}},
		{`{"text":"a","text":"b"}`, all, Record{Text: "b"}},
		{`{"m":{"t":"a"},"m":{}}`, Fields{Text: "m.t"}, Record{Reason: FieldMissing}},
		{`{"m":[{"t":"a"},{"t":"b"}]}`, Fields{Text: "m.1.t"}, Record{Text: "b"}},
		{`{"m":{"1":{"t":"b"}}}`, Fields{Text: "m.1.t"}, Record{Text: "b"}},
		{`{"text":{"text":"a"}}`, all, Record{Reason: FieldNotString}},
		{`{"x":{"text":"a"}}`, all, Record{Reason: FieldMissing}},
		{`{"text":null}`, all, Record{Reason: FieldNotString}},
		{`"text"`, all, Record{Reason: FieldMissing}},
		{"{\"text\":\"a\xffb\"}", all, Record{Text: "a\ufffdb"}},
		{`{"text":"a"`, all, Record{Reason: JSONSyntax}},
		{`{"text":"a"}}`, all, Record{Reason: JSONSyntax}},
		{`{"text":"a",}`, all, Record{Reason: JSONSyntax}},
		{`{"text":"\u12g4"}`, all, Record{Reason: JSONSyntax}},
		{`{"text":01}`, all, Record{Reason: JSONSyntax}},
		{"{\"text\":\"a\tb\"}", all, Record{Reason: JSONSyntax}},
		{"\x00", all, Record{Reason: Binary}},
		{"{\"text\":\"a\x00\"}", all, Record{Reason: Binary}},
		{strings.Repeat("[", 1_000_000), all, Record{Reason: TooDeep}},
	} {
		got := extractOne(c.line, c.fields)
		got.Detail = ""
		if got != c.want {
			t.Errorf("%.80s: %+v, want %+v", c.line, got, c.want)
		}
	}
}

// FuzzExtract compares with encoding/json: what is valid, and what the field holds.
func FuzzExtract(f *testing.F) {
	for _, s := range []string{
		`{"a":{"b":"x"}}`, `{"a":{"b":"x"},"a":1}`, `{"a":[0,"\ud800\udc00"],"b":-0.5e+10}`, `[[[]]]`, `{"\u0061":{"b":"\ud800\u0041"}}`, `tru`, `{"a":{"b":"é` + "\xff" + `"}}`, "\x00", "{\"a\":\x00}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		got := extractOne(line, Fields{Text: "a.b"})
		// What is no JSON has the reason Binary where a NUL byte tells what it is.
		invalid := JSONSyntax
		if strings.Contains(line, "\x00") {
			invalid = Binary
		}
		if valid := json.Valid([]byte(line)); valid != (got.Reason != invalid) {
			t.Fatalf("%q: reason %q, encoding/json says valid=%v", line, got.Reason, valid)
		}
		if got.Reason == invalid {
			return
		}
		var value any
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber() // else a number out of range is an error
		if err := decoder.Decode(&value); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		want := FieldMissing
		outer, _ := value.(map[string]any)
		if inner, ok := outer["a"].(map[string]any); ok {
			if field, ok := inner["b"]; ok {
				want = FieldNotString
				if s, ok := field.(string); ok {
					want = "text " + s
				}
			}
		}
		have := got.Reason
		if have == "" || have == Empty {
			have = "text " + got.Text
		}
		if have != want {
			t.Fatalf("%q: %q, want %q", line, have, want)
		}
	})
}

func BenchmarkExtract(b *testing.B) {
	line := []byte(fmt.Sprintf(`{"text":"%s","meta":{"a":[1,2,3]}}`, strings.Repeat("some words in a line ", 50)))
	var e extractor
	e.compile(Fields{Text: "text"})
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		var r Record
		e.extract(line, &r)
	}
}

// BenchmarkEncodingJSON is the standard library's pace on the same line.
func BenchmarkEncodingJSON(b *testing.B) {
	line := []byte(fmt.Sprintf(`{"text":"%s","meta":{"a":[1,2,3]}}`, strings.Repeat("some words in a line ", 50)))
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		var r struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			b.Fatal(err)
		}
	}
}
