package jsonfields

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestElements(t *testing.T) {
	for text, want := range map[string]string{
		"[]":                                      "",
		"[{\"a\": 1},\n {\"b\": [1, 2]}]\n":       "{\"a\": 1}|{\"b\": [1, 2]}",
		"[\n  {\n    \"a\": \"x, y\"\n  }\n]":     "{     \"a\": \"x, y\"   }",
		"{\n\"a\": {\"b\": 1}\n}\n{\n\"c\": 2\n}": "{ \"a\": {\"b\": 1} }|{ \"c\": 2 }",
		`[{"a": "]\"\\"}, {"b": "[{"}]`:           `{"a": "]\"\\"}|{"b": "[{"}`,
		"[1, [2, 3], \"4\"] [5]":                  `1|[2, 3]|"4"|5`,
		"[{\"a\": \"x\ny":                         "{\"a\": \"x y", // cut
		"]}, {\"a\": 1},\n{\"b\": [1, 2]}":        "]}|{\"a\": 1}|{\"b\": [1, 2]}",
	} {
		got, err := io.ReadAll(NewElements(iotest.OneByteReader(strings.NewReader(text))))
		if err != nil || len(got) != len(text) {
			t.Errorf("%q: %d bytes, %v", text, len(got), err)
		}
		var lines []string
		for line := range strings.Lines(string(got)) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
		if told := strings.Join(lines, "|"); told != want {
			t.Errorf("%q: %q, want %q", text, told, want)
		}
	}
}

// FuzzElements compares with encoding/json where that reads an array.
func FuzzElements(f *testing.F) {
	f.Add("[{\"a\": \"b\\\"\"}, [1], null]")
	f.Fuzz(func(t *testing.T, text string) {
		var want []json.RawMessage
		if json.Unmarshal([]byte(text), &want) != nil || want == nil {
			return
		}
		got, _ := io.ReadAll(NewElements(strings.NewReader(text)))
		n := 0
		for line := range strings.Lines(string(got)) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			if !json.Valid([]byte(line)) {
				t.Fatalf("%q: %q", text, line)
			}
			n++
		}
		if n != len(want) {
			t.Fatalf("%q: %d elements of %d", text, n, len(want))
		}
	})
}
