package checks

import (
	"strings"
	"testing"

	"sentweave/schemas/language"
)

func TestWords(t *testing.T) {
	for line := range strings.Lines(wordList) {
		if kind, _, _ := strings.Cut(strings.TrimSpace(line), " "); !strings.Contains(" # power scale number ", " "+kind+" ") &&
			kind != "" {
			t.Errorf("words.txt has the line %q", line)
		}
	}
	if len(powers) == 0 || len(scaleWords) == 0 || len(numberWords) == 0 {
		t.Errorf("%d powers, scales of %d languages, numbers of %d", len(powers), len(scaleWords), len(numberWords))
	}
	for _, p := range powers {
		if p.word == "" || p.zeros < 1 || p.zeros > 13 {
			t.Errorf("power %+v", p)
		}
	}
	for code := range scaleWords {
		if !language.Valid(code) {
			t.Errorf("scale %q is of no language", code)
		}
	}
	for code, lists := range numberWords {
		if !language.Valid(code) || len(lists) != 19 {
			t.Errorf("number %s has %d lists, want 19", code, len(lists))
		}
	}
}
