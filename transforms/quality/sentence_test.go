package quality

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"sentweave/schemas/realdata"
)

func sentenceFilter(t testing.TB, edit func(*SentenceConfig)) *SentenceFilter {
	t.Helper()
	c := DefaultSentenceConfig()
	if edit != nil {
		edit(&c)
	}
	f, err := NewSentenceFilter(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestSentence(t *testing.T) {
	tests := []struct{ text, language, reason string }{
		// Kept, in many scripts.
		{"The committee meets again on Thursday.", "eng", ""},
		{"Комиссия снова соберётся в четверг.", "rus", ""},
		{"Η επιτροπή συνεδριάζει ξανά την Πέμπτη.", "ell", ""},
		{"تجتمع اللجنة مرة أخرى يوم الخميس.", "ara", ""},
		{"הוועדה תתכנס שוב ביום חמישי.", "heb", ""},
		{"کمیته پنجشنبه دوباره تشکیل جلسه می\u200cدهد.", "fas", ""}, // a zero-width non-joiner is no control
		{"समिति गुरुवार को फिर बैठक करेगी।", "hin", ""},
		{"குழு வியாழக்கிழமை மீண்டும் கூடுகிறது.", "tam", ""},
		{"คณะกรรมการจะประชุมอีกครั้งในวันพฤหัสบดี", "tha", ""}, // no spaces
		{"គណៈកម្មាធិការនឹងជួបប្រជុំម្តងទៀត", "khm", ""},
		{"ཚོགས་ཆུང་གིས་གཟའ་ཕུར་བུར་ཡང་བསྐྱར་ཚོགས།", "bod", ""}, // tsheg is no punctuation
		{"委员会星期四再次开会。", "zho", ""},
		{"委員會星期四再次開會。", "zho_Hant", ""},
		{"你好吗，朋友", "zho", ""}, // 6 characters say enough
		{"委員会は木曜日に再び開かれます。", "jpn", ""},
		{"위원회는 목요일에 다시 열립니다.", "kor", ""},
		{"안녕하세요", "kor", ""},
		{"ኮሚቴው ሐሙስ እንደገና ይሰበሰባል።", "amh", ""},
		{"ኮሚቴው፡ሐሙስ፡እንደገና፡ይሰበሰባል።", "amh", ""}, // the wordspace is white space
		{"კომიტეტი ხუთშაბათს ისევ შეიკრიბება.", "kat", ""},
		{"Հանձնաժողովը կրկին կհավաքվի հինգշաբթի։", "hye", ""},
		{"Komisija se ponovo sastaje u četvrtak.", "srp", ""},
		{"Комисија се поново састаје у четвртак.", "srp", ""},
		{"Tushunmayman.", "uzb", ""}, // one word is a sentence
		{"HEADINGS MAY STAND IN CAPITALS", "eng", ""},
		{"A sentence of an unknown language", "und", ""},
		{"Ужасная ошибка", "xxx", ""}, // no expected script
		{"The 24 engineers met on 5 May.", "eng", ""},
		{"Nice weather today 😀", "eng", ""},

		// Kept: foreign names, digits and speech in scripts without spaces.
		{"实时通信(Real-Time Communication,RTC)服务包括语音。", "zho", ""},
		{"实时通信（Real-Time Communication，RTC）服务包括语音。", "zho", ""},
		{"现在我们聚焦在配置文件 /etc/kamailio/kamailio.cfg 上。", "zho", ""},
		{"安装 prosody 软件包。", "zho", ""},
		{"XMPP 有时被称为 Jabber。", "zho", ""},
		{"史密斯博士在1994年测量了它的深度。", "zho", ""},
		{"他说：“我来了。”", "zho", ""},
		{"彼は「行く。」と言った。", "jpn", ""},
		{"次に、apt コマンドで prosody を導入する。", "jpn", ""},
		{"apt install prosody を実行", "jpn", ""},
		{"运行 \"aptitude update\" 命令。", "zho_Hans", ""},
		{"Apple Macintosh (Кириллица)", "rus", ""},
		{"이제 prosody 패키지를 설치한다.", "kor", ""},
		{"ติดตั้ง prosody ก่อน", "tha", ""},
		{"今天的天气真好😀😀", "zho", ""}, // 2 of 26

		// Kept: short speech.
		{`"Stop!" she said.`, "eng", ""},
		{"What?!", "eng", ""},
		{"Why not?", "eng", ""},
		{"«Я иду.»", "rus", ""},
		{"„Nein.“", "deu", ""},
		{"« Pars ! »", "fra", ""},
		{"¿Cómo?", "spa", ""},
		{"“为什么？”", "zho", ""},
		{"“你好！”", "zho", ""},

		// Dropped.
		{"", "eng", ReasonTooShort},
		{"Too brief", "eng", ReasonTooShort},
		{"Коротко.", "rus", ReasonTooShort},
		{"你好吗。", "zho", ReasonTooShort},
		{"好！", "zho", ReasonTooShort},
		{"What?", "eng", ReasonTooShort}, // 5 characters
		{"«Меню»", "rus", ReasonTooShort},
		{"(p. 3.)", "eng", ReasonTooShort},
		{"见 vim(1)", "zho", ReasonTooShort}, // most letters are Latin
		{strings.Repeat("Many words. ", 42), "eng", ReasonTooLong},
		{strings.Repeat("很多字", 167), "zho", ReasonTooLong},
		{"A broken \ufffd character", "eng", ReasonReplacement},
		{"Bytes of latin-1: caf\xe9 au lait", "eng", ReasonReplacement},
		{"A bell \a rings in this one", "eng", ReasonControl},
		{"An escape \x1b[0m sequence", "eng", ReasonControl},
		{"A C1 control\u0092s apostrophe", "eng", ReasonControl},
		{"... --- ... --- ...", "eng", ReasonNoLetters},
		{"12 345 678 901", "eng", ReasonNoLetters},
		{"१२३ ४५६ ७८९ ०१२", "hin", ReasonNoLetters},
		{"Chapter one ........................ 12", "eng", ReasonRepeated},
		{"He said nooooooooooooooooooooooo", "eng", ReasonRepeated},
		{"Call +49 30 901820 or 0800 100200", "eng", ReasonDigits},
		{"फ़ोन ०१२३४५६७८९ पर", "hin", ReasonDigits},
		{"a.b.c.d -> e/f/g :: h|i", "eng", ReasonPunctuation},
		{"「は！」『え？』…（笑）", "jpn", ReasonPunctuation},
		{"a!!!!!", "eng", ReasonPunctuation},
		{"电话：010-82345678 转 1234", "zho", ReasonDigits},
		{"图 2024-05-17 12:30:45", "zho", ReasonDigits},
		{"见 ../a/b/c.d-e?f=g&h", "zho", ReasonPunctuation},
		{"Administratoren vorgenommenen Veränderungen:", "deu", ReasonFewSpaces}, // 2 of 44
		{"Great 😀😃😄😁😆 news for you", "eng", ReasonEmoji},
		{"thisisalongwordthatnobodywouldeverwritedown", "eng", ReasonFewSpaces},
		{"안녕하세요저는위원회의새로운회원이며목요일에다시올예정입니다만", "kor", ReasonFewSpaces},
		{"s p a c e d  o u t  t e x t", "eng", ReasonManySpaces},
		{"The committee meets on Thursday.", "rus", ReasonScript},
		{"Комиссия снова соберётся в четверг.", "eng", ReasonScript},
		{"委员会星期四再次开会。", "tha", ReasonScript},
		{"kamailio postgres modules 包", "zho", ReasonScript},
		{"kamailio-postgres-modules-snmpstats 文件", "zho", ReasonFewSpaces},
		{"见 https://www.example.org/debian/dists", "zho", ReasonFewSpaces},
		{"図 Blend options", "jpn", ReasonScript},
		{"นี่ apt install prosody", "tha", ReasonScript},
		{"Комисија се поново састаје.", "srp_Latn", ReasonScript},
		{"위원회는 목요일에 다시 열립니다.", "zho_Hans", ReasonScript},
	}
	f := sentenceFilter(t, nil)
	for _, tt := range tests {
		if reason, measure := f.Check(tt.text, tt.language); reason != tt.reason {
			t.Errorf("%s %q: %q (%v), want %q", tt.language, tt.text, reason, measure, tt.reason)
		}
	}
}

func TestSentenceOptions(t *testing.T) {
	c4 := func(c *SentenceConfig) { c.C4 = true }
	tests := []struct {
		name                   string
		edit                   func(*SentenceConfig)
		text, language, reason string
	}{
		{"javascript", c4, "Please enable JavaScript in your browser.", "eng", ReasonJavaScript},
		{"policy", c4, "Read our Privacy Policy before you go on.", "eng", ReasonPolicy},
		{"cookies", c4, "This site USES COOKIES to know you.", "eng", ReasonPolicy},
		{"C4, nothing found", c4, "We used a cookie cutter on the java beans.", "eng", ""},
		{"C4 is off", nil, "Please enable JavaScript in your browser.", "eng", ""},
		{"capitals", func(c *SentenceConfig) { c.MaxUppercase = .5 }, "ALL OF THIS IS SHOUTED", "eng", ReasonUppercase},
		{"capitals, a script without case", func(c *SentenceConfig) { c.MaxUppercase = 0 }, "תתכנס הוועדה שוב", "heb", ""},
		{"own script", func(c *SentenceConfig) { c.Scripts = map[string]string{"srp": "Cyrl"} }, "Komisija se ponovo sastaje.", "srp", ReasonScript},
		{"any script", func(c *SentenceConfig) { c.Scripts = map[string]string{"rus": ""} }, "Komissiya snova soberyotsya.", "rus", ""},
		{"new language", func(c *SentenceConfig) { c.Scripts = map[string]string{"qaa": "Grek"} }, "Not Greek at all.", "qaa", ReasonScript},
		{"spaces from the start", func(c *SentenceConfig) { c.MinSpacesFrom = 0 }, "Tushunmayman.", "uzb", ReasonFewSpaces},
	}
	for _, tt := range tests {
		if reason, measure := sentenceFilter(t, tt.edit).Check(tt.text, tt.language); reason != tt.reason {
			t.Errorf("%s: %q: %q (%v), want %q", tt.name, tt.text, reason, measure, tt.reason)
		}
	}
}

// The bounds themselves are kept, what lies beyond is dropped; the measures are
// counted by hand.
func TestSentenceBounds(t *testing.T) {
	word := strings.Repeat("abcde ", 200)
	tests := []struct {
		text    string
		reason  string
		measure float64
	}{
		{"abcde fghi", "", 0},
		{"abcd fghi", ReasonTooShort, 9},
		{word[:500], "", 0},
		{word[:501], ReasonTooLong, 501},
		{"ab cd 12 e", "", 0},
		{"ab cd 123 ef", ReasonDigits, .25},
		{"ab, cd. ef", "", 0},
		{"a, cd. e! f", ReasonPunctuation, 3. / 11},
		{"abc def 😀 gh", "", 0},
		{"abc def 😀😀 g", ReasonEmoji, 2. / 12},
		{"a " + strings.Repeat("x", 20) + " b", "", 0},
		{"a " + strings.Repeat("x", 21) + " b", ReasonRepeated, 21},
		{strings.Repeat("ab", 14) + "a", "", 0}, // 29: one long word may be a sentence
		{strings.Repeat("ab", 15), ReasonFewSpaces, 0},
		{strings.Repeat("ab", 18) + " a b", "", 0}, // 2 of 40
		{strings.Repeat("ab", 18) + "a a b", ReasonFewSpaces, 2. / 41},
		{"ab c de f g", ReasonManySpaces, 4. / 11},
		{"abc деж зикл", "", 0}, // 3 of 10
		{"abc дежзи клм", ReasonScript, 3. / 11},
		// Weighted: a Han character counts 3, a Kana 1.5.
		{"漢漢漢漢12345", ReasonDigits, 5. / 17},
		{"漢漢漢漢123", ReasonScript, 0}, // 3 of 15 are digits
		{"かかかか12345", ReasonDigits, 5. / 11},
		{"漢漢.:漢漢,;漢漢", ReasonScript, 0}, // 4 of 22
		{"漢.:漢漢,;漢", ReasonPunctuation, 4. / 16},
		{"abcde 漢漢漢漢", ReasonScript, 5. / 17},
		{"abcde fghi 漢漢漢漢漢漢漢", "", 0}, // 9 of 30
		// Two marks at the start and three at the end are free.
		{"\"'ab\"! cd?!\"", "", 0}, // 2 of 12
		{"\"'\"ab\"! cd\"?!\"", ReasonPunctuation, 4. / 14},
	}
	f := sentenceFilter(t, nil)
	for _, tt := range tests {
		reason, measure := f.Check(tt.text, "eng")
		if reason != tt.reason || math.Abs(measure-tt.measure) > 1e-12 {
			t.Errorf("%q: %q (%v), want %q (%v)", tt.text, reason, measure, tt.reason, tt.measure)
		}
	}
}

// Test sentences of Tatoeba were written by people who know the language: a
// filter that drops many of them for another reason than length is wrong.
func TestTatoeba(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(realdata.Folder(t, "tatoeba"), "tatoeba", "tatoeba.*-eng.*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("tatoeba holds no file")
	}
	f := sentenceFilter(t, nil)
	for _, path := range files {
		language := strings.TrimPrefix(filepath.Ext(path), ".")
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		sentences, dropped, script := 0, 0, 0
		for lines := bufio.NewScanner(file); lines.Scan(); {
			sentences++
			switch reason, _ := f.Check(lines.Text(), language); reason {
			case "", ReasonTooShort:
			case ReasonScript:
				script++
				dropped++
			default:
				dropped++
			}
		}
		file.Close()
		if f.expected.of(language) == 0 {
			t.Errorf("%s has no expected script", language)
		}
		if dropped*100 > 6*sentences || script*100 > 2*sentences {
			t.Errorf("%s: %d of %d dropped, %d of them for their script", language, dropped, sentences, script)
		}
	}
}

func TestSentenceConfig(t *testing.T) {
	c := DefaultSentenceConfig()
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	c = SentenceConfig{MinCharacters: -1, MinUtteranceCharacters: -1, MaxDigits: 2, MinSpaces: .4, MaxSpaces: .3, MinScript: math.NaN(), Scripts: map[string]string{"eng": "Latin"}}
	_, err := NewSentenceFilter(c)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"min_characters -1", "min_utterance_characters -1", "max_characters 0", "max_digits 2", "min_spaces 0.4", "max_run 0", "min_script NaN", `scripts of "eng": script "Latin"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q:\n%v", want, err)
		}
	}
}

func TestCharacterTable(t *testing.T) {
	if len(scripts) > 64 || scripts[hanScript].code != "Hani" {
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
		class  class
		script string
	}{
		{'a', lower, "Latn"}, {'Z', upper, "Latn"}, {'ǅ', upper, "Latn"}, {'ß', lower, "Latn"}, {'ж', lower, "Cyrl"},
		{'中', letter, "Hani"}, {'𠀀', letter, "Hani"}, {'𪜀', letter, "Hani"}, {'々', letter, "Hani"}, {'あ', letter, "Hira"}, {'ー', letter, ""},
		{'한', letter, "Hang"}, {'ก', letter, "Thai"}, {'ั', mark, ""}, {'٣', digit, ""}, {'𝟗', digit, ""},
		{'!', punctuation, ""}, {'$', punctuation, ""}, {'。', punctuation, ""}, {'।', punctuation, ""}, {'€', punctuation, ""},
		{' ', space, ""}, {'\n', space, ""}, {'\u00a0', space, ""}, {'\u3000', space, ""}, {'፡', space, ""},
		{'😀', emoji, ""}, {'☃', emoji, ""}, {0, control, ""}, {0x7f, control, ""}, {0x80, control, ""},
		{'\u200c', other, ""}, {'\ufeff', other, ""}, {0xe000, other, ""}, {0x10ffff, other, ""}, {'\ufffd', replacement, ""}, {'་', other, ""},
	}
	for _, tt := range tests {
		k := classify(table(), tt.r)
		if k.class() != tt.class || scripts[k.script()].code != tt.script {
			t.Errorf("%q: class %d, script %q; want %d, %q", tt.r, k.class(), scripts[k.script()].code, tt.class, tt.script)
		}
	}
}

func TestSentenceNoAllocation(t *testing.T) {
	f := sentenceFilter(t, func(c *SentenceConfig) { c.C4 = true })
	for _, text := range []string{"The committee meets again on Thursday.", "委员会星期四再次开会。"} {
		if n := testing.AllocsPerRun(100, func() { f.Check(text, "zho_Hant") }); n != 0 {
			t.Errorf("%q: %v allocations, want none", text, n)
		}
	}
}

// FuzzSentence compares the counts with a restatement by package unicode.
func FuzzSentence(f *testing.F) {
	f.Add("The 3 committees, 委员会, меня\xff\u0300 \x07😀")
	filter := sentenceFilter(f, nil)
	f.Fuzz(func(t *testing.T, text string) {
		var c counts
		c.add(filter.table, text)
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
		all, _, _ := c.letters()
		if c.characters != characters || all != letters || c.class[mark] != marks || c.class[digit] != digits || c.script[hanScript] != han {
			t.Errorf("%q: %+v, want %d characters, %d letters, %d marks, %d digits, %d Han", text, c, characters, letters, marks, digits, han)
		}
		reason, measure := filter.Check(text, "eng")
		if reason == "" && (characters < 5 || characters > 500 || letters == 0 || measure != 0) {
			t.Errorf("%q is kept with %d characters and %d letters", text, characters, letters)
		}
	})
}

func BenchmarkSentence(b *testing.B) {
	texts := []struct{ name, language, text string }{
		{"latin", "eng", "The committee will meet again on Thursday to hear what the engineers have found."},
		{"cyrillic", "rus", "Комиссия соберётся снова в четверг, чтобы выслушать выводы инженеров."},
		{"han", "zho", "委员会将于星期四再次开会，听取工程师们的调查结果，然后作出决定。"},
	}
	for _, text := range texts {
		b.Run(text.name, func(b *testing.B) {
			f := sentenceFilter(b, nil)
			b.SetBytes(int64(len(text.text)))
			b.ReportAllocs()
			for b.Loop() {
				f.Check(text.text, text.language)
			}
		})
	}
}
