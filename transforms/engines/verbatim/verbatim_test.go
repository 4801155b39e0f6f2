package verbatim

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"sentweave/transforms/engines"
	"sentweave/transforms/engines/identity"
)

// What stands between « and » is not language, all else is.
func TestSpans(t *testing.T) {
	for _, marked := range []string{
		"Edit «/etc/passwd», then «~/.bashrc» or «./configure».", "Files in «/usr/share/doc/foo-1.2/» and «C:\\Windows\\x.ini».",
		"See «src/main.go», and/or him/her, TCP/IP, 24/7, N/A, w/o it.",
		"Call «get_user_id()» or «os.path.join» and «std::vector».", "Set «$HOME», «%PATH%» and «--verbose=true», or «-r».",
		"He left --and she, too-- at 10am.",
		"The «camelCase» of «JavaScript» on «x86_64», «sha256» and «v2.0.1».", "The 20th of the 1990s, 3rd, 5kg, 2.0.1, 100%.",
		"Write to «me@example.org» at «https://example.org/a?b=1», please.",
		"Hello «{0}», «%s» and «<b>»house«</b>».", "Run «`apt-get install foo`» now.", "`` It 's a fun movie , '' he said .",
		"` a ' and ` b '", "The person(s), «ls(1)» and f(x, y) or f(x).",
		`Call «foo_bar(x, y)» or «get_value(key, default=None)» with «open_file("a.txt", "r")» (or not).`,
		"Use «MyClass.method» and «my_table.my_column», «<%= value %>» too.",
		"«foo_bar»'s value (in «main.py») is “«my_value»”.", "I like it.it is good e.g. in the U.S.A.", "well-known half-truths",
		"«a=b» and «x86»", "The «README.txt» or «data.tar.gz», .gitignore.", "It ended . Then «.txt»",
		"NASA, UNESCO and «McDonald»'s", "«#hashtag», #1 and «@somebody»", "He's in «/tmp»; it's 5 km/h. (See «libc6».)", "你好 «foo_bar» 世界",
		"its\\/their «\\frac{a}{b}»", "and / or", "All «*.changes» and «--force-*», a note*", "«deadbeef12» or defaced", "",
	} {
		text := strings.NewReplacer("«", "", "»", "").Replace(marked)
		var b strings.Builder
		at := 0
		for _, s := range spans(text) {
			b.WriteString(text[at:s.From] + "«" + text[s.From:s.To] + "»")
			at = s.To
		}
		if got := b.String() + text[at:]; got != marked {
			t.Errorf("%s\nwant %s", got, marked)
		}
	}
}

func TestSurface(t *testing.T) {
	for _, tt := range []struct{ target, text, translation, want string }{
		{"spa", "It's a fun movie.", " Es una película divertida .", "Es una película divertida."},
		{"spa", "it 's a fun movie .", " Es una película divertida .", "es una película divertida ."},
		{"spa", "it 's a fun movie .", "Es una película divertida.", "es una película divertida ."},
		{"cat", "The man is here.", "l'home és aquí.", "L'home és aquí."},
		{"spa", "Wait ...", "Espera...", "Espera..."},
		{"spa", "He said \"no\" (and yes).", "Dijo \"no\" ( y sí ) .", "Dijo \"no\" ( y sí)."},
		{"spa", "the end", "NASA", "NASA"}, {"deu", "the house", "Haus", "Haus"}, {"deu", "The house", "das Haus", "Das Haus"},
		{"tur", "It is", "istanbul", "İstanbul"},
		{"fra", "What is it?", "Qu'est-ce que c'est ?", "Qu'est-ce que c'est ?"},
		{"fra", "Yes, it is.", "Oui , c'est ça .", "Oui, c'est ça."},
		{"spa", "a smile :)", "Una sonrisa :)", "una sonrisa :)"}, {"spa", "the files", "Los archivos .txt", "los archivos .txt"},
		{"spa", "3 men", "3 Hombres", "3 hombres"},
		{"spa", "Amrozi accused his brother.", "Amrozi Acusó su hermano.", "Amrozi acusó su hermano."},
		{"spa", "Amrozi Bush said", "Amrozi Bush dijo", "Amrozi Bush dijo"},
		{"spa", "Amrozi called NASA", "Amrozi NASA llamó", "Amrozi NASA llamó"}, {"spa", "Tom", "Tom", "Tom"},
		{"zho", "The house.", "房子。", "房子。"}, {"spa", "", "", ""}, {"spa", "House", "", ""},
	} {
		if got := surface(tt.text, tt.translation, tt.target, nil); got != tt.want {
			t.Errorf("%q, %q: %q, want %q", tt.text, tt.translation, got, tt.want)
		}
	}
}

// rules is an engine that translates by rules: it turns texts about, and loses or
// repeats what it is told.
type rules struct {
	identity.Engine
	lose, repeat, refuse string
	ends                 int // the number of texts after which it ends
	asked                []string
}

