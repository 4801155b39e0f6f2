package sentences

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"

	"sentweave/schemas/realdata"
)

func TestRules(t *testing.T) {
	tests := []struct {
		why, code, text string
		want            []string
	}{
		{"nothing", "eng", "", nil},
		{"white space", "eng", " \n\t\u00a0", nil},
		{"no terminator", "eng", "  a heading ", []string{"a heading"}},
		{"decimal number", "eng", "It costs 3.5 euros. Fine.", []string{"It costs 3.5 euros.", "Fine."}},
		{"file name", "eng", "Edit sources.list. Then reboot.", []string{"Edit sources.list.", "Then reboot."}},
		{"name that begins with a dot", "eng", "Use .NET here. Done.", []string{"Use .NET here.", "Done."}},
		{"address", "eng", "See http://a.org/x?Y=1!B for it. Done.", []string{"See http://a.org/x?Y=1!B for it.", "Done."}},
		{"several terminators", "eng", "What?! No!!! Yes...", []string{"What?!", "No!!!", "Yes..."}},
		{"ellipsis inside", "eng", "Well… maybe. Or… Not.", []string{"Well… maybe.", "Or…", "Not."}},
		{"quote closes", "eng", `He said “Stop.” Then he left.`, []string{`He said “Stop.”`, `Then he left.`}},
		{"bracket closes", "eng", "(It rained.) We left.", []string{"(It rained.)", "We left."}},
		{"quote goes on", "eng", `"Stop!" she cried.`, []string{`"Stop!" she cried.`}},
		{"quote opens", "eng", `He left. "Why?" "Who knows."`, []string{"He left.", `"Why?"`, `"Who knows."`}},
		{"footnote mark behind a space", "eng", "It fell. [12] Then rose.", []string{"It fell. [12]", "Then rose."}},
		{"list of sources", "eng", "[1] A book. [2] A paper.", []string{"[1] A book.", "[2] A paper."}},
		{"dots with spaces", "eng", "It was . . . late. She left . . . The door shut.",
			[]string{"It was . . . late.", "She left . . .", "The door shut."}},
		{"dots with spaces behind a full stop", "eng", "It rained. . . . The door shut. . . .",
			[]string{"It rained.", ". . . The door shut. . . ."}},
		{"dots before the pronoun", "eng", "Well ... I know. Well ... Nobody knows.",
			[]string{"Well ... I know.", "Well ...", "Nobody knows."}},
		{"ellipsis before a dash", "rus", "Ну… — Иван молчал.", []string{"Ну… — Иван молчал."}},
		{"omission", "eng", "“To be [...] Or not” (act 3).", []string{"“To be [...] Or not” (act 3)."}},
		{"marks in brackets", "eng", "He ran (!) Home and left (?) Us.", []string{"He ran (!) Home and left (?) Us."}},
		{"mark behind a colon", "eng", "Phone:? 555 1234", []string{"Phone:? 555 1234"}},
		{"mark before a sign", "spa", "Son 7 hab. / km² hoy.", []string{"Son 7 hab. / km² hoy."}},
		{"name with a mark", "eng", "We met at Yahoo! in spring. Help! we cried.",
			[]string{"We met at Yahoo! in spring.", "Help!", "we cried."}},
		{"names with a mark begin sentences", "eng", "Yahoo! is a company. Jeopardy! was on TV. What?",
			[]string{"Yahoo! is a company.", "Jeopardy! was on TV.", "What?"}},
		{"titles with a mark", "eng", "Who Wants to Be a Millionaire? is a show. Guess? makes jeans. Oklahoma! and Cats ran long.",
			[]string{"Who Wants to Be a Millionaire? is a show.", "Guess? makes jeans.", "Oklahoma! and Cats ran long."}},
		{"names with a mark before names", "eng", "He uses Yahoo! Mail. I like Yahoo! It works. Yahoo! Japan is here.",
			[]string{"He uses Yahoo! Mail.", "I like Yahoo!", "It works.", "Yahoo! Japan is here."}},
		{"marks that are not part of a name", "eng", "Wow! is that you? Why? is it late? Stop! he said. Please stop! runs end here.",
			[]string{"Wow!", "is that you?", "Why?", "is it late?", "Stop!", "he said.", "Please stop!", "runs end here."}},
		{"citation behind a mark", "eng", "Is it a real quote? (Phil. 4:8) No, it is not. It fell. (Smith 2004) We left.",
			[]string{"Is it a real quote? (Phil. 4:8)", "No, it is not.", "It fell. (Smith 2004)", "We left."}},
		{"brackets that are not a citation", "eng",
			"Really? (He laughed.) Yes. Why? (No) Go. Call today. (555) 123 is new. It ended. (Page 3 shows it.) We left.",
			[]string{"Really?", "(He laughed.)", "Yes.", "Why?", "(No) Go.", "Call today.", "(555) 123 is new.", "It ended.",
				"(Page 3 shows it.)", "We left."}},
		{"citation that goes on", "eng", "It fell. (Fig. 3) shows it. By Oh et al. (Fig. 4) The rest.",
			[]string{"It fell.", "(Fig. 3) shows it.", "By Oh et al. (Fig. 4) The rest."}},
		{"books and verses", "eng", "(Matt. 5:3) He said so. See Thess. 4:13 and 1 Cor. 13:4 there. We left. 4:30 was late.",
			[]string{"(Matt. 5:3) He said so.", "See Thess. 4:13 and 1 Cor. 13:4 there.", "We left.", "4:30 was late."}},
		{"degrees", "eng", "It was -5.5 deg. C. It was cold. At 20 degrees C. Snow fell. It was 68 deg. F. outside.",
			[]string{"It was -5.5 deg. C.", "It was cold.", "At 20 degrees C.", "Snow fell.", "It was 68 deg. F. outside."}},
		{"units before a capital", "eng", "Add 2 tbsp. Parmesan and 3 oz. Cheddar. It weighs 5 lbs. She carries it.",
			[]string{"Add 2 tbsp. Parmesan and 3 oz. Cheddar.", "It weighs 5 lbs.", "She carries it."}},
		{"numbers that begin with a letter", "eng", "See Fig. S1 and Tab. B2 here. The answer is no. A man left.",
			[]string{"See Fig. S1 and Tab. B2 here.", "The answer is no.", "A man left."}},
		{"etc. before a capital", "eng", "Buy nails etc. Hammers too. Use paint etc. Then wait.",
			[]string{"Buy nails etc. Hammers too.", "Use paint etc.", "Then wait."}},
		{"number sign", "fra", "Voir le N°. 12 et le nº. 7 ici.", []string{"Voir le N°. 12 et le nº. 7 ici."}},
		{"list in a line", "deu", "1.) Äpfel 2.) Birnen. 3.) Nüsse", []string{"1.) Äpfel", "2.) Birnen.", "3.) Nüsse"}},
		{"list of letters", "eng", "(a) open it (b) read it", []string{"(a) open it", "(b) read it"}},
		{"list behind bullets", "eng", "• 9. Nine • 10. Ten", []string{"• 9. Nine", "• 10. Ten"}},
		{"numbers of another list", "eng", "1) Take 2. Then 3) or 2) eggs", []string{"1) Take 2.", "Then 3) or", "2) eggs"}},
		{"list in a sentence", "eng", "We have: 1) nuts, 2) figs.", []string{"We have: 1) nuts, 2) figs."}},
		{"capitals that number nothing", "eng", "A. Smith and B. Jones left.", []string{"A. Smith and B. Jones left."}},
		{"no space", "eng", "It was cheap.The staff were kind. Open main.Them or foo.The_bar now.",
			[]string{"It was cheap.", "The staff were kind.", "Open main.Them or foo.The_bar now."}},
		{"no space in Cyrillic letters", "kaz", "Ауа райы жақсы.Біз бардық.", []string{"Ауа райы жақсы.", "Біз бардық."}},
		{"no capitals", "eng", "the food is cold. they never answer. we pay approx. the same.",
			[]string{"the food is cold.", "they never answer.", "we pay approx. the same."}},
		{"the pronoun in lower case", "eng", "They never answer. i left.", []string{"They never answer.", "i left."}},
		{"address at the start", "eng", "It is here. http://a.org has it.", []string{"It is here.", "http://a.org has it."}},
		{"semicolon before a first word", "spa", "Llovía mucho; La casa es García; López.",
			[]string{"Llovía mucho;", "La casa es García; López."}},
		{"mark in a title", "zho", "看《走吧！妈妈》好吗？“好。”。他说。", []string{"看《走吧！妈妈》好吗？", "“好。”。", "他说。"}},
		{"initials at the start of a name", "pol", "Tak pisze A. A. Milne.", []string{"Tak pisze A. A. Milne."}},
		{"a capital behind a hyphen", "eng", "We use Objective-C. Others use Go.", []string{"We use Objective-C.", "Others use Go."}},
		{"initial behind a name", "eng", "Did Albert I. Jones call? So did I. Peter knows.",
			[]string{"Did Albert I. Jones call?", "So did I.", "Peter knows."}},
		{"footnote mark", "eng", "It fell.[12] Then rose.[3][4] End.", []string{"It fell.[12]", "Then rose.[3][4]", "End."}},
		{"footnote mark of words", "eng", "It fell.[citation needed] Then rose.[a][note 2] End.[...] It Was.[1, 2]",
			[]string{"It fell.[citation needed]", "Then rose.[a][note 2]", "End.[...] It Was.[1, 2]"}},
		{"raised number of a footnote", "eng", "It fell.1 Then rose.23 See fig.1 There, and main.2 or 3.14 Euros.",
			[]string{"It fell.1", "Then rose.23", "See fig.1 There, and main.2 or 3.14 Euros."}},
		{"list numbers in a line", "eng", "1. Install it. 2. Run it.", []string{"1. Install it.", "2. Run it."}},
		{"section number", "eng", "2.1. Setup", []string{"2.1. Setup"}},
		{"number before a number", "eng", "It was in 1999. 20 people came.", []string{"It was in 1999.", "20 people came."}},
		{"word before a number", "eng", "Nobody knew. 20 people came.", []string{"Nobody knew.", "20 people came."}},
		{"abbreviation before a number", "eng", "See vol. 3 and sec. 4 there.", []string{"See vol. 3 and sec. 4 there."}},
		{"the same word as a word", "eng", "The answer is no. Ask again.", []string{"The answer is no.", "Ask again."}},
		{"acronym inside", "eng", "The U.S. Senate met.", []string{"The U.S. Senate met."}},
		{"acronym at the end", "eng", "He left the U.S. They stayed.", []string{"He left the U.S.", "They stayed."}},
		{"initials", "eng", "By J. R. R. Tolkien and A. Einstein.", []string{"By J. R. R. Tolkien and A. Einstein."}},
		{"bullets in a line", "eng", "Buy • apples • pears", []string{"Buy", "• apples", "• pears"}},
		{"wrapped line", "eng", "This line is\nwrapped. And\r\nthis one.", []string{"This line is\nwrapped.", "And\r\nthis one."}},
		{"empty line", "eng", "A heading\n \nA paragraph", []string{"A heading", "A paragraph"}},
		{"list in lines", "eng", "Buy:\n- apples\n- pears\n2) nuts\n10. figs",
			[]string{"Buy:", "- apples", "- pears", "2) nuts", "10. figs"}},
		{"dash in wrapped prose", "eng", "He came\n— late", []string{"He came\n— late"}},
		{"dialogue", "rus", "— Привет. — Привет! — сказал он.", []string{"— Привет.", "— Привет! — сказал он."}},
		{"paragraph separator", "eng", "one\u2029two", []string{"one", "two"}},
		{"bad bytes", "eng", "a\xff. \xfeBe. C", []string{"a\xff.", "\xfeBe.", "C"}},
		{"tokenised text", "eng", "he left . then she spoke .", []string{"he left . then she spoke ."}},
		{"lower case after a question", "eng", "how are you? i am fine", []string{"how are you?", "i am fine"}},
		{"ordinals only where written so", "eng", "It is 3. October comes.", []string{"It is 3.", "October comes."}},
		{"ordinal before a first word", "deu", "Sie hat 3. Er hat 5.", []string{"Sie hat 3.", "Er hat 5."}},
		{"spaced abbreviation", "deu", "Obst, z. B. Äpfel, u. a. Birnen.", []string{"Obst, z. B. Äpfel, u. a. Birnen."}},
		{"spaced abbreviation at the end", "rus", "Яблоки, груши и т. д. Потом мы ушли.",
			[]string{"Яблоки, груши и т. д.", "Потом мы ушли."}},
		{"spaced closing quote", "fra", "« Partez ! » Il partit.", []string{"« Partez ! »", "Il partit."}},
		{"reversed quotes", "deu", "Sie rief. »Warte!« Er blieb.", []string{"Sie rief.", "»Warte!«", "Er blieb."}},
		{"no spaces", "zho", "我来了。你呢？好！走吧", []string{"我来了。", "你呢？", "好！", "走吧"}},
		{"ASCII terminators without spaces", "zho", "你好!再见?好.", []string{"你好!", "再见?", "好."}},
		{"opening quote without a space", "zho", "他问。“为什么？”她笑。", []string{"他问。", "“为什么？”", "她笑。"}},
		{"initial quote that closes", "ara", "”هل تفضل؟“ ثم ذهب.", []string{"”هل تفضل؟“", "ثم ذهب."}},
		{"English title elsewhere", "rus", "Это Dr. Stallman. Да.", []string{"Это Dr. Stallman.", "Да."}},
		{"direction mark", "ron", "Vino aici.\u200e Stai jos.", []string{"Vino aici.\u200e", "Stai jos."}},
		{"unit", "nld", "Het werd -22 °C. Mam sliep.", []string{"Het werd -22 °C.", "Mam sliep."}},
		{"word of one letter", "por", "Ajude-o. Veja a. Tudo bem.", []string{"Ajude-o.", "Veja a.", "Tudo bem."}},
		{"time", "pol", "Wyszli o 14:30. Padało.", []string{"Wyszli o 14:30.", "Padało."}},
		{"comma after a quote", "zho", "“走！”，他说。", []string{"“走！”，他说。"}},
		{"particle after a quote", "jpn", "「行くよ。」と言った。「え？」彼は驚いた。", []string{"「行くよ。」と言った。", "「え？」", "彼は驚いた。"}},
		{"particle after a quote, in Korean", "kor", `그는 "이제 가자."라고 했다. "왜?"라는 말도 들었다.`, []string{`그는 "이제 가자."라고 했다.`, `"왜?"라는 말도 들었다.`}},
		{"date of numbers", "kor", "도서관은 2024. 3. 5. 화요일에 열었다. 회원은 20명이다.", []string{"도서관은 2024. 3. 5. 화요일에 열었다.", "회원은 20명이다."}},
		{"date of numbers", "hun", "A könyvtár 2024. 3. 5. óta nyitva van. Jöjjön el!",
			[]string{"A könyvtár 2024. 3. 5. óta nyitva van.", "Jöjjön el!"}},
		{"room and flat", "rus", "Приходите на ул. Мира, д. 5, кв. 10. Мы ждём.",
			[]string{"Приходите на ул. Мира, д. 5, кв. 10.", "Мы ждём."}},
		{"acronym with vowel signs", "hin", "टी.वी. पर के.के. मेनन दिखे। वे हँसे।", []string{"टी.वी. पर के.के. मेनन दिखे।", "वे हँसे।"}},
		{"street before its number", "deu", "Der Laden in der Gartenstr. 12 hat zu. Er öffnet um 9.",
			[]string{"Der Laden in der Gartenstr. 12 hat zu.", "Er öffnet um 9."}},
		{"Burmese comma", "mya", "က၊ ခ။ ဂ။", []string{"က၊ ခ။", "ဂ။"}},
		{"Greek semicolon in another language", "eng", "One; Two", []string{"One; Two"}},
		{"Armenian colon before lower case", "hye", "Նա: այո", []string{"Նա: այո"}},
		{"Thai: short runs stay together", "tha", "ซื้อส้ม กล้วย มะม่วง", []string{"ซื้อส้ม กล้วย มะม่วง"}},
		{
			"Thai: long runs part", "tha", "เมื่อวานนี้ฝนตกหนักมากจนถนนหลายสายมีน้ำท่วม วันนี้อากาศแจ่มใสและมีแดดออก",
			[]string{"เมื่อวานนี้ฝนตกหนักมากจนถนนหลายสายมีน้ำท่วม", "วันนี้อากาศแจ่มใสและมีแดดออก"},
		},
		{"Thai: joining word", "tha", "เมื่อวานนี้ฝนตกหนักมากจนถนนหลายสายมีน้ำท่วม แต่วันนี้อากาศแจ่มใสและมีแดดออก",
			[]string{"เมื่อวานนี้ฝนตกหนักมากจนถนนหลายสายมีน้ำท่วม แต่วันนี้อากาศแจ่มใสและมีแดดออก"}},
		{"Thai: foreign words", "tha", "ติดตั้งโปรแกรมนี้บนเครื่องคอมพิวเตอร์ของคุณด้วย Debian รุ่นใหม่",
			[]string{"ติดตั้งโปรแกรมนี้บนเครื่องคอมพิวเตอร์ของคุณด้วย Debian รุ่นใหม่"}},
		{"Thai: title", "tha", "ดร. สมิธ วัดความลึก", []string{"ดร. สมิธ วัดความลึก"}},
		{"Thai: full stops inside", "tha", "ดร.สมิธ มาเมื่อ 5 ม.ค. 2560", []string{"ดร.สมิธ มาเมื่อ 5 ม.ค. 2560"}},
		{"Lao: full stops inside", "lao", "ສ.ປ.ປ.ລາວ", []string{"ສ.ປ.ປ.ລາວ"}},
		{"Thai in another language", "und", "ดร.สมิธ", []string{"ดร.สมิธ"}},
		{"large sum", "deu", "ca. 4,5 Mio. Euro kostete es.", []string{"ca. 4,5 Mio. Euro kostete es."}},
		{"large sum at the end", "deu", "Es kostete 3 Mrd. Das war viel.", []string{"Es kostete 3 Mrd.", "Das war viel."}},
		{"large sum", "nld", "Het kostte 4 mln. Euro.", []string{"Het kostte 4 mln. Euro."}},
		{"large sum", "hrv", "Stajalo je 4 mlrd. Eura.", []string{"Stajalo je 4 mlrd. Eura."}},
		{"company", "deu", "Die Fa. Müller liefert.", []string{"Die Fa. Müller liefert."}},
		{"year and spaced abbreviation", "rus", "в 1994 г. и т. д. Это было давно.", []string{"в 1994 г. и т. д.", "Это было давно."}},
		{"caption", "eng", "Table 11.3. Hardware title", []string{"Table 11.3. Hardware title"}},
		{"caption and first word", "eng", "Table 11.3. The hardware", []string{"Table 11.3. The hardware"}},
		{"caption and sentence", "eng", "Example A.4. Setup. Then reboot.", []string{"Example A.4. Setup.", "Then reboot."}},
		{"caption with one number", "eng", "Figure 3. Hardware title", []string{"Figure 3. Hardware title"}},
		{"caption before a number", "eng", "Table 11-3. 64-bit machines", []string{"Table 11-3. 64-bit machines"}},
		{"caption", "deu", "Abbildung 4.2. Titel", []string{"Abbildung 4.2. Titel"}},
		{"caption with a fixed space", "fra", "Tableau\u00a01.2. Matériel", []string{"Tableau\u00a01.2. Matériel"}},
		{"caption", "rus", "Рисунок 2.1. Схема", []string{"Рисунок 2.1. Схема"}},
		{"caption", "zho", "图 3. 标题", []string{"图 3. 标题"}},
		{"caption without a space", "jpn", "図3.1. 構成", []string{"図3.1. 構成"}},
		{"caption", "ara", "الجدول 11.3. العنوان", []string{"الجدول 11.3. العنوان"}},
		{"one word and a number that end", "eng", "Pick 3. Then we go.", []string{"Pick 3.", "Then we go."}},
		{"a reference is not a caption", "eng", "See Table 11.3. Hardware varies.", []string{"See Table 11.3.", "Hardware varies."}},
		{"a name and a number are no caption", "eng", "It runs on AMD64. Others follow.", []string{"It runs on AMD64.", "Others follow."}},
		{"lower case is not a caption", "eng", "costs 3.5. Others follow.", []string{"costs 3.5.", "Others follow."}},
		{"one word and a year", "eng", "In 1999. People came.", []string{"In 1999.", "People came."}},
		{"unknown language", "und", "Dr. Who came. He left.", []string{"Dr. Who came.", "He left."}},
		{"unknown code", "", "One. Two.", []string{"One.", "Two."}},
		{"script does not matter", "srp_Latn", "Dana 3. Maja. On dolazi.", []string{"Dana 3. Maja.", "On dolazi."}},
	}
	for _, test := range tests {
		t.Run(test.why, func(t *testing.T) { check(t, test.code, test.text, test.want) })
	}
}

