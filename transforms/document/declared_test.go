package document

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/clean/langid"
	"sentweave/transforms/filters"
)

// scored gives each text the scores of the words that it knows, the most certain
// first: "eng:.6" is such a word. It lacks Dzongkha and Oromo.
type scored struct{}

func (scored) Clone() langid.Identifier { return scored{} }

func (scored) Knows(code string) bool { return code != "dzo" && code != "orm" }

func (scored) Top(dst []langid.Guess, text string, k int) []langid.Guess {
	left := float32(1)
	for word := range strings.FieldsSeq(text) {
		var score float32
		code, value, ok := strings.Cut(word, ":")
		if _, err := fmt.Sscan("0"+value, &score); !ok || err != nil || len(dst) == k {
			continue
		}
		if !slices.ContainsFunc(dst, func(g langid.Guess) bool { return g.Language == code }) {
			score = min(score, left)
			left -= score
			dst = append(dst, langid.Guess{Language: code, Score: score})
		}
	}
	return dst
}

func (s scored) Identify(text string) (string, float32) {
	if top := s.Top(nil, text, 1); len(top) > 0 {
		return top[0].Language, top[0].Score
	}
	return "und", 0
}

const (
	latin      = " a bridge across the river near the village "
	devanagari = " नदी के पास गाँव में एक पुराना पुल था और लोग "
	tibetan    = " ང་ཚོ་དེབ་ཀློག་གི་ཡོད། ཁྱེད་རང་ག་པར་འགྲོ་གི་ཡིན་ནམ "
)

