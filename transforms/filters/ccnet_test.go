package filters

import (
	"strings"
	"testing"
)

func TestCCNet(t *testing.T) {
	tests := []struct {
		name    string
		texts   []string
		sure    bool
		reason  string
		measure float64
	}{
		{"prose", prose, true, "", 0},
		{"nothing", nil, true, ReasonFewSentences, 0},
		{"one sentence", []string{strings.Join(prose, " ")}, true, ReasonFewSentences, 1},
		{"two short ones", []string{"a b", "c d e"}, true, ReasonFewCharacters, 8},
		{"99 characters", []string{strings.Repeat("a", 50), strings.Repeat("b", 49)}, true, ReasonFewCharacters, 99},
		{"100 characters", []string{strings.Repeat("a", 50), strings.Repeat("b", 50)}, true, "", 0},
		{"39 characters of Chinese", []string{strings.Repeat("河", 20), strings.Repeat("水", 19)}, true, ReasonFewCharacters, 39},
		{"40 characters of Chinese", []string{strings.Repeat("河", 20), strings.Repeat("水", 20)}, true, "", 0},
		{"half of the letters are Chinese", []string{strings.Repeat("河", 20), strings.Repeat("a", 20)}, true, ReasonFewCharacters, 40},
		{"unsure of the language", prose, false, reasonLanguageScore, .25},
		{"short and unsure", []string{"a b", "c d e"}, false, ReasonFewCharacters, 8},
	}
	for _, tt := range tests {
		d := document(tt.texts...)
		d.LanguageScore, d.LanguageSure = .25, tt.sure
		if reason, measure := judge(t, ccNet, d); reason != tt.reason || measure != tt.measure {
			t.Errorf("%s: %q (%v), want %q (%v)", tt.name, reason, measure, tt.reason, tt.measure)
		}
	}
}
