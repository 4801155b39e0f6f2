package langid

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"sentweave/schemas/language"
	"sentweave/transforms/clean/langid"
	"sentweave/transforms/clean/langid/fasttext"
)

// written is a file of these lines.
func written(t testing.TB, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "texts.txt")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(t *testing.T, in Inputs) *Sample {
	t.Helper()
	if in.Characters == 0 {
		in.Characters = longest
	}
	s, err := Load(context.Background(), in, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Lines are texts of a language, or are left out with a reason.
func TestLines(t *testing.T) {
	for line, want := range map[string]string{
		"__label__de Guten Tag":           "deu Guten Tag",
		"__label__zh_TW 你好":               "zho_Hant 你好",
		"__label__als Grüezi":             "gsw Grüezi",
		"__label__sr@latin  dobar dan \r": "srp_Latn dobar dan",
		"__label__en a\xffb":              "eng a\uFFFDb",
		"":                                "",
		"Guten Tag":                       reasonNoLabel,
		"__label__qqqq Guten Tag":         reasonUnknown + " qqqq",
		"__label__und Guten Tag":          reasonUnknown + " und",
		"__label__de\tGuten Tag":          "deu Guten Tag",
		"__label__de __label__en Hello":   reasonLabels,
		"__label__de Tag\t__label__qq":    reasonLabels,
		"__label__de ein__label__en":      "deu ein__label__en",
		"__label__de":                     reasonNoLetter,
		"__label__de 12:30":               reasonNoLetter,
		"__label__de " + strings.Repeat("ä", longest+1):  reasonTooLong,
		"__label__de " + strings.Repeat("a", 5_000_000):  reasonTooLong,
		"__label__de " + strings.Repeat("ä ", longest/2): "deu " + strings.Repeat("ä ", longest/2-1) + "ä",
		"__label__fr Bonjour":                            reasonOther,
	} {
		s := load(t, Inputs{Texts: []string{written(t, line)}, Languages: []string{"deu", "zho_Hant", "gsw", "srp_Latn", "eng"}})
		got := ""
		for _, text := range s.Texts {
			got += text.Label + " " + strings.TrimSpace(text.Text)
		}
		for reason, n := range s.LeftOut {
			got += strings.Repeat(reason, int(n))
		}
		for _, label := range s.Unknown {
			got += " " + label
		}
		if got != want {
			t.Errorf("%.40q: %.60q, want %.60q", line, got, want)
		}
	}
}

// Of a language with much text so many characters are chosen, the same in any order of the lines.
func TestSample(t *testing.T) {
	var lines []string
	for i := range 3000 {
		lines = append(lines, fmt.Sprintf("__label__en sentence %d", i))
	}
	lines = append(lines, lines[:100]...)
	lines = append(lines, "__label__de Tag", "__label__de Tag", "__label__de Linux", "__label__en Linux", "__label__fr Linux")
	first := load(t, Inputs{Texts: []string{written(t, lines...)}})
	half := len(lines) / 2
	slices.Reverse(lines)
	second := load(t, Inputs{Texts: []string{written(t, lines[half:]...), written(t, lines[:half]...)}})
	if !reflect.DeepEqual(first, second) {
		t.Error("another order of the lines gave another sample")
	}
	characters := map[string]int{}
	for _, text := range first.Texts {
		characters[text.Label] += utf8.RuneCountInString(text.Text)
	}
	if n := characters["eng"]; n > longest || n < longest-20 || characters["deu"] != 3 || len(characters) != 2 {
		t.Errorf("%v", characters)
	}
	if n := first.LeftOut[reasonSeveral]; n < 2 || n > 3 { // in English, Linux may not have been chosen
		t.Errorf("%v", first.LeftOut)
	}
	if s := load(t, Inputs{Texts: []string{written(t, lines...)}, Least: 4}); s.LeftOut[reasonFew] != 1 {
		t.Errorf("%v", s.LeftOut)
	}
}

// Noise is three times as much as the largest language has, the same for the same texts, and leaves the others as they are.
func TestSampleWithNoise(t *testing.T) {
	var lines []string
	for i := range 400 {
		lines = append(lines, fmt.Sprintf("__label__en sentence %d of the file", i), fmt.Sprintf("__label__de Größe %d für alle", i))
	}
	in := Inputs{Texts: []string{written(t, lines...)}}
	without := load(t, in)
	in.Noise = true
	with := load(t, in)
	slices.Reverse(lines)
	if other := load(t, Inputs{Texts: []string{written(t, lines...)}, Noise: true}); !reflect.DeepEqual(with, other) {
		t.Error("another order of the lines gave another sample")
	}
	characters, rest := 0, 0
	for _, text := range with.Texts {
		if text.Label != language.NoContent {
			rest++
		} else if characters += utf8.RuneCountInString(text.Text); strings.IndexFunc(text.Text, unicode.IsLetter) < 0 {
			t.Errorf("%q has no letter", text.Text)
		}
	}
	// Some lines have no letter.
	if rest != len(without.Texts) || characters < 3*longest*7/10 || characters > 3*longest+500 {
		t.Errorf("%d texts of %d, %d characters of noise", rest, len(without.Texts), characters)
	}
	in.Characters, characters = 100*longest, 0
	for _, text := range load(t, in).Texts {
		if text.Label == language.NoContent {
			characters += utf8.RuneCountInString(text.Text)
		}
	}
	if characters > 3*longest+500 {
		t.Errorf("%d characters of noise, and no language has more than %d", characters, longest)
	}
	if !reflect.DeepEqual(with.LeftOut, without.LeftOut) {
		t.Errorf("%v, without noise %v", with.LeftOut, without.LeftOut)
	}
}

func FuzzEachLine(f *testing.F) {
	f.Add("__label__de Guten Tag\n__label__ x\n\n__label__qq y")
	f.Fuzz(func(t *testing.T, data string) {
		use := func(code, text, reason string) {
			if (reason == "") == (code == "") || code != "" && !language.Valid(code) || !utf8.ValidString(text) {
				t.Errorf("%q %q %q", code, text, reason)
			}
		}
		err := eachLine(context.Background(), strings.NewReader(data), func(code, text string) { use(code, text, "") }, use)
		if err != nil {
			t.Error(err)
		}
	})
}

// dictated answers each text with the language that is written in it.
type dictated struct {
	langid.Identifier
	knows []string
}

func (dictated) Identify(text string) (string, float32) { return text, 1 }
func (d dictated) Knows(code string) bool               { return slices.Contains(d.knows, code) }

// The figures are those that were worked out by hand.
func TestEvaluate(t *testing.T) {
	var texts []fasttext.LabelledText
	for _, pair := range strings.Fields("nob:nor nob:dan nob:nno dan:dan dan:dan dan:swe dan:nor nno:nno nno:nob nno:und") {
		code, answer, _ := strings.Cut(pair, ":")
		texts = append(texts, fasttext.LabelledText{Label: code, Text: answer})
	}
	models := []Model{{"m", dictated{knows: []string{"nob", "dan"}}}, {"n", dictated{knows: []string{"dan", "nno"}}}}
	list, err := Evaluate(context.Background(), texts, models)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Figures{}
	for _, f := range list {
		f.Microseconds = 0
		got[f.Model+" "+f.Language] = f
	}
	third := 1. / 3
	for name, want := range map[string]Figures{
		// nor is an answer for nob and nno: a text in dan with it is wrong for both.
		"m nob": {"nob", "m", 1, 3, third, third, third, 2. / 7, .6, 0},
		"m dan": {"dan", "m", 1, 4, 2 * third, .5, 4. / 7, 1. / 6, .7, 0},
		"m nno": {"nno", "m", 1, 3, third, third, third, 2. / 7, .6, 0},
		// Of the texts in nob and dan alone: nob has 1 right and 1 wrong, dan 2 and 1.
		"m (known)":        {Known, "m", 2, 7, (.5 + 2*third) / 2, (third + .5) / 2, (.4 + 4./7) / 2, (.25 + third) / 2, 3. / 7, 0},
		"n (known to all)": {Shared, "n", 1, 4, 1, .5, 2 * third, 0, .5, 0},
		"n (all)": {All, "n", 3, 10, (third + 2*third + third) / 3, (third + .5 + third) / 3, (third + 4./7 + third) / 3,
			(2./7 + 1./6 + 2./7) / 3, .4, 0},
	} {
		if !near(got[name], want) {
			t.Errorf("%s: %+v, want %+v", name, got[name], want)
		}
	}
	if len(list) != 2*3+2*3 || list[0].Language != "dan" || list[1].Model != "n" || list[6].Language != All {
		t.Errorf("%+v", list)
	}
}

func near(a, b Figures) bool {
	distance := 0.
	for _, pair := range [][2]*float64{{&a.Precision, &b.Precision}, {&a.Recall, &b.Recall}, {&a.F1, &b.F1},
		{&a.FalsePositiveRate, &b.FalsePositiveRate}, {&a.Accuracy, &b.Accuracy}} {
		distance = max(distance, math.Abs(*pair[0]-*pair[1]))
		*pair[0] = *pair[1]
	}
	return distance < 1e-9 && a == b
}