func TestSplitAppends(t *testing.T) {
	got := Split([]string{"kept"}, "One. Two.", "eng")
	if want := []string{"kept", "One.", "Two."}; !reflect.DeepEqual(got, want) {
		t.Errorf("Split = %q, want %q", got, want)
	}
	if got := (Splitter{}).split(nil, "One. Two."); len(got) != 2 {
		t.Errorf("the zero Splitter gives %q", got)
	}
}

func TestSplitDoesNotAllocate(t *testing.T) {
	for code, parts := range languageTests {
		s, text := New(code), strings.Join(parts, " ")
		dst := s.split(nil, text)
		if n := testing.AllocsPerRun(10, func() { dst = s.split(dst[:0], text) }); n != 0 {
			t.Errorf("%s: Split allocates %v times", code, n)
		}
	}
}

// Every terminator of Unicode must be seen, and the quick tests must not hide one.
func TestTerminators(t *testing.T) {
	s := New("und")
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.Is(unicode.Sentence_Terminal, r) || r == '\u104A' {
			continue
		}
		text := string(r)
		if k := s.rules.kindOf(text, 0, r, len(text)); k < ellipsis || !plainStops[text[0]] {
			t.Errorf("%U is not a terminator here", r)
		}
	}
}

func TestLists(t *testing.T) {
	seen := map[*rules]bool{}
	for code := range languageTests {
		seen[rulesOf(code)] = true
	}
	for _, code := range []string{"isl", "slk", "bel", "bul", "lit", "fin", "nep", "und"} {
		seen[rulesOf(code)] = true
	}
	for r := range seen {
		for _, list := range []string{r.never, r.maybe, r.number, r.starters} {
			if !strings.HasPrefix(list, " ") || !strings.HasSuffix(list, " ") || strings.Contains(list, "  ") {
				t.Errorf("the list %q must have single spaces, also at both ends", list)
			}
			for _, word := range strings.Fields(list) {
				first, _ := utf8.DecodeRuneInString(word)
				switch {
				case strings.HasSuffix(word, "."):
					t.Errorf("%q has its last full stop", word)
				case list != r.starters && word != strings.ToLower(word):
					t.Errorf("%q is not in lower case", word)
				case list == r.starters && unicode.IsLower(first):
					t.Errorf("%q has no capital", word)
				case len(word) > maxWord:
					t.Errorf("%q is too long to be found", word)
				}
			}
		}
	}
}

