package characters

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestTable(t *testing.T) {
	if len(scripts) > int(Other) || scripts[hanScript].code != "Hani" {
		t.Fatalf("%d scripts, %q at hanScript", len(scripts), scripts[hanScript].code)
	}
	for i, s := range scripts[1:] {
		if unicode.Scripts[s.name] == nil {
			t.Errorf("script %d %q is not in package unicode", i+1, s.name)
		}
		if s.unspaced != (s.word > 0) {
			t.Errorf("script %q: unspaced %t, %d letters a word", s.code, s.unspaced, s.word)
		}
	}
	if n := testing.AllocsPerRun(1, func() { table() }); n != 0 {
		t.Error("the table is built more than once")
	}
	tests := []struct {
		r      rune
		class  Class
		script string
	}{
		{'a', Letter, "Latn"}, {'Z', Letter, "Latn"}, {'ǅ', Letter, "Latn"}, {'ß', Letter, "Latn"}, {'ж', Letter, "Cyrl"},
		{'中', Letter, "Hani"}, {'𠀀', Letter, "Hani"}, {'𪜀', Letter, "Hani"}, {'々', Letter, "Hani"}, {'あ', Letter, "Hira"},
		{'ー', Letter, ""},
		{'한', Letter, "Hang"}, {'ก', Letter, "Thai"}, {'ั', Mark, ""}, {'٣', Digit, ""}, {'𝟗', Digit, ""},
		{'!', Punctuation, ""}, {'$', Punctuation, ""}, {'。', Punctuation, ""}, {'।', Punctuation, ""}, {'€', Punctuation, ""},
		{' ', Space, ""}, {'\n', Space, ""}, {'\u00a0', Space, ""}, {'\u3000', Space, ""}, {'፡', Space, ""},
		{'😀', Emoji, ""}, {'☃', Emoji, ""}, {0, Control, ""}, {0x7f, Control, ""}, {0x80, Control, ""},
		{'\u200c', Other, ""}, {'\ufeff', Other, ""}, {0xe000, Other, ""}, {0x10ffff, Other, ""}, {'\ufffd', Replacement, ""},
		{'་', Other, ""},
	}
	for _, tt := range tests {
		k := classify(table(), tt.r)
		class, script := Class(k), ""
		if k.isLetter() {
			class, script = Letter, scripts[k].code
		}
		if class != tt.class || script != tt.script {
			t.Errorf("%q: class %d, script %q; want %d, %q", tt.r, class, script, tt.class, tt.script)
		}
	}
}

// FuzzCounts compares the counts with a restatement by package unicode.
func FuzzCounts(f *testing.F) {
	f.Add("The 3 committees, 委员会, меня\xff\u0300 \x07😀")
	f.Fuzz(func(t *testing.T, text string) {
		var c Counts
		c.Add(text)
		characters, letters, marks, digits, han := 0, 0, 0, 0, 0
		for _, r := range text {
			characters++
			if unicode.IsLetter(r) && (r < tableSize || unicode.Is(unicode.Han, r)) {
				letters++
			}
			if unicode.IsMark(r) && r < tableSize {
				marks++
			}
			if unicode.IsDigit(r) {
				digits++
			}
			if unicode.Is(unicode.Han, r) && unicode.IsLetter(r) {
				han++
			}
		}
		if c.Characters != characters || c.Of(Letter) != letters || c.Of(Mark) != marks || c.Of(Digit) != digits || c.of[hanScript] != han {
			t.Errorf("%q: %+v, want %d characters, %d letters, %d marks, %d digits, %d Han", text, c, characters, letters, marks, digits,
				han)
		}
		// Two texts together count what they count alone.
		var joined, second Counts
		half := len(text) / 2
		for half > 0 && !utf8.RuneStart(text[half]) {
			half--
		}
		joined.Add(text[:half])
		second.Add(text[half:])
		joined.Join(&second)
		joined.Run = c.Run // that may lie across the cut
		if utf8.ValidString(text) && joined != c {
			t.Errorf("%q: %+v in two parts, %+v in one", text, joined, c)
		}
	})
}

