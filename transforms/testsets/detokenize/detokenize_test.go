package detokenize

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		style    Style
		in, want string
	}{
		{PTB, "it does n't -LRB- yet -RRB- , does it ?", "it doesn't (yet), does it?"},
		{PTB, "-lrb- a -rrb- -LSB- b -RSB- -LCB- c -RCB-", "(a) [b] {c}"},
		{PTB, "`` well , '' he said . `` go ! ''", `"well," he said. "go!"`},
		{PTB, `the new " conan " and " x " .`, `the new "conan" and "x".`},
		{PTB, "i 'm , you 're , he 's , we 'll , they 've , she 'd", "i'm, you're, he's, we'll, they've, she'd"},
		{PTB, "IT 'S WHAT THEY DID N'T", "IT'S WHAT THEY DIDN'T"},
		{PTB, "it does n 't show", "it doesn't show"}, // as CR has it
		{PTB, "the celebrities ' real names", "the celebrities' real names"},
		{PTB, "is it ' brazil ' or ' x . '", "is it 'brazil' or 'x.'"},
		{PTB, "' tis said ' he went", "'tis said' he went"},
		{PTB, "'t is the season , 't was", "'tis the season, 'twas"},
		{PTB, "can not , gim me , gon na , got ta , lem me , wan na", "cannot, gimme, gonna, gotta, lemme, wanna"},
		{PTB, "$ 5 , # 1 , 10 % , 1 , 000 , at 3 : 30 , 3 , 1", "$5, #1, 10%, 1,000, at 3:30, 3, 1"},
		{PTB, "j . r . r . tolkien and angel . com .", "j.r.r. tolkien and angel.com."},
		{PTB, "r & b and simon & garfunkel", "r&b and simon & garfunkel"},
		{PTB, "well ... yes -- no ; see : this", "well... yes -- no; see: this"},
		{PTB, `1\/2 of \*`, "1/2 of *"},
		{PTB, "other ( s ) ( see x )", "other(s) (see x)"},
		{PTB, "they 'whisper", "they 'whisper"},
		{PTB, "http : //example.org", "http://example.org"},
		{Moses, "I don 't think it 's John 's .", "I don't think it's John's."},
		{Moses, "&quot; men &amp; mice &quot; it &apos;s &#91; x &#93; &lt; y &gt; &#124;", `"men & mice" it's [x] <y> |`},
		{Moses, "371 km / s on http : / / example.org / x", "371 km/s on http://example.org/x"},
		{Moses, "10 o 'clock in the 1990 's", "10 o'clock in the 1990's"},
		{Moses, "“ so , ” Thomson Reuters ’ portal @ x", "“so,” Thomson Reuters’ portal @x"},
		{PTBUnquoted, "What s J.F.K. s wife s name in the 1960 s , and who d know ?",
			"What's J.F.K.'s wife's name in the 1960's, and who'd know?"},
		{PTBUnquoted, "They re sure we ve no if I m , and it ll do", "They're sure we've no if I'm, and it'll do"},
		{PTBUnquoted, "Why can t women , do nt men , isn T it , Do NT", "Why can't women, don't men, isn'T it, DoN'T"},
		{PTBUnquoted, "a coup d etat , re : the m , vitamin d , 5 m", "a coup d etat, re: the m, vitamin d, 5 m"},
		{PTBUnquoted, "s , t , nt What 's it , they do n't", "s, t, nt What's it, they don't"},
		{PTB, "can t , what s", "can t, what s"},
		{None, "  was  never cut .\t", "was never cut ."},
		{PTB, "", ""},
		{PTB, " \u00a0 ", ""},
		{PTB, ".", "."},
		{PTB, "'", "'"},
	} {
		if got, _ := (Config{Style: c.style}).Text(c.in); got != c.want {
			t.Errorf("%s %q:\n got %q\nwant %q", c.style, c.in, got, c.want)
		}
	}
}

