package text

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sentweave/transforms/read/lineending"
)

func extractOne(line string, fields Fields) Record {
	e := newExtractor(fields)
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
		{`{"text":"a","id":12,"url":"u","date":"2020","language":"de"}`, all,
			Record{Text: "a", ID: "12", URL: "u", Date: "2020", Language: "de"}},
		{` { "text" : "a" , "id" : null , "url" : [ ] } `, all, Record{Text: "a"}},
		{`{"te\u0078t":"\u00e9\n\ud83d\ude00x\/"}`, all, Record{Text: "é\n😀x/"}},
		{`{"text":"a\ud800x"}`, all, Record{Text: "a\ufffdx", Reason: InvalidUTF8}},
		{`{"text":"a","url":"\ude00"}`, all, Record{Text: "a", URL: "\ufffd"}},
		{`{"text":"a","score":NaN,"bounds":[-Infinity,Infinity]}`, all, Record{Text: "a"}},
		{`{"text":"a","text":"b"}`, all, Record{Reason: FieldRepeated}},
		{`{"text":"a","url":"u","url":"v","x":1,"x":2}`, all, Record{Text: "a", URL: "v"}},
		{`{"m":{"t":"a"},"m":{}}`, Fields{Text: "m.t"}, Record{Reason: FieldRepeated}},
		{`{"m":[{"t":"a"},{"t":"b"}]}`, Fields{Text: "m.1.t"}, Record{Text: "b"}},
		{`{"m":{"1":{"t":"b"}}}`, Fields{Text: "m.1.t"}, Record{Text: "b"}},
		{`{"text":{"text":"a"}}`, all, Record{Reason: FieldNotString}},
		{`{"x":{"text":"a"}}`, all, Record{Reason: FieldMissing}},
		{`{"text":null}`, all, Record{Reason: FieldNotString}},
		{`"text"`, all, Record{Reason: FieldMissing}},
		{"{\"text\":\"a\xffb\"}", all, Record{Text: "a\ufffdb", Reason: InvalidUTF8}},
		{"{\"text\":\"a\",\"author\":\"\xff\"}", all, Record{Text: "a"}},
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

// A line of several values that carriage returns part says so; white space within one value is none of these.
func TestExtractReturns(t *testing.T) {
	for line, want := range map[string]string{
		"{\"text\":\"a\"}\r{\"text\":\"b\"}\r": lineending.ErrReturns.Error(), "{\r\"text\":\r\"a\"}": "",
	} {
		if got := extractOne(line, Fields{Text: "text"}); got.Detail != want {
			t.Errorf("%q: %+v, want %q", line, got, want)
		}
	}
}

func BenchmarkExtract(b *testing.B) {
	line := []byte(fmt.Sprintf(`{"text":"%s","meta":{"a":[1,2,3]}}`, strings.Repeat("some words in a line ", 50)))
	e := newExtractor(Fields{Text: "text"})
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
