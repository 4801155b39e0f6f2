package checks

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"sentweave/transforms/engines"
)

// english takes what has "the" in it for English, and "nil" for nothing.
type english struct{}

func (english) Identify(text string) (string, float32) {
	switch {
	case strings.Contains(text, "nil"):
		return "und", 0
	case strings.Contains(text, "vielleicht"):
		return "nld", .4
	case strings.Contains(text, "the "):
		return "eng", .9
	case strings.Contains(text, "ikke"):
		return "nob", .9
	}
	return "deu", .9
}

func TestCheck(t *testing.T) {
	c, err := NewChecker(DefaultConfig(), english{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		text, translation string
		want              Verdict
	}{
		{"The house is red.", "Das Haus ist rot.", OK},
		{"The house is red.", "", Empty}, {"The house is red.", " \u3000", Empty},
		{"The house is red.", "Das Haus\tist rot.", Broken}, {"The house is red.", "Das Haus\u0085ist rot.", Broken},
		{"The house is red.", "Das Haus ist rot.\n", Broken},
		{"The house is red.", "Das \xff Haus", Broken}, {"The house is red.", "Das H\ufffdus ist rot.", Broken},
		{"The h\ufffduse is red.", "Das H\ufffdus ist rot.", OK},
		{"The house is red.", "The house is red.", Copied}, {"The house is red.", " The  house is red. ", Copied},
		{"The house is red.", "The house is red!", OK},
		{"我喜欢猫", "我喜欢猫", Copied}, {"42 %", "42 %", OK}, {"https://example.org/a", "https://example.org/a", OK}, {"A 3 B", "A 3 B", OK},
		{"{name} <b>12</b>", "{name} <b>12</b>", OK},
		{"The house stands on the hill.", "The house is on the hill there.", WrongLanguage},
		{"The house stands on the hill.", "Das Haus ist nil und nichts und nil.", OK},
		{"The house stands on the hill.", "Das Haus steht vielleicht am Hang.", OK}, {"The dog.", "the dog.", OK},
		{"The house.", "Das Haus, das so lange leer gestanden hatte, dass niemand mehr wusste, wer darin gewohnt hatte, ist rot.",
			LengthRatio},
		{"The house that had been empty for so long that nobody knew any more who had lived in it is red.", "Rot.", LengthRatio},
		{"这是一个很长的句子，里面有很多汉字和标点符号。", "Dies ist ein sehr langer Satz mit vielen Zeichen und Satzzeichen.", OK},
		{"Hello {0} and %s", "Hallo {0} und %s", OK}, {"Hello {0} and %s", "Hallo {0} und", LostPlaceholder},
		{"Hello {0} and {0}", "Hallo {0}", LostPlaceholder},
		{"Click <b>here</b> now", "Klick <b>hier jetzt", LostPlaceholder}, {"Click <b>here</b> now", "Jetzt <b>hier</b> klicken", OK},
		{"See https://example.org/a?b=1, please", "Siehe https://example.org/a?b=1.", OK},
		{"See https://example.org/a, please", "Siehe https://example.org/b", LostPlaceholder},
		{"See https://example.org/a please", "请看https://example.org/a。谢谢你", OK},
		{"Mail to me@example.org", "Schreib an mich", LostPlaceholder},
		{"50% discount", "50 % Rabatt", OK}, {"%(name)s has %1$d files of %.2f MB", "%(name)s hat %1$d Dateien mit %.2f MB", OK},
		{"%1$d of %2$d", "%2$d von %d", LostPlaceholder},
		{"a < b and c > d", "a ist kleiner als b, c größer", OK}, {"{{user}} said ${x}", "${x} sagte {{user}}", OK},
		{"It has 27 rooms.", "Es hat 27 Zimmer.", OK}, {"It has 27 rooms.", "Es hat 72 Zimmer.", LostNumber},
		{"It has 2 rooms.", "Es hat zwei Zimmer.", OK},
	} {
		if got := c.Check(engines.Pair{Source: "eng", Target: "deu"}, tt.text, tt.translation); got != tt.want {
			t.Errorf("%q -> %q: %s, want %s", tt.text, tt.translation, got, tt.want)
		}
	}
	// Languages that identifiers take for each other are none that is wrong.
	for target, want := range map[string]Verdict{"nno": OK, "nor": OK, "nob": OK, "dan": WrongLanguage} {
		if got := c.Check(engines.Pair{Source: "eng", Target: target}, "It is not here, I think.",
			"Det er ikke her, tror jeg nok."); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
}

// Among gives the expected language a tenth of what the found one leaves.
func (e english) Among(text string, accepted func(string) bool) (float32, bool) {
	for _, code := range []string{"deu", "eng", "nno", "dan"} {
		if accepted(code) {
			_, score := e.Identify(text)
			return (1 - score) / 10, true
		}
	}
	return 0, false
}

func FuzzCheck(f *testing.F) {
	f.Add("It has 27 rooms, {0} <b>", "Es hat 27 Zimmer")
	f.Add("\xff", "0")
	f.Fuzz(func(t *testing.T, text, translation string) {
		c, err := NewChecker(DefaultConfig(), nil)
		if err != nil {
			t.Fatal(err)
		}
		p := engines.Pair{Source: "eng", Target: "deu"}
		v := c.Check(p, text, translation)
		if v == OK && (blank(translation) || !utf8.ValidString(translation) || strings.Contains(translation, "\n")) {
			t.Errorf("%q -> %q: %s", text, translation, v)
		}
		// A text keeps its own numbers and placeholders.
		if lostNumber(engines.Pair{Source: "eng", Target: "eng"}, text, text, 1) || lostPlaceholder(text, text) || !equalTexts(text, text) {
			t.Errorf("%q does not keep its own", text)
		}
	})
}

// The digits of every script have the values that their place in a run of ten gives.
func TestValue(t *testing.T) {
	for _, r := range unicode.Nd.R16 {
		for c := r.Lo; c <= r.Hi; c++ {
			if want := int(c-r.Lo) % 10; value(rune(c)) != want {
				t.Errorf("%U: %d, want %d", c, value(rune(c)), want)
			}
		}
	}
	for _, r := range unicode.Nd.R32 {
		for c := r.Lo; c <= r.Hi; c++ {
			if want := int(c-r.Lo) % 10; value(rune(c)) != want {
				t.Errorf("%U: %d, want %d", c, value(rune(c)), want)
			}
		}
	}
}

func TestCheckRoundTrip(t *testing.T) {
	config := DefaultConfig()
	config.MinRoundTrip = 40
	c, err := NewChecker(config, nil)
	if err != nil {
		t.Fatal(err)
	}
	// 36.5827 is what sacrebleu gives.
	if score, passes := c.CheckRoundTrip("Die Katze saß auf der Matte.", "Die Katze sitzt."); fmt.Sprintf("%.2f", score) != "36.58" ||
		passes {
		t.Errorf("%v, %t", score, passes)
	}
	if score, passes := c.CheckRoundTrip("The house.", "The house."); score != 100 || !passes {
		t.Errorf("%v, %t", score, passes)
	}
}

func TestConfigValidate(t *testing.T) {
	err := Config{LengthSlack: -1, MinLanguageScore: 2, MinLanguageCharacters: -1, MinRoundTrip: 101}.Validate()
	for _, want := range []string{"max_length_ratio", "length_slack", "min_language_score", "min_language_characters", "min_digits",
		"min_round_trip"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want %q in it", err, want)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	c, err := NewChecker(DefaultConfig(), nil)
	if err != nil {
		b.Fatal(err)
	}
	text := "The house on the hill has 27 rooms, see https://example.org/house, and a <b>red</b> roof."
	translation := "Das Haus auf dem Hügel hat 27 Zimmer, siehe https://example.org/house, und ein <b>rotes</b> Dach."
	b.SetBytes(int64(len(text) + len(translation)))
	for b.Loop() {
		if v := c.Check(engines.Pair{Source: "eng", Target: "deu"}, text, translation); v != OK {
			b.Fatal(v)
		}
	}
}