func TestUnits(t *testing.T) {
	tests := []struct {
		text  string
		units int
	}{
		{"one two  three ", 3},
		{"non\u00a0breaking", 2},
		{"中文字", 3},
		{"Go语言 is 好", 5},      // Go 语 言 is 好
		{"文字a文字", 5},          // 文 字 a 文 字
		{"กิน", 2},            // กิ น
		{"好。吗", 3},            // 好 。 吗
		{"\u0301", 1},         // a mark alone
		{"e\u0301t\u00e9", 1}, // marks stay in their word
		{"", 0},
	}
	for _, tt := range tests {
		units := AppendUnits(nil, tt.text)
		if len(units) != tt.units {
			t.Errorf("%q: %d units, want %d", tt.text, len(units), tt.units)
		}
		for _, u := range units {
			if n := utf8.RuneCountInString(tt.text[u.Start:u.End]); n != u.Characters ||
				strings.ContainsFunc(tt.text[u.Start:u.End], unicode.IsSpace) {
				t.Errorf("%q: the unit %q is said to have %d characters", tt.text, tt.text[u.Start:u.End], u.Characters)
			}
		}
	}
}

func TestWordLetters(t *testing.T) {
	for text, want := range map[string]int{
		"Three English words": 1, "人们站在桥上数着": 2, "人々は橋の上に立ちました": 3, "ผู้คนยืนบนสะพาน": 3,
		"Debian GNU 桥上 Linux ok": 1, "위원회는 목요일에": 1, "": 1,
	} {
		var c Counts
		if c.Add(text); c.WordLetters() != want {
			t.Errorf("%q: %d letters a word, want %d", text, c.WordLetters(), want)
		}
	}
}

// The weights were added up by hand.
func TestWeigh(t *testing.T) {
	latin, _ := setOf("Latn")
	tests := []struct {
		text string
		want Weights
	}{
		{"", Weights{}},
		{"安装 vim", Weights{Length: 10, Letters: 9, Dense: 6, Unspaced: 6, Expected: 3}},
		{"한 a.", Weights{Length: 5, Letters: 3, Dense: 2, Expected: 1}},
		{"กิน", Weights{Length: 4, Letters: 3, Unspaced: 3}}, // two letters and a mark
		{"ሰላም 12", Weights{Length: 7.5, Letters: 4.5, Dense: 4.5}},
	}
	for _, tt := range tests {
		var c Counts
		if c.Add(tt.text); c.Weigh(latin) != tt.want {
			t.Errorf("%q: %+v, want %+v", tt.text, c.Weigh(latin), tt.want)
		}
	}
}

func TestScriptShare(t *testing.T) {
	tests := []struct {
		text, code string
		want       float64
	}{
		{"abcd жз", "eng", 4. / 6}, {"abcd жз", "rus", 2. / 6}, {"abcd жз", "srp_Latn", 4. / 6}, {"abcd жз", "srp", 1},
		{"12 — 34", "eng", 1}, {"安装 vim", "zho_Hant", 6. / 9}, {"安装 vim", "tha", 0},
		{"abc", "gaz", 1},      // not in the list of usual scripts: language.Scripts knows it
		{"abc", "und", 1},      // Latin by default
		{"abc", "sun_Sund", 1}, // not in the usual script of the language
		{"абв", "xsa_Sarb", 1}, // a script that is not told from others
	}
	for _, tt := range tests {
		if got := ScriptShare(tt.text, tt.code); got != tt.want {
			t.Errorf("%q in %s: %v, want %v", tt.text, tt.code, got, tt.want)
		}
	}
	for code, told := range map[string]bool{"srp": true, "srp_Cyrl": true, "zho_Hant": true, "jpn_Hrkt": true, "sun_Sund": false} {
		if err := CheckScript(code); (err == nil) != told {
			t.Errorf("%s: %v", code, err)
		}
	}
	for tag, want := range map[string]string{"sr-Latn": "srp_Latn", "en": "eng", "eng_Zzzz": "", "zh-yue-zzzz": "", "sun_Sund": "",
		"xx": ""} {
		if code, err := ParseLanguage(tag); (err == nil) != (want != "") || err == nil && code != want {
			t.Errorf("%s: %q, %v", tag, code, err)
		}
	}
	for code, in := range map[string]bool{"zho": true, "zho_Hans": true, "zho_Hant": false, "yue_Hant": false} {
		if got := InScript("我们学习", code); got != in || !InScript("山水", code) {
			t.Errorf("in %s: %t", code, got)
		}
	}
	// Half of the letters are not most of them.
	for code, in := range map[string]bool{"srp": true, "srp_Latn": false, "srp_Cyrl": false, "srp_Grek": false} {
		if got := InScript("abc где", code); got != in {
			t.Errorf("in %s: %t", code, got)
		}
	}
	for _, u := range usualScripts {
		if _, ok := setOf(strings.Fields(u.scripts)...); !ok {
			t.Errorf("%s: a script of %q is not in the table", u.languages, u.scripts)
		}
	}
}