// What a layout declares holds until the text contradicts it. The scores are in the
// first paragraph, the second one is the sentence that is judged.
func TestDeclaredLanguage(t *testing.T) {
	tests := []struct {
		name, declared, first, second string
		languages                     string
		document, sentence            string
	}{
		{"agreed", "deu", "deu:.9" + latin, "deu:.8" + latin, "", "deu 0.9", "deu 0.8"},
		{"left in English", "deu", "eng:.9" + latin, "eng:.8" + latin, "", "eng 0.9 not deu", "eng 0.8"},
		{"unsure is not a contradiction", "deu", "eng:.45 deu:.1" + latin, "eng:.45 deu:.1" + latin, "", "deu 0.1", "deu 0.1"},
		{"nor is a small margin", "deu", "eng:.6 deu:.3" + latin, "eng:.6 deu:.3" + latin, "", "deu 0.3", "deu 0.3"},
		{"a sentence left in English", "deu", "deu:.9" + latin, "eng:.8 deu:.1" + latin, "", "deu 0.9", "other_language eng 0.80"},
		{"a short one must be surer", "deu", "deu:.9" + latin, "eng:.8 deu:.1 by it", "", "deu 0.9", "deu 0.1"},
		{"even if it is short", "deu", "deu:.9" + latin, "eng:.95 deu:.0 by it", "", "deu 0.9", "other_language eng 0.95"},
		{"a translated sentence on a page in English", "hin", "eng:.9" + latin, "hin:.9" + devanagari, "", "eng 0.9 not hin", "hin 0.9"},
		{"what is doubtful there is English", "deu", "eng:.9" + latin, "deu:.4 eng:.3" + latin, "", "eng 0.9 not deu", "eng 0.3"},
		{"what the identifier takes for a neighbour there", "nno", "eng:.9" + latin, "swe:.6 nor:.3 nno:.1 eng:.0" + latin, "",
			"eng 0.9 not nno", "nno 1"},
		{"and for one that is not one", "cat", "eng:.9" + latin, "spa:.6 cat:.2 eng:.01" + latin, "", "eng 0.9 not cat", "cat 0.2"},
		{"a doubtful one that is not English", "deu", "eng:.9" + latin, "deu:.3 eng:.01" + latin, "", "eng 0.9 not deu", "deu 0.3"},
		{"a neighbour on a translated page", "nno", "nno:.9" + latin, "dan:.95 nno:.03" + latin, "", "nno 0.9", "nno 0.98"},
		{"a neighbour in a page of that", "dan", "swe:.9" + latin, "swe:.9" + latin, "", "swe 0.9 not dan", "swe 0.9"},
		{"a sentence of it there", "dan", "swe:.9" + latin, "dan:.9" + latin, "", "swe 0.9 not dan", "dan 0.9"},
		{"a third language there", "deu", "eng:.9" + latin, "ita:.9" + latin, "", "eng 0.9 not deu", "other_language ita 0.90"},
		{"a language that the model lacks", "dzo", "bod:.99" + tibetan, "bod:.9" + tibetan, "", "dzo 0", "dzo 0"},
		{"in another script", "dzo", "fra:.9" + latin, "fra:.9" + latin, "", "fra 0.9 not dzo", "fra 0.9"},
		{"left in English where the model lacks the language", "dzo", "bod:.99" + tibetan, "eng:.9" + latin, "", "dzo 0",
			"other_language eng 0.90"},
		{"English with a low score in the wrong script", "dzo", "bod:.99" + tibetan, "eng:.2" + latin, "", "dzo 0",
			"other_language eng 0.20"},
		{"a sentence of it on a page in English", "dzo", "eng:.9" + latin, "bod:.9" + tibetan, "", "eng 0.9 not dzo", "dzo 0"},
		{"a Latin one is taken for its nearest", "orm", "fin:.9" + latin, "fin:.9" + latin, "", "orm 0", "orm 0"},
		{"but not for English", "orm", "eng:.9" + latin, "eng:.9" + latin, "", "eng 0.9 not orm", "eng 0.9"},
		{"the other script of one language", "zho_Hans", "zho:.9 我們來學習歷史國語們說這個東西實在太難點", "zho:.9 我們來學習歷史國語們說這個東西實在太難點", "",
			"zho_Hant 0.9 not zho_Hans", "zho_Hant 0.9"},
		{"nothing is left in a wanted language", "deu", "eng:.9" + latin, "eng:.9" + latin, "deu", "language declared_language",
			"other_language eng 0.90"},
		{"something is", "hin", "eng:.9" + latin, "hin:.9" + devanagari, "hin", "hin 0 not eng", "hin 0.9"},
		{"neither is wanted", "deu", "eng:.9" + latin, "eng:.9" + latin, "fra", "language unwanted_language", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := DefaultConfig()
			c.Languages = strings.Fields(tt.languages)
			c.Filters = chosen(t, "cc-net")
			b, err := NewBuilder(c, scored{})
			if err != nil {
				t.Fatal(err)
			}
			o := b.Build(Record{Source: "a", Text: tt.first + "\n\n" + tt.second, Language: tt.declared, Declared: true})
			document := fmt.Sprintf("%s %.2g", o.Document.Language, o.Document.LanguageScore)
			switch {
			case !o.Kept():
				document = o.Step + " " + o.Reason
			case o.Document.Language != tt.declared:
				document += " not " + o.Document.DeclaredLanguage
			case o.declared.identified != "":
				document += " not " + o.declared.identified
			}
			sentence := ""
			if n := len(o.Sentences); n > 0 {
				if last := o.Sentences[n-1]; last.Step == StepLanguage {
					sentence = last.Reason + " " + last.Detail
				} else if k := len(o.Document.Sentences); k > 0 {
					sentence = fmt.Sprintf("%s %.2g", o.Document.Sentences[k-1].Language, o.Document.Sentences[k-1].LanguageScore)
				}
			}
			if diff := cmp.Diff([]string{tt.document, tt.sentence}, []string{document, sentence}); diff != "" {
				t.Errorf("%s\n%+v", diff, o.Verdict)
			}
		})
	}
}

// judged gives each text the scores that it has for it.
type judged map[string][]langid.Guess

func (j judged) Clone() langid.Identifier { return j }

func (j judged) Knows(string) bool { return true }

