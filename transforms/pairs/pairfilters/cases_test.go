package pairfilters

import (
	"math"
	"strings"
	"testing"
)

// load returns a pair: of English and German where no languages are given.
func load(a, b string, codes ...string) *Pair {
	if codes == nil {
		codes = []string{"eng", "deu"}
	}
	p := &Pair{}
	p.Load(a, codes[0], b, codes[1])
	return p
}

// scored returns a pair with a score as rows have it.
func scored(score float32) *Pair {
	p := load("a", "b")
	p.Score = float64(score)
	return p
}

// margined returns a pair with a margin as columns have it.
func margined(margin float32) *Pair {
	p := load("a", "b")
	p.Margin = float64(margin)
	return p
}

// measure returns what the rule of a measure says of a pair.
func measure(t testing.TB, name string, p *Pair) (float64, bool) {
	t.Helper()
	for _, r := range Measuring().rules {
		if r.Measure == name {
			x := r.Of(p)
			return x, r.Drops(p, x)
		}
	}
	t.Fatalf("no measure %q", name)
	return 0, false
}

// Values are worked out by hand from the published definitions; NaN: the rule does not apply.
func TestMeasures(t *testing.T) {
	nan := math.NaN()
	long := strings.Repeat("x", 40)
	tests := []struct {
		measure string
		pair    *Pair
		want    float64
		dropped bool
	}{
		{"least_characters", load("", "Hund"), 0, true},
		{"most_characters", load("Hünd", strings.Repeat("ü", 1024)), 1024, true},
		{"length_ratio", load("abcd", "abcdefghijkl"), 3, false},
		{"length_ratio", load("abcd", "abcdefghijklm"), 3.25, true},
		{"length_ratio", load("The cat is black", "猫是黑色的。", "eng", "zho"), 1, false}, // 5 × 3 + 1
		{"length_ratio", load("", "a"), math.MaxFloat32, true},
		{"word_ratio", load("one two three", "eins"), 3, true},
		{"word_ratio", load("one two", "eins"), 2, false},
		{"word_ratio", load("I love you", "我爱你们大家", "eng", "zho"), 1, false}, // 6 letters, 2 a word
		{"least_words", load(" \t", "a b"), 0, true},
		{"most_words", load("a b", strings.Repeat("a ", 101)), 101, true},
		{"least_average_word", load("ab abc", "a b c"), 1, true},
		{"most_average_word", load("ab abc", "我爱你们大家我爱你们大家我爱你们大家", "eng", "zho"), 2.5, false},
		{"longest_word", load("a "+long, "b"), 40, true},
		{"longest_word", load("a "+long[1:], "b"), 39, false},
		{"identical", load("The BSD-licence!", "the bsd licence"), 1, true},
		{"identical", load("1 2", "3 4"), 1, true}, // neither has a letter
		{"identical", load("the cat", "the hat"), 0, false},
		{"letters", load("abc4", "abcde fghij"), .75, false},
		{"letters", load("ab 4", "abcde fghij"), .5, true},
		{"script", load("кот cat", "die Katze"), .5, false},
		{"script", load("кот и пёс", "die Katze"), 0, true},
		{"script", load("1", "2"), nan, false},
		{"digits", load("12 ab", "a"), .4, false},
		{"digits", load("12 a", "a"), .5, true},
		{"digits", load("12 我", "ab", "zho", "deu"), .5, false},
		{"bad_encoding", load("fÃ¼r", "ÂÃ"), 2, true},
		{"bad_encoding", load("São", "MÃE", "eng", "por"), 0, false},
		{"latin1_run", load("fÃ¼Ã¼r", "a"), 4, true},
		{"latin1_run", load("þýðir", "a", "isl", "eng"), 3, false},
		{"escapes", load(`caf\u00e9`, `\x4`), 1, true},
		{"space_noise", load("a w o r d s", "x"), 1, true},
		{"space_noise", load("in a w o r", "x"), 0, false}, // no space behind the fourth
		{"space_noise", load("so 1 2 3 4 5 6", "x"), 0, false},
		{"glued_words", load("gluedWordsOf", "x"), 2, true},
		{"glued_words", load("Two Words", "OpenBSD"), 1, false},
		{"breadcrumbs", load("a - b - c - d → e → f", "x"), 1, true},
		{"breadcrumbs", load("a - b - c → d → e", "x"), 2. / 3, false},
		{"parentheses", load("[a", "a"), 1, true},
		{"parentheses", load("a) one", "a) eins"), 0, false},
		{"parentheses", load("a) one", "eins"), 1, true},
		{"literals", load("Re: 100 %s", "x"), 2, true},
		{"titles", load("The Cat", "Die Katze"), 1, true},
		{"titles", load("The cat", "Die Katze"), 0, false},
		{"titles", load("Cat", "Die Katze"), 0, false},
		{"empty_brackets", load("it ( , ) is", "（）"), 1, true},
		{"empty_brackets", load("call main() here", "a [b] c"), 0, false},
		{"html_tags", load("a <b>bold</b> word", "x < y > z"), 1, true},
		{"html_tags", load("a <b", "</p>"), 0, false},
		{"urls", load("see www.debian.org/x", "a"), 1, true},
		{"urls", load("me@debian.org, or this.", "a"), 1, true},
		{"urls", load("v1.2 is here.Then", "a .deb"), 0, false},
		{"terminal_punctuation", load("A. B. C.", "A。"), 4, false}, // 2 + 2
		{"terminal_punctuation", load("....", "x"), 7, true},       // -log 8 is less than -2
		{"numerals", load("in 1995 and 2003", "1995"), 2. * 4 / 10, false},
		{"numerals", load("12", "34"), 0, true},
		{"numerals", load("١٢ 3", "1 2 ३", "ara", "hin"), 1, false},
		{"digit_differences", load("10 and 2", "2 01"), 0, false},
		{"digit_differences", load("10", "11"), 2, true},
		{"repetitions", load("ha! ha! ha! ha!", "x"), 3, true},
		{"repetitions", load("abcabc", "x"), 0, false},
		{"repetitions", load("..........", "x"), 2, true}, // three times three, and one
		{"repeated_words", load("the cat The Cat sat", "x"), 15, true},
		{"repeated_words", load("had had", "x"), 7, false},
		{"copied_words", load("abc 12 defg", "defg 12 abc"), 14. / 18, false},
		{"common_substring", load("a word", "in a word: yes"), 1, true},
		{"common_substring", load("abcdxfgh", "abcdyfgh"), .5, false},
		{"similarity", load("kitten", "sitting"), 1 - 3./7, false},
		{"similarity", load("The gothic cat", "The Gothic cat"), 1 - 1./14, true},
		{"language", load("a", "b"), nan, false}, // no identifier
		{"cosine", load("a", "b"), nan, false},   // no vectors
		{"margin", load("a", "b"), nan, false},   // no vectors
		{"margin", margined(1.06), float64(float32(1.06)), false},
		{"margin", margined(1.05), float64(float32(1.05)), true},
		{"score", load("a", "b"), nan, false}, // none
		{"score", scored(1.06), float64(float32(1.06)), false},
		{"score", scored(1.05), float64(float32(1.05)), true},
		{"learned", load("a", "b"), nan, false}, // no model
	}
	measured := map[string]bool{}
	for _, tt := range tests {
		got, dropped := measure(t, tt.measure, tt.pair)
		measured[tt.measure] = true
		if math.Abs(got-tt.want) > 1e-9 || math.IsNaN(got) != math.IsNaN(tt.want) || dropped != tt.dropped && tt.measure != "letters" {
			t.Errorf("%s of %q, %q: %v, dropped %t; want %v, %t", tt.measure, tt.pair.A.Text, tt.pair.B.Text, got, dropped, tt.want,
				tt.dropped)
		}
	}
	for _, name := range Measuring().Measures() {
		if !measured[name] {
			t.Errorf("the measure %s is not tested", name)
		}
	}
}
