package filters

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/realdata"
	"sentweave/transforms/clean/characters"
)

func TestStopes(t *testing.T) {
	tests := []struct{ text, language, reason string }{
		// Kept, in many scripts.
		{"The committee meets again on Thursday.", "eng", ""},
		{"Комиссия снова соберётся в четверг.", "rus", ""},
		{"Η επιτροπή συνεδριάζει ξανά την Πέμπτη.", "ell", ""},
		{"تجتمع اللجنة مرة أخرى يوم الخميس.", "ara", ""},
		{"הוועדה תתכנס שוב ביום חמישי.", "heb", ""},
		{"کمیته پنجشنبه دوباره تشکیل جلسه می\u200cدهد.", "fas", ""}, // a zero-width non-joiner is not a control
		{"समिति गुरुवार को फिर बैठक करेगी।", "hin", ""},
		{"குழு வியாழக்கிழமை மீண்டும் கூடுகிறது.", "tam", ""},
		{"คณะกรรมการจะประชุมอีกครั้งในวันพฤหัสบดี", "tha", ""}, // no spaces
		{"គណៈកម្មាធិការនឹងជួបប្រជុំម្តងទៀត", "khm", ""},
		{"ཚོགས་ཆུང་གིས་གཟའ་ཕུར་བུར་ཡང་བསྐྱར་ཚོགས།", "bod", ""}, // tsheg is not punctuation
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
		{"", "eng", reasonTooShort},
		{"Too brief", "eng", reasonTooShort},
		{"Коротко.", "rus", reasonTooShort},
		{"你好吗。", "zho", reasonTooShort},
		{"好！", "zho", reasonTooShort},
		{"What?", "eng", reasonTooShort}, // 5 characters
		{"«Меню»", "rus", reasonTooShort},
		{"(p. 3.)", "eng", reasonTooShort},
		{"见 vim(1)", "zho", reasonTooShort}, // most letters are Latin
		{strings.Repeat("Many words. ", 42), "eng", reasonTooLong},
		{strings.Repeat("很多字", 167), "zho", reasonTooLong},
		{"A broken \ufffd character", "eng", reasonReplacement},
		{"Bytes of latin-1: caf\xe9 au lait", "eng", reasonReplacement},
		{"A bell \a rings in this one", "eng", reasonControl},
		{"An escape \x1b[0m sequence", "eng", reasonControl},
		{"A C1 control\u0092s apostrophe", "eng", reasonControl},
		{"... --- ... --- ...", "eng", reasonNoLetters},
		{"12 345 678 901", "eng", reasonNoLetters},
		{"१२३ ४५६ ७८९ ०१२", "hin", reasonNoLetters},
		{"Chapter one ........................ 12", "eng", reasonRepeated},
		{"He said nooooooooooooooooooooooo", "eng", reasonRepeated},
		{"Call +49 30 901820 or 0800 100200", "eng", reasonDigits},
		{"फ़ोन ०१२३४५६७८९ पर", "hin", reasonDigits},
		{"a.b.c.d -> e/f/g :: h|i", "eng", reasonPunctuation},
		{"「は！」『え？』…（笑）", "jpn", reasonPunctuation},
		{"a!!!!!", "eng", reasonPunctuation},
		{"电话：010-82345678 转 1234", "zho", reasonDigits},
		{"图 2024-05-17 12:30:45", "zho", reasonDigits},
		{"见 ../a/b/c.d-e?f=g&h", "zho", reasonPunctuation},
		{"Administratoren vorgenommenen Veränderungen:", "deu", reasonFewSpaces}, // 2 of 44
		{"Great 😀😃😄😁😆 news for you", "eng", reasonEmoji},
		{"thisisalongwordthatnobodywouldeverwritedown", "eng", reasonFewSpaces},
		{"안녕하세요저는위원회의새로운회원이며목요일에다시올예정입니다만", "kor", reasonFewSpaces},
		{"s p a c e d  o u t  t e x t", "eng", reasonManySpaces},
		{"The committee meets on Thursday.", "rus", reasonScript},
		{"Комиссия снова соберётся в четверг.", "eng", reasonScript},
		{"委员会星期四再次开会。", "tha", reasonScript},
		{"kamailio postgres modules 包", "zho", reasonScript},
		{"kamailio-postgres-modules-snmpstats 文件", "zho", reasonFewSpaces},
		{"见 https://www.example.org/debian/dists", "zho", reasonFewSpaces},
		{"図 Blend options", "jpn", reasonScript},
		{"นี่ apt install prosody", "tha", reasonScript},
		{"Комисија се поново састаје.", "srp_Latn", reasonScript},
		{"위원회는 목요일에 다시 열립니다.", "zho_Hans", reasonScript},
	}
	for _, tt := range tests {
		if reason, measure := sentence(t, stopes, tt.text, tt.language); reason != tt.reason {
			t.Errorf("%s %q: %q (%v), want %q", tt.language, tt.text, reason, measure, tt.reason)
		}
	}
}

