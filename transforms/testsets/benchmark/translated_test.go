package benchmark

import (
	"testing"

	"sentweave/schemas/language"
)

func TestIsForeign(t *testing.T) {
	for _, c := range []struct {
		code, text string
		want       bool
	}{
		{"rus", "Хорошо", false},
		{"rus", "Good", true},
		{"rus", "你好", true},
		{"rus", "iPhone — лучший телефон", false},
		{"rus", "George W. Bush", true},
		{"rus", "5 + 5 = 10 ½ ①", false}, // no letter
		{"jpn", "ラーメンを食べる", false},
		{"jpn", "東京", false},
		{"kor", "大韓民國 안녕", false},
		{"zho", "ラーメンをたべる", true},
		{"zho_Hant", "你好 ok", false},
		{"srp", "Dobar dan", false},
		{"srp", "Добар дан", false},
		{"srp_Cyrl", "Dobar dan", true},
		{"hin", "नमस्ते", false},
		{"urd", "ہیلو", false},
		{"deu", "Хорошо", true},
		{"vie", "Tiếng Việt", false},
	} {
		if got := isForeign(c.text, language.Characters(c.code)); got != c.want {
			t.Errorf("%s in %s: got %v", c.text, c.code, got)
		}
	}
	if isForeign("Good", nil) {
		t.Error("a text is foreign to a language of which nothing is known")
	}
}