func TestTruecase(t *testing.T) {
	for in, want := range map[string]string{
		"i think so. do you? yes! i do":          "I think so. Do you? Yes! I do",
		"i'm sure i'll go, but i.e. not like ii": "I'm sure I'll go, but i.e. not like ii",
		`"who," he said, "am i?" he went.`:       `"Who," he said, "am I?" he went.`,
		"j. r. r. tolkien wrote it.":             "J. r. r. tolkien wrote it.",
		"well... yes. no":                        "Well... yes. No",
		"wi-fi i/o hi-i":                         "Wi-fi i/o hi-i",
		"(so it is)":                             "(So it is)",
		"10 men":                                 "10 men",
		"so do i.":                               "So do I.",
		"école":                                  "École",
		"":                                       "",

		// Tags are none of the text.
		"<em>ash wednesday</em> was fun":      "<em>Ash wednesday</em> was fun",
		"<shrug> i do":                        "<shrug> I do",
		"<shrug>":                             "<shrug>",
		"it ends.<br /> it goes on":           "It ends.<br /> It goes on",
		"it ends. </b> <i>i go</i> on":        "It ends. </b> <i>I go</i> on",
		`<a href="http://x.org/i"> i see</a>`: `<a href="http://x.org/i"> I see</a>`,
		"<!-- i --> so":                       "<!-- i --> So",
		"<3 you":                              "<3 you",
		"a <b and so. he < i":                 "A <b and so. He < I",
		"a <b and <c so. d> e":                "A <b and <c so. d> e",
		"<<b>so":                              "<<b>So",
		"<é> so":                              "<É> so",
		"<":                                   "<",
		"x < y. z":                            "X < y. z", // one letter
		"x < yes. zed":                        "X < yes. Zed",
		"http://www.glassdoor.com/ is good. so i?": "http://www.glassdoor.com/ is good. So I?",

		// Addresses are words, but none to be changed.
		"www.x.com/?i=1. it is":     "www.x.com/?i=1. It is",
		"(www.x.com) is. (so it is": "(www.x.com) is. (So it is",
		"see ftp://x/?id. it is":    "See ftp://x/?id. It is",
		"joe@x.org wrote. i did":    "joe@x.org wrote. I did",
		"@joe wrote. i did":         "@joe wrote. I did",
		"wwwx is":                   "Wwwx is",
		"glassdoor.com is":          "Glassdoor.com is",
		"<b>http://x.org</b> is":    "<b>http://x.org</b> is",
	} {
		if got := truecase(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestCasing(t *testing.T) {
	for in, want := range map[string]Casing{"a b": casingLower, "a B": casingMixed, "1 ?": casingNone, "日本": casingNone, "ß": casingLower} {
		if got, casing := (Config{Style: None, Truecase: true}).Text(in); casing != want || casing != casingLower && got != in {
			t.Errorf("%q: got %q, %q, want %q", in, got, casing, want)
		}
	}
	if text, casing := (Config{Style: PTB, Truecase: true}).Text("i do n't . he does"); text != "I don't. He does" ||
		casing != casingLower {
		t.Errorf("got %q, %q", text, casing)
	}
	if text, _ := (Config{Style: PTB, Truecase: true}).Text("i Do"); text != "i Do" {
		t.Errorf("a text with capitals became %q", text)
	}
}

// Nothing but spaces and the marks that stand for others may come or go.
func FuzzText(f *testing.F) {
	for _, s := range []string{"it does n't -LRB- x -RRB- `` a ''", "&quot; x &apos;s", "1 , 000 'tis", "a\u0085b \xff", "' ' '"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune("`'\"", r) || r == ' ' {
				return -1
			}
			return r
		}, s)
	}
	f.Fuzz(func(t *testing.T, text string, treebank bool) {
		style := Moses
		if treebank {
			style = PTB
		}
		got, _ := Config{Style: style, Truecase: true}.Text(text)
		if !utf8.ValidString(text) {
			return // rows are UTF-8: such a text must only not panic
		}
		if !utf8.ValidString(got) {
			t.Fatalf("%q became %q", text, got)
		}
		got, _ = Config{Style: style}.Text(text)
		if strings.TrimSpace(got) != got || strings.Contains(got, "  ") || strings.ContainsAny(got, "\t\n\r\v\f\u0085\u00a0") {
			t.Fatalf("%q has white space to spare", got)
		}
		if strings.ContainsAny(text, `&\-`) {
			return // these may be escapes
		}
		if want := strings.Join(strings.Fields(text), ""); letters(got) != letters(want) {
			t.Fatalf("%q became %q", text, got)
		}
		truecased := truecase(got)
		for token := range strings.FieldsSeq(got) {
			if strings.Contains(token, "://") && !strings.Contains(got, "<") && !strings.Contains(truecased, token) {
				t.Fatalf("%q became %q", got, truecased)
			}
		}
		if len(truecased) == len(got) && !strings.EqualFold(truecased, got) {
			t.Fatalf("%q became %q", got, truecased)
		}
	})
}

func BenchmarkText(b *testing.B) {
	const text = "it 's the best `` film '' of the year -- and -LRB- if you do n't mind the $ 1 , 000 ticket -RRB- , a must ."
	c := Config{Style: PTB, Truecase: true}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		c.Text(text)
	}
}