// adversarial texts would take quadratic time if a rule looked too far.
func adversarial() map[string]string {
	const n = 200_000
	texts := map[string]string{}
	for _, unit := range []string{" ", "(", ")", ".", ". ", "\"", "' ", "a.", "A. ", "\n", "•", "• ", "-", " - ", "1. ", "[1]", " [1]",
		" .", "a) ", "1.) ", ".”", "。”", "《", "! ", "…", "ก ", "ๆ ", "。", "」", "\u1361", "…", "\xe3\x80"} {
		texts[fmt.Sprintf("%q after a full stop", unit)] = "a." + strings.Repeat(unit, n/len(unit)) + "B"
	}
	return texts
}

// The test hangs, rather than fails, if a rule is quadratic.
func TestLinearTime(t *testing.T) {
	for name, text := range adversarial() {
		for _, code := range []string{"eng", "deu", "tha", "ell"} {
			verify(t, name, text, Split(nil, text, code))
		}
	}
}

// verify checks that nothing but white space is lost.
func verify(t *testing.T, name, text string, parts []string) {
	t.Helper()
	at := 0
	for i, part := range parts {
		at = skipSpace(text, at)
		if part == "" || !strings.HasPrefix(text[at:], part) {
			t.Fatalf("%s: sentence %d, %.80q, does not continue the text at %d", name, i, part, at)
		}
		if strings.TrimSpace(part) != part {
			t.Errorf("%s: sentence %d, %.80q, has white space at an end", name, i, part)
		}
		at += len(part)
	}
	if rest := skipSpace(text, at); rest != len(text) {
		t.Errorf("%s: %.80q is lost", name, text[rest:])
	}
}