func (j judged) Top(dst []langid.Guess, text string, k int) []langid.Guess {
	return append(dst, j[text][:min(k, len(j[text]))]...)
}

func (j judged) Identify(text string) (string, float32) {
	if len(j[text]) == 0 {
		return "und", 0
	}
	return j[text][0].Language, j[text][0].Score
}

// A sentence is in no language of which it has no letter.
func TestScriptOfSentence(t *testing.T) {
	chinese, russian := "将任意字符串或数字表达式转换为长整数。", "При потере фокуса"
	tests := []struct {
		name, text string
		scores     []langid.Guess
		l          declaration
		want       string
	}{
		{"unsure on a page in English", chinese,
			[]langid.Guess{{Language: "eng", Score: .3}, {Language: "jpn", Score: .2}, {Language: "zho", Score: .1}},
			declaration{code: "zho_Hans", known: true, identified: "eng"}, "zho_Hans 0.1"},
		{"of which the declared one is not probable", russian, []langid.Guess{{Language: "mkd", Score: .5}, {Language: "rus", Score: .1}},
			declaration{code: "rus", known: true, identified: "eng"}, "rus 0.1"},
		{"identified as what it is not", "调整框架大小", []langid.Guess{{Language: "vie", Score: .98}, {Language: "zho", Score: .01}},
			declaration{code: "zho_Hans", known: true}, "zho_Hans 0.01"},
		{"and nothing else", "调整框架大小", []langid.Guess{{Language: "vie", Score: 1}}, declaration{code: "zho_Hans", known: true},
			"zho_Hans 0"},
		{"no letter of the declared language", "Press the button",
			[]langid.Guess{{Language: "zho", Score: .5}, {Language: "eng", Score: .4}},
			declaration{code: "zho_Hans", known: true, identified: "eng"}, "eng 0.4"},
		{"a name in Latin letters", "LibreOffice 函数", []langid.Guess{{Language: "eng", Score: .5}, {Language: "zho", Score: .2}},
			declaration{code: "zho_Hans", known: true, identified: "eng"}, "eng 0.5"},
		{"no letters", "2 + 3", nil, declaration{code: "zho_Hans", known: true, identified: "eng"}, "eng 0"},
	}
	for _, tt := range tests {
		b, err := NewBuilder(DefaultConfig(), judged{tt.text: tt.scores})
		if err != nil {
			t.Fatal(err)
		}
		code, score := b.judgeDeclared(tt.text, tt.l)
		if got := fmt.Sprintf("%s %.2g", code, score); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// A document that passes the filters with all its sentences passes them, too, when those
// in another language are gone, and none is too short without them.
func TestShortened(t *testing.T) {
	c := DefaultConfig()
	rules, err := filters.List.Choose([]string{"stopes", "cc-net", "gopher-repetition"},
		map[string]string{"min-document-characters": "1", "min-sentences": "3"})
	if err != nil {
		t.Fatal(err)
	}
	c.Filters = rules
	b, err := NewBuilder(c, scored{})
	if err != nil {
		t.Fatal(err)
	}
	c.Scores = true
	scoring, err := NewBuilder(c, scored{})
	if err != nil {
		t.Fatal(err)
	}
	german, repeated := "deu:.9 eine Brücke über den Fluss", "deu:.9 noch eine alte Brücke dort"
	foreign := []string{"eng:.9" + latin, "eng:.8 the tower on a hill beyond the wide green valley",
		"eng:.7 some people who live in this town of ours"}
	tests := []struct {
		name       string
		paragraphs []string
		want       string
	}{
		{"few", append([]string{german}, foreign...), ""},
		{"few even with the foreign ones", []string{german, foreign[0]}, ""},
		{"few, and none is foreign", []string{german, repeated}, "too_few_sentences"},
		{"repeated", append([]string{german, repeated, repeated}, foreign...), ""},
		{"repeated without the foreign ones, too", append([]string{repeated, repeated, repeated, repeated, german}, foreign[0]),
			"duplicate_sentences"},
		{"nothing is foreign", []string{german, repeated, repeated}, "duplicate_sentences"},
	}
	for _, tt := range tests {
		record := Record{Source: "a", Text: strings.Join(tt.paragraphs, "\n\n"), Language: "deu", Declared: true}
		o := b.Build(record)
		if o.Reason != tt.want || o.Document.Language != "deu" {
			t.Errorf("%s: %+v, want %q", tt.name, o.Verdict, tt.want)
		}
		name := schemas.KeptScore
		if tt.want != "" {
			name = schemas.DroppedScore + tt.want
		}
		if _, ok := scoring.Build(record).Document.Score(name); !ok {
			t.Errorf("%s: no score %s", tt.name, name)
		}
	}
}

// Without a layout, a declaration is what the page says of itself: the identifier
// decides, as ever, and the column tells.
func TestLanguageOfThePage(t *testing.T) {
	c := DefaultConfig()
	c.Filters = chosen(t, "stopes", "cc-net")
	b, err := NewBuilder(c, scored{})
	if err != nil {
		t.Fatal(err)
	}
	o := b.Build(Record{Source: "a", Text: "eng:.6 deu:.5" + latin, Language: "deu"})
	if d := o.Document; d.Language != "eng" || d.DeclaredLanguage != "deu" || !o.Kept() {
		t.Errorf("%s, declared %s: %+v", d.Language, d.DeclaredLanguage, o.Verdict)
	}
}

// What is in no language goes by a reason of its own, whatever is declared, a document and a sentence of one; and stays if it is wanted.
func TestNoise(t *testing.T) {
	const noise = "zxx:.8" + latin
	for _, test := range []struct {
		name, text string
		declared   bool
		languages  []string
		want       string
	}{
		{"a document", noise, false, nil, "language noise"},
		{"a declared one", noise, true, nil, "language noise"},
		{"of other languages", noise, false, []string{"eng"}, "language noise"},
		{"wanted", noise, false, []string{"zxx"}, "zxx"},
		{"most of a document", "zxx:.99 eng:.9" + latin + ".\n\n" + noise + ".\n\neng:.95" + latin + ".", false, nil, "eng noise noise"},
		{"most of a declared one", "zxx:.99 eng:.9" + latin + ".\n\n" + noise + ".\n\neng:.95" + latin + ".", true, nil, "eng noise noise"},
		{"a sentence", "eng:.9" + latin + ".\n\n" + noise + ".\n\neng:.95" + latin + ".", true, nil, "eng noise"},
	} {
		c := DefaultConfig()
		c.Languages, c.Filters = test.languages, chosen(t, "stopes", "cc-net")
		b, err := NewBuilder(c, scored{})
		if err != nil {
			t.Fatal(err)
		}
		o := b.Build(Record{Source: "a", Text: test.text, Language: "eng", Declared: test.declared})
		got := o.Document.Language
		if !o.Kept() {
			got = o.Step + " " + o.Reason
		}
		for _, s := range o.Sentences {
			if o.Kept() && s.Reason != "" {
				got += " " + s.Reason
			}
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// The funnel has the conflicts by declared language, and balances.
func TestCountDeclared(t *testing.T) {
	f := dataset.NewFunnel(Chains(true, false)...)
	var r dataset.Rejects
	b, err := NewBuilder(DefaultConfig(), scored{})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"deu:.9" + latin, "eng:.9" + latin, "eng:.9" + latin} {
		o := b.Build(Record{Source: "a", Offset: int64(i), Text: text, Language: "deu", Declared: true})
		if err := o.Count(f, &r); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Check(); err != nil {
		t.Error(err)
	}
	chain := f.Chains[len(f.Chains)-1]
	want := dataset.Count{In: 3, Out: 1, Dropped: map[string]int64{"identified_eng": 2}}
	if diff := cmp.Diff(want, chain.Steps[0].Languages["deu"]); chain.Items != Declared || diff != "" {
		t.Errorf("%s: %s", chain.Items, diff)
	}
}