// The bounds themselves are kept, what lies beyond is dropped; the measures are
// counted by hand.
func TestStopesBounds(t *testing.T) {
	word := strings.Repeat("abcde ", 200)
	tests := []struct {
		text    string
		reason  string
		measure float64
	}{
		{"abcde fghi", "", 0},
		{"abcd fghi", reasonTooShort, 9},
		{word[:500], "", 0},
		{word[:501], reasonTooLong, 501},
		{"ab cd 12 e", "", 0},
		{"ab cd 123 ef", reasonDigits, .25},
		{"ab, cd. ef", "", 0},
		{"a, cd. e! f", reasonPunctuation, 3. / 11},
		{"abc def 😀 gh", "", 0},
		{"abc def 😀😀 g", reasonEmoji, 2. / 12},
		{"a " + strings.Repeat("x", 20) + " b", "", 0},
		{"a " + strings.Repeat("x", 21) + " b", reasonRepeated, 21},
		{strings.Repeat("ab", 14) + "a", "", 0}, // 29: one long word may be a sentence
		{strings.Repeat("ab", 15), reasonFewSpaces, 0},
		{strings.Repeat("ab", 18) + " a b", "", 0}, // 2 of 40
		{strings.Repeat("ab", 18) + "a a b", reasonFewSpaces, 2. / 41},
		{"ab c de f g", reasonManySpaces, 4. / 11},
		{"abc деж зикл", "", 0}, // 3 of 10
		{"abc дежзи клм", reasonScript, 3. / 11},
		// Weighted: a Han character counts 3, a Kana 1.5.
		{"漢漢漢漢12345", reasonDigits, 5. / 17},
		{"漢漢漢漢123", reasonScript, 0}, // 3 of 15 are digits
		{"かかかか12345", reasonDigits, 5. / 11},
		{"漢漢.:漢漢,;漢漢", reasonScript, 0}, // 4 of 22
		{"漢.:漢漢,;漢", reasonPunctuation, 4. / 16},
		{"abcde 漢漢漢漢", reasonScript, 5. / 17},
		{"abcde fghi 漢漢漢漢漢漢漢", "", 0}, // 9 of 30
		// Two marks at the start and three at the end are free.
		{"\"'ab\"! cd?!\"", "", 0}, // 2 of 12
		{"\"'\"ab\"! cd\"?!\"", reasonPunctuation, 4. / 14},
	}
	for _, tt := range tests {
		reason, measure := sentence(t, stopes, tt.text, "eng")
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
	check := stopes.New().Sentence
	for _, path := range files {
		language := strings.TrimPrefix(filepath.Ext(path), ".")
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		sentences, dropped, script := 0, 0, 0
		for lines := bufio.NewScanner(file); lines.Scan(); {
			sentences++
			var c characters.Counts
			c.Add(lines.Text())
			switch reason, _ := check(lines.Text(), language, &c); reason {
			case "", reasonTooShort:
			case reasonScript:
				script++
				dropped++
			default:
				dropped++
			}
		}
		file.Close()
		if characters.Expected(language) == 0 {
			t.Errorf("%s has no expected script", language)
		}
		if dropped*100 > 6*sentences || script*100 > 2*sentences {
			t.Errorf("%s: %d of %d dropped, %d of them for their script", language, dropped, sentences, script)
		}
	}
}

func BenchmarkStopes(b *testing.B) {
	texts := []struct{ name, language, text string }{
		{"latin", "eng", "The committee will meet again on Thursday to hear what the engineers have found."},
		{"cyrillic", "rus", "Комиссия соберётся снова в четверг, чтобы выслушать выводы инженеров."},
		{"han", "zho", "委员会将于星期四再次开会，听取工程师们的调查结果，然后作出决定。"},
	}
	for _, text := range texts {
		b.Run(text.name, func(b *testing.B) {
			page := NewChain([]Rules{stopes.New()}).Page()
			b.SetBytes(int64(len(text.text)))
			b.ReportAllocs()
			for b.Loop() {
				page.Sentence(text.text, text.language, 0)
				page.document.Sentences = page.document.Sentences[:0]
			}
		})
	}
}