func FuzzSplit(f *testing.F) {
	for code, parts := range languageTests {
		f.Add(strings.Join(parts, " "), code)
		f.Add(strings.Join(parts, "\n"), code)
	}
	f.Add(". A 3. B", "eng")
	f.Add("a\xff. \xe0\xa5.B \u2029• x\r\n\r\n1) y", "und")
	f.Fuzz(func(t *testing.T, text, code string) {
		parts := Split(nil, text, code)
		verify(t, code, text, parts)
		if again := Split(nil, text, code); !reflect.DeepEqual(parts, again) {
			t.Errorf("a second run gives %q, the first gave %q", again, parts)
		}
		for _, part := range parts {
			if !utf8.ValidString(part) && utf8.ValidString(text) {
				t.Errorf("%q cuts a character", part)
			}
		}
	})
}

// tatoeba returns the lines of a language in the Tatoeba test set, most of which
// are one sentence.
func tatoeba(tb testing.TB, name string) []string {
	tb.Helper()
	raw, err := os.ReadFile(filepath.Join(realdata.Folder(tb, "tatoeba/"+name), "tatoeba", name))
	if err != nil {
		tb.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(raw)), "\n")
}

// Joined lines of Tatoeba must be found again about as well as UAX #29 finds
// them, or better. The peer cannot tell abbreviations; we must not pay for that
// knowledge with boundaries that are there.
func TestAgainstUAX29(t *testing.T) {
	for _, code := range []string{
		"ara", "bul", "cat", "ces", "dan", "deu", "ell", "kat", "tam", "tel", "mal", "mar", "spa", "est", "fin", "fra", "hrv", "hun", "ind",
		"ita", "lit", "nld", "nob",
		"pol", "por", "ron", "rus", "slk", "swe", "tur", "ukr", "urd", "vie", "hin", "ben", "hye", "heb", "pes", "jpn", "cmn", "kor", "amh",
	} {
		t.Run(code, func(t *testing.T) {
			lines := tatoeba(t, "tatoeba."+code+"-eng."+code)
			ours, theirs, wrong, theirWrong, all := 0, 0, 0, 0, 0
			for i := 0; i+1 < len(lines); i++ {
				a, b := strings.TrimSpace(lines[i]), strings.TrimSpace(lines[i+1])
				if a == "" || b == "" || isWordEnd(a) {
					continue // a line without a terminator has no end to find
				}
				all++
				text := a + " " + b
				got := Split(nil, text, code)
				hit, extra := boundary(got, len(a), text)
				ours, wrong = ours+hit, wrong+extra
				var peer []string
				for it := sentences.FromString(text); it.Next(); {
					peer = append(peer, strings.TrimSpace(it.Value()))
				}
				hit, extra = boundary(peer, len(a), text)
				theirs, theirWrong = theirs+hit, theirWrong+extra
			}
			t.Logf("%d boundaries: found %d, UAX #29 %d; boundaries inside lines %d, UAX #29 %d", all, ours, theirs, wrong, theirWrong)
			if float64(ours) < .99*float64(theirs) {
				t.Errorf("found %d of %d boundaries, UAX #29 finds %d", ours, all, theirs)
			}
		})
	}
}