func (r *rules) Translate(_ context.Context, _ engines.Pair, texts []string) ([]engines.Answer, error) {
	var answers []engines.Answer
	for i, text := range texts {
		if r.asked = append(r.asked, text); r.ends > 0 && i == r.ends {
			return answers, &engines.Fault{Kind: engines.Crashed, First: true, Err: errors.New("it ended")}
		}
		var words []string
		for _, word := range strings.Fields(text) {
			switch {
			case r.lose != "" && strings.HasPrefix(word, r.lose):
				continue
			case r.repeat != "" && strings.HasPrefix(word, r.repeat):
				words = append(words, word)
			}
			words = append([]string{strings.ReplaceAll(word, "_", " ")}, words...)
		}
		a := engines.Answer{Text: strings.Join(words, " ")}
		if r.refuse != "" && strings.Contains(text, r.refuse) {
			a = engines.Answer{Err: engines.Faultf(engines.Refused, "no")}
		}
		answers = append(answers, a)
	}
	return answers, nil
}

var pair = engines.Pair{Source: "eng", Target: "spa"}

// What is verbatim comes out as it went in, whatever the engine does to its words.
func TestNothingIsLost(t *testing.T) {
	texts := []string{"set foo_bar or get_it now", "https://example.org/a_b", "plain words here", "my_file holds a_b, a_b and a_b",
		"Xqby is no b_c"}
	for _, tt := range []struct {
		name string
		r    *rules
		want []string
	}{
		{"turned about", &rules{}, []string{"now get_it or foo_bar set", "https://example.org/a_b", "here words plain",
			"a_b and a_b a_b, holds my_file", "b_c No is Xqby"}},
		{"lost", &rules{lose: "Xq"}, []string{"set foo_bar or get_it now", "https://example.org/a_b", "here words plain",
			"my_file holds a_b, a_b and a_b", "No is b_c"}},
		{"repeated", &rules{repeat: "Xqc"}, []string{"set foo_bar or get_it now", "https://example.org/a_b", "here words plain",
			"my_file holds a_b, a_b and a_b", "No is Xqby b_c"}},
	} {
		answers, err := Engine{tt.r}.Translate(t.Context(), pair, texts)
		if err != nil || len(answers) != len(texts) {
			t.Fatalf("%s: %v, error %v", tt.name, answers, err)
		}
		for i, a := range answers {
			if a.Err != nil || a.Text != tt.want[i] {
				t.Errorf("%s: %q, %v, want %q", tt.name, a.Text, a.Err, tt.want[i])
			}
		}
		for _, text := range tt.r.asked {
			if strings.Contains(text, "_") {
				t.Errorf("%s: the engine was asked for %q", tt.name, text)
			}
		}
	}
}

// Faults are those of the texts that they belong to.
func TestFaults(t *testing.T) {
	texts := []string{"a_b is it", "/etc/passwd", "it is", "refused a_b", "end", "more"}
	answers, err := Engine{&rules{ends: 3, refuse: "refused"}}.Translate(t.Context(), pair, texts)
	if len(answers) != 4 || answers[3].Err == nil || answers[1].Text != "/etc/passwd" || engines.KindOf(err) != engines.Crashed {
		t.Errorf("%v, error %v", answers, err)
	}
	// In pieces the second text ends it: "is", "it", "or".
	answers, err = Engine{&rules{lose: "Xq", ends: 2}}.Translate(t.Context(), pair, []string{"it is a_b", "one c_d or"})
	var fault *engines.Fault
	if len(answers) != 1 || answers[0].Text != "is it a_b" || !errors.As(err, &fault) || !fault.First {
		t.Errorf("%v, error %v", answers, err)
	}
}

func TestIdentity(t *testing.T) {
	bare, _ := identity.Engine{}.Identity(pair)
	with, err := Engine{identity.Engine{}}.Identity(pair)
	if err != nil || bare.OptionsXXH3() == with.OptionsXXH3() || bare.Key(pair, "x") == with.Key(pair, "x") ||
		with.Engine != identity.Name {
		t.Errorf("%v and %v, error %v", bare, with, err)
	}
}

func TestWords(t *testing.T) {
	seen := map[string]bool{}
	for n := range 5000 {
		word := wordOf(n)
		if seen[word] || isCode(word) {
			t.Fatalf("%d: %s", n, word)
		}
		seen[word] = true
	}
	for word := range seen {
		for _, end := range []string{"b", "y"} {
			if seen[word+end] {
				t.Errorf("%s is a part of %s", word, word+end)
			}
		}
	}
}

func FuzzVerbatim(f *testing.F) {
	f.Add("Edit /etc/passwd and `foo bar` with $X, {0} <b>")
	f.Add("`a`b`c` a_b's ((x_y))")
	f.Fuzz(func(t *testing.T, text string) {
		spans, at := spans(text), 0
		for _, s := range spans {
			if s.From < at || s.To <= s.From || s.To > len(text) {
				t.Fatalf("%q: spans %v", text, spans)
			}
			at = s.To
		}
		m := newMask(text)
		if back, ok := m.undo(m.text); !ok || back != text {
			t.Errorf("%q became %q", text, back)
		}
		var answers []engines.Answer
		for _, piece := range m.pieces() {
			answers = append(answers, engines.Answer{Text: piece})
		}
		if a := m.join(answers, "spa"); utf8.ValidString(text) && strings.Join(strings.Fields(a.Text), "") != strings.Join(
			strings.Fields(text), "") {
			t.Errorf("%q came together as %q", text, a.Text)
		}
	})
}

func BenchmarkSpans(b *testing.B) {
	text := "The house on the hill has 27 rooms, see https://example.org/house, and a red roof; edit /etc/passwd, he said to JavaScript's owner."
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if len(spans(text)) != 3 {
			b.Fatal(spans(text))
		}
	}
}
