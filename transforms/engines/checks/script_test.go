package checks

import (
	"testing"

	"sentweave/schemas/language"
	"sentweave/transforms/engines"
)

func TestOtherScript(t *testing.T) {
	c, err := NewChecker(DefaultConfig(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		target, text, translation string
		want                      Verdict
	}{
		{"zho", "The house is red.", "房子是红的。", OK}, {"zho", "The house is red.", "Das Haus ist rot.", WrongLanguage},
		{"zho_Hant", "Good day to you", "good day to you!", WrongLanguage},
		{"jpn", "I have another.", "i have an other.", WrongLanguage}, {"jpn", "Tokyo tower", "東京タワー", OK},
		{"rus", "The dog", "the hound", WrongLanguage}, {"ara", "the dog", "собака", WrongLanguage},
		{"deu", "The small dog chased the cat", "THE SMALL DOG CHASED THE CAT", Copied}, {"deu", "the hotel", "The Hotel", OK},
		{"srp", "The dog", "pas", OK}, {"kor", "the dog", "개", OK}, {"eng", "我喜欢猫", "我爱猫", WrongLanguage},
		{"hin_Latn", "the dog", "kutta", OK},
		{"rus", "The small dog chased the cat away", "THE SMALL DOG CHASED THE CAT AWAY", Copied},
		{"rus", "The small dog chased the cat away", "Small Dogs Chase All Cats", WrongLanguage},
		// Names stay as they are.
		{"rus", "at Massachusetts Institute Technology Press", "Massachusetts Institute Technology Press", OK},
		{"zho", "the NATO", "NATO", OK}, {"zho", "my iPhone 7", "iPhone 7", OK}, {"jpn", "see www.x.com", "www.x.com", OK},
		{"rus", "Tom Smith", "Tom", OK}, {"eng", "北约", "NATO", OK}, {"zho", "twelve", "12", OK},
		{"zho", "the mp3 file_name", "mp3 file_name", OK},
	} {
		if got := c.Check(engines.Pair{Source: "eng", Target: tt.target}, tt.text, tt.translation); got != tt.want {
			t.Errorf("%s: %q -> %q: %s, want %s", tt.target, tt.text, tt.translation, got, tt.want)
		}
	}
	// The languages that models are made for have letters here.
	for _, code := range []string{"ara", "bul", "deu", "ell", "eng", "fra", "heb", "hin", "hye", "jpn", "kat", "khm", "kor", "lao", "mal",
		"mya", "rus", "sin", "spa", "swa", "tam", "tel", "tha", "tur", "urd", "vie", "zho", "amh", "bod", "uig"} {
		if len(language.Characters(code)) == 0 {
			t.Errorf("%s is written in %v, of which no letters are known", code, language.Scripts(code))
		}
	}
}