func isWordEnd(line string) bool {
	r, _ := utf8.DecodeLastRuneInString(line)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// boundary tells whether a sentence ends at place end of the text, and how many
// end elsewhere, the last apart.
func boundary(parts []string, end int, text string) (hit, others int) {
	at := 0
	for _, p := range parts[:max(0, len(parts)-1)] {
		at += strings.Index(text[at:], p) + len(p)
		if at == end {
			hit = 1
		} else {
			others++
		}
	}
	return hit, others
}

func BenchmarkSplit(b *testing.B) {
	for _, code := range []string{"eng", "deu", "rus", "hin", "cmn", "jpn", "tha", "ara"} {
		name := "tatoeba." + code + "-eng." + code
		if code == "eng" {
			name = "tatoeba.deu-eng.eng"
		}
		lines := tatoeba(b, name)
		text := strings.Join(lines, " ")
		b.Run(code, func(b *testing.B) {
			s := New(code)
			var dst []string
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				dst = s.split(dst[:0], text)
			}
		})
	}
}

func BenchmarkUAX29(b *testing.B) {
	text := strings.Join(tatoeba(b, "tatoeba.deu-eng.eng"), " ")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for it := sentences.FromString(text); it.Next(); {
			_ = it.Value()
		}
	}
}

// Split appends the sentences of text to dst; see New and Splitter.Split.
func Split(dst []string, text, language string) []string { return New(language).split(dst, text) }

// split appends the sentences of text to dst. See All.
func (s Splitter) split(dst []string, text string) []string {
	return slices.AppendSeq(dst, s.All(text))
}
