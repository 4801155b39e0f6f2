package langid

import (
	"math"
	"testing"
)

// The labels of softmaxModel have the probabilities e^i/Z: no language is the answer in whose scripts the text has no letter.
func TestWithinScripts(t *testing.T) {
	tests := []struct {
		labels []string
		text   string
		want   string
		score  float64
	}{
		{[]string{"en", "de", "ko"}, "a", "deu", math.E / (1 + math.E)},
		{[]string{"en", "de", "ru"}, "a", "deu", math.E / (1 + math.E)},
		{[]string{"en", "ru", "ko"}, "a 괜찮아요", "kor", math.E * math.E / (1 + math.E + math.E*math.E)},
		{[]string{"ru", "ko", "en"}, "a Բարեւ", "eng", math.E * math.E / (1 + math.E + math.E*math.E)},
		{[]string{"ru", "ko"}, "a", "kor", math.E / (1 + math.E)}, // in a script of none
	}
	for _, tt := range tests {
		f, err := NewFastText(softmaxModel(t, tt.labels...))
		if err != nil {
			t.Fatal(err)
		}
		got, score := f.Identify(tt.text)
		if got != tt.want || math.Abs(float64(score)-tt.score) > 3e-5 {
			t.Errorf("%q of %v: %q %v, want %q %.5f", tt.text, tt.labels, got, score, tt.want, tt.score)
		}
		top := f.Top(nil, tt.text, 1)
		if len(top) != 1 || top[0] != (Guess{got, score}) {
			t.Errorf("%q of %v: Top gives %v, Identify %q %v", tt.text, tt.labels, top, got, score)
		}
	}
}
