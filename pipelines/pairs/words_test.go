package pairs

import "testing"

func TestWords(t *testing.T) {
	for text, want := range map[string]int{
		"":                     0,
		" ":                    0,
		"one":                  1,
		"It rained, all day.":  4,
		"  two\twords\n":       2,
		"我们在图书馆。":              6 + 1, // the full stop is a word, as it would be between spaces
		"川の近くで":                5,
		"версия 2":             2,
		"ไทย":                  3,
		"Das Wort 図書館 im Satz": 4 + 3,
		"한국어 문장":               2,
	} {
		if got := words(text); got != want {
			t.Errorf("%q: %d words, want %d", text, got, want)
		}
	}
}
