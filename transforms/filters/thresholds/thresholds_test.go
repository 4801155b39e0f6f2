package thresholds_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"sentweave/transforms/filters/thresholds"
)

func pointer(x float64) *float64 { return &x }

// measures have a minimum, a maximum, and both.
var measures = []thresholds.Measure{
	{Name: "terminated", Bounds: thresholds.Bounds{Minimum: pointer(.12)}},
	{Name: "short", Bounds: thresholds.Bounds{Maximum: pointer(.67)}},
	{Name: "words", Bounds: thresholds.Bounds{Minimum: pointer(50), Maximum: pointer(1000)}},
}

// What a user may have written, and the fault that names it.
func TestDecode(t *testing.T) {
	const head = `{"version": 1, "languages": {`
	for text, want := range map[string]string{
		head + `"deu": {"documents": 5, "thresholds": {"words": {"minimum": 9, "maximum": 9}, "short": {"maximum": 0}}}, "fra": {}}}`: "",
		head + `"deu": {"thresholds": {"words": {"maximum": 50}}}}}`:                                                                  "",
		``:                       "unexpected end",
		`{}`:                     "it has no version",
		`{"version": 2, "x": 1}`: "it has version 2, and version 1 is read",
		`{"version": 1, "x": 1}`: `unknown field "x"`,
		head + "\n\"deu\": {\"thresholds\":\n{\"words\": {\"minimum\": NaN}}}}}":     "line 3: invalid character 'N'",
		head + "\n\"deu\": {\"thresholds\":\n{\"words\": {\"minimum\": 1e999}}}}}":   "line 3: json: cannot unmarshal number 1e999",
		head + "\n\"deu\": {\"thresholds\": {\"words\": {\"minimum\": \"many\"}}}}}": "line 2: json: cannot unmarshal string",
		head + `"deu": {}, "fra": {}, "deu": {}}}`:                                   `the name "deu" is there twice`,
		head + `"de": {"thresholds": {"words": {"minimum": 9}}}}}`:                   "give deu for",
		head + `"deu_Xxyz": {"thresholds": {"words": {"minimum": 9}}}}}`:             "deu_Xxyz",
		head + `"deu": {"thresholds": {"word": {"minimum": 9}}}}}`:                   "deu: word is not a measure of the filters that run",
		head + `"deu": {"thresholds": {"short": {"minimum": 0}}}}}`:                  "deu: short: the measure has no minimum",
		head + `"deu": {"thresholds": {"words": {"minimum": 9, "maximum": 8}}}}}`:    "deu: words: the minimum 9 is above the maximum 8",
		head + `"deu": {"thresholds": {"words": {"maximum": 49}}}}}`:                 "deu: words: the minimum 50 is above the maximum 49",
	} {
		f, err := thresholds.Decode([]byte(text))
		if err == nil {
			err = f.Fitted().Check(measures)
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), -1} {
		err := thresholds.Languages{"deu": {"words": {Maximum: &x}}}.Check(measures)
		if err == nil || !strings.Contains(err.Error(), "deu: words: the maximum") {
			t.Errorf("%v: %v", x, err)
		}
	}
	least, one := .5, 1.01
	err := thresholds.Languages{"deu": {thresholds.LanguageScore: {Minimum: &one}}}.Check(
		[]thresholds.Measure{{Name: thresholds.LanguageScore, Bounds: thresholds.Bounds{Minimum: &least}}})
	if err == nil || !strings.Contains(err.Error(), "the minimum 1.01 is out of the range") {
		t.Error(err)
	}
}

// What is read can be written, and is then read as the same.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"version": 1, "languages": {"deu": {"thresholds": {"words": {"minimum": 9, "maximum": 9}}}}}`))
	f.Add([]byte(`{"version": 1, "shares": {"words": {"minimum": .1}}, "languages": {"": {}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := thresholds.Decode(data)
		if err != nil {
			return
		}
		_ = file.Fitted().Check(measures)
		first, err := file.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := thresholds.Decode(first)
		if err != nil {
			t.Fatal(err)
		}
		if second, _ := again.Encode(); !bytes.Equal(first, second) {
			t.Errorf("%s\nbecomes\n%s", first, second)
		}
	})
}
