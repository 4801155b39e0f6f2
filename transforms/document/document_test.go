package document

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/dataset"
	"sentweave/transforms/clean/langid"
	"sentweave/transforms/clean/maincontent"
	"sentweave/transforms/filters"
	"sentweave/transforms/read/html"
)

// byWord takes the language from the first telling word of a text.
type byWord struct{}

func (byWord) Clone() langid.Identifier { return byWord{} }

// Knows: this identifier lacks Dzongkha and Oromo.
func (byWord) Knows(code string) bool { return code != "dzo" && code != "orm" }

// Top gives the second language half of what the first one leaves.
func (w byWord) Top(dst []langid.Guess, text string, k int) []langid.Guess {
	code, score := w.Identify(text)
	return append(dst, langid.Guess{Language: code, Score: score}, langid.Guess{Language: "deu", Score: (1 - score) / 2})
}

func (byWord) Identify(text string) (string, float32) {
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		switch word {
		case "the":
			return "eng", .9
		case "der", "die", "das":
			return "deu", .9
		case "hmm":
			return "deu", .2
		case "je", "је":
			return "srp", .9
		}
	}
	if strings.Contains(text, "們") || strings.Contains(text, "们") {
		return "zho", .9
	}
	return "und", 0
}

const (
	english = "The river behind the old mill was frozen until the first days of March. "
	another = "Nobody in the village had seen the bridge before the snow was gone. "
	german  = "Die Mühle am Fluss stand seit vielen Jahren leer und war verschlossen. "
)

func page(body string) Record {
	return Record{Source: "page.html", HTML: []byte("<html><body><article>" + body + "</article></body></html>")}
}

func paragraphs(texts ...string) string { return "<p>" + strings.Join(texts, "</p><p>") + "</p>" }

// chosen are the rules of filters; a document may be one short sentence.
func chosen(t testing.TB, names ...string) []filters.Rules {
	t.Helper()
	rules, err := filters.List.Choose(names, map[string]string{"min-document-characters": "20", "min-sentences": "1"})
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func builder(t *testing.T, change func(*Config)) *Builder {
	t.Helper()
	c := DefaultConfig()
	c.Filters = chosen(t, "stopes", "cc-net", "gopher-repetition")
	if change != nil {
		change(&c)
	}
	b, err := NewBuilder(c, byWord{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBuildDocument(t *testing.T) {
	const cyrillic = "Кућа је стара и лепа. Река је дубока и хладна, а мост је нов."
	const serbian = "Kuća je stara i lepa. Reka je duboka i hladna, a most je nov."
	wanting := func(codes ...string) func(*Config) { return func(c *Config) { c.Languages = codes } }
	long := english + another
	tests := []struct {
		name   string
		record Record
		change func(*Config)
		want   string // step and reason, or the language
	}{
		{"a page", page(paragraphs(long, "It rained on the roof of the mill all day.")), nil, "eng"},
		{"a text", Record{Source: "a.txt", Text: long}, nil, "eng"},
		{"nothing", page(""), nil, "parse no_text"},
		{"nothing to see", Record{Source: "a.txt", Text: "\u200b\n\n\u2060\u3164"}, nil, "parse empty"},
		{"no bytes", Record{Source: "x.html", HTML: []byte{}}, nil, "parse empty"},
		{"a picture", Record{Source: "x.html", HTML: []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")}, nil, "parse binary"},
		{"another language", Record{Source: "a.txt", Text: long}, func(c *Config) { c.Languages = []string{"deu"} },
			"language unwanted_language"},
		{"no language", Record{Source: "a.txt", Text: "Qwe rty uio pas dfg hjk lzx cvb nmq wer tyu."},
			func(c *Config) { c.Languages = []string{"deu"} }, "language unknown_language"},
		{"many paragraphs", Record{Source: "a.txt", Text: strings.Repeat(english+"\n\n", 11)}, func(c *Config) { c.MaxItems = 10 },
			"parse too_complex"},
		{"many sentences", Record{Source: "a.txt", Text: strings.Repeat(english, 11)}, func(c *Config) { c.MaxItems = 10 },
			"quality too_complex"},
		{"not many", Record{Source: "a.txt", Text: strings.Repeat(long+"\n\n", 5)}, func(c *Config) {
			c.MaxItems = 10
			c.Filters = chosen(t, "stopes", "cc-net")
		}, "eng"},
		{"too short", Record{Source: "a.txt", Text: "The end."}, nil, "quality too_few_sentences"},
		{"Chinese of the mainland", Record{Source: "a.txt", Text: "我们在图书馆里学习历史，他们说这是很长的时间。"}, nil, "zho_Hans"},
		{"Chinese of Taiwan", Record{Source: "a.txt", Text: "我們在圖書館裡學習歷史，他們說這是很長的時間。"}, nil, "zho_Hant"},
		{"what is declared says more", Record{Source: "a.txt", Text: long, Language: "eng_Latn"}, nil, "eng_Latn"},
		{"Serbian", Record{Source: "a.txt", Text: cyrillic}, nil, "srp"},
		{"Serbian in one of its scripts", Record{Source: "a.txt", Text: cyrillic}, wanting("srp_Latn", "srp_Cyrl"), "srp_Cyrl"},
		{"Serbian in the other", Record{Source: "a.txt", Text: serbian}, wanting("srp_Latn", "srp_Cyrl"), "srp_Latn"},
		{"Serbian in an unwanted script", Record{Source: "a.txt", Text: cyrillic}, wanting("srp_Latn"), "language unwanted_language"},
		{"a declared script that is not the text's", Record{Source: "a.txt", Text: cyrillic, Language: "srp_Latn"}, wanting("srp_Latn"),
			"language unwanted_language"},
		{"a script in which nobody writes the language", Record{Source: "a.txt", Text: long}, wanting("eng_Cyrl"),
			"language unwanted_language"},
		{"Chinese that is declared, in an unwanted script", Record{Source: "a.txt", Text: "我们在图书馆里学习历史，他们说这是很长的时间。", Language: "zho"},
			wanting("zho_Hant"), "language unwanted_language"},
		{"what is declared is wrong", Record{Source: "a.txt", Text: long, Language: "fra"}, nil, "eng"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := builder(t, test.change).Build(test.record)
			got := o.Document.Language
			if !o.Kept() {
				got = o.Step + " " + o.Reason
			}
			if got != test.want {
				t.Errorf("got %q, want %q (%s)", got, test.want, o.Detail)
			}
			if o.Kept() {
				if err := o.Document.Validate(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// The verdicts on the sentences of one text, and their positions: a dropped
// sentence leaves a gap.
func TestBuildSentences(t *testing.T) {
	o := builder(t, nil).Build(Record{Source: "a.txt", Text: english + "Yes. " + another + "\n\n" + german +
		"\n\nHmm and then they went home across a frozen lake again."})
	var got []string
	for _, s := range o.Sentences {
		verdict := "kept"
		if !s.Kept() {
			verdict = s.Step + " " + s.Reason
		}
		got = append(got, fmt.Sprintf("%d %.5s %s", s.Block, s.Text, verdict))
	}
	want := []string{
		"0 The r kept", "0 Yes. quality too_short", "0 Nobod kept", "1 Die M language other_language", "2 Hmm a kept",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var places []string
	for _, s := range o.Document.Sentences {
		places = append(places, fmt.Sprintf("%d.%d of %d %s %.1f", s.Block, s.Position, s.BlockSentences, s.Language, s.LanguageScore))
	}
	if diff := cmp.Diff([]string{"0.0 of 3 eng 0.9", "0.2 of 3 eng 0.9", "2.4 of 1 eng 0.0"}, places); diff != "" {
		t.Error(diff)
	}
}

// Lines that remain in a block do not remain in a sentence: whoever reads one a
// line gets them whole.
func TestSentencesAreOneLine(t *testing.T) {
	o := builder(t, nil).Build(Record{Source: "a.txt", Text: "The river rose\nand all the people\nwent up the hill.\n" + another})
	if !o.Kept() || len(o.Document.Sentences) != 2 {
		t.Fatalf("%+v", o)
	}
	if got, want := o.Document.Sentences[0].Text, "The river rose and all the people went up the hill."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Letters and their accents become one character, in texts and pages.
func TestSentencesAreComposed(t *testing.T) {
	decomposed := "The rive\u0301r rose and all the people went up the hill. " + another
	for _, r := range []Record{{Source: "a.txt", Text: decomposed}, page(paragraphs(decomposed))} {
		o := builder(t, nil).Build(r)
		if !o.Kept() || o.Document.Sentences[0].Text != "The rivér rose and all the people went up the hill." {
			t.Errorf("%s: %+v", r.Source, o.Document.Sentences)
		}
	}
}

// longest remembers how much an identifier was given at once.
type longest struct {
	byWord
	bytes *int
	valid *bool
}

func (l longest) Identify(text string) (string, float32) {
	*l.bytes = max(*l.bytes, len(text))
	*l.valid = *l.valid && utf8.ValidString(text)
	return l.byWord.Identify(text)
}

// Blocks and sentences of megabytes are identified by their start.
func TestIdentifierGetsLittle(t *testing.T) {
	b := builder(t, nil)
	for _, text := range []string{
		strings.Repeat(english, 20_000),
		strings.Repeat("the mill and the river é ", 50_000),
		strings.Repeat(strings.Repeat(english, 15)+"\n\n", 40),
		"the " + strings.Repeat("們", 1_000_000),
	} {
		given, valid := 0, true
		b.WithIdentifier(longest{bytes: &given, valid: &valid}).Build(Record{Source: "a.txt", Text: text})
		if given < identifiedBytes/2 || given > identifiedBytes+1 {
			t.Errorf("%.20q…: the identifier was given up to %d bytes, want about %d", text, given, identifiedBytes)
		}
		if !valid {
			t.Errorf("%.20q…: the identifier was given a part of a character", text)
		}
	}
}

// A preformatted block leaves a gap, boilerplate does not.
func TestPositionsAcrossBlocks(t *testing.T) {
	body := paragraphs(english+another, another+english) + "<pre>make test\nmake demo</pre>" +
		paragraphs(english+"It rained on the roof of the mill all day.")
	o := builder(t, func(c *Config) {
		c.Filters = chosen(t, "stopes", "cc-net")
	}).Build(page(body))
	if !o.Kept() {
		t.Fatal(o.Verdict)
	}
	var positions []int32
	for _, s := range o.Document.Sentences {
		positions = append(positions, s.Position)
	}
	if diff := cmp.Diff([]int32{0, 1, 2, 3, 5, 6}, positions); diff != "" {
		t.Error(diff)
	}
	if n, ok := o.Document.Score("blocks"); !ok || int(n) <= int(o.Document.Sentences[5].Block) {
		t.Errorf("%v blocks, but a sentence is in block %d", n, o.Document.Sentences[5].Block)
	}
}

// The funnel of many outcomes balances, and the samples are of what was dropped.
func TestCount(t *testing.T) {
	f := dataset.NewFunnel(Chains(false, false)...)
	var r dataset.Rejects
	records := []Record{
		page(paragraphs(english+another, german)), {Source: "a.txt", Text: english + "No. "}, {Source: "b.txt", Text: "The end."}, page(""),
	}
	b := builder(t, nil)
	kept := map[string]int64{}
	for i, record := range records {
		record.Offset = int64(i)
		o := b.Build(record)
		if err := o.Count(f, &r); err != nil {
			t.Fatal(err)
		}
		if o.Kept() {
			kept[o.Document.Language] += int64(len(o.Document.Sentences))
		}
	}
	if err := f.Check(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(kept, f.Out(Sentences)); diff != "" {
		t.Error(diff)
	}
	var reasons []string
	for _, reject := range r.Sorted() {
		if err := reject.Validate(); err != nil {
			t.Error(err)
		}
		reasons = append(reasons, reject.Step+" "+reject.Reason)
	}
	want := []string{"language other_language", "parse no_text", "quality too_few_sentences", "quality too_short", "quality too_short"}
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Error(diff)
	}
}

func TestConfigFaultsComeTogether(t *testing.T) {
	c := DefaultConfig()
	c.HTML = html.Config{}
	c.MinLanguageScore = math.NaN()
	c.Languages = []string{"xx9"}
	c.OtherLanguageScore = 2
	err := c.Validate()
	for _, part := range []string{"MaxBytes", "least score of a language NaN", "xx9", "other languages 2"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not name %q", err, part)
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	var body strings.Builder
	for i := range 60 {
		fmt.Fprintf(&body, "<p>%s On day %d they counted %d boats. %s</p><div class=menu><a href=x>Next %d</a></div>", english, i, i*7,
			another, i)
	}
	c := DefaultConfig()
	c.Filters = chosen(b, "stopes", "cc-net")
	builder, err := NewBuilder(c, byWord{})
	if err != nil {
		b.Fatal(err)
	}
	record := page(body.String())
	b.SetBytes(int64(len(record.HTML)))
	b.ReportAllocs()
	for b.Loop() {
		if o := builder.Build(record); !o.Kept() {
			b.Fatal(o.Verdict)
		}
	}
}

// lineProbabilities is a LineClassifier, and a Classifier, by the numbers that texts begin with.
type lineProbabilities struct{}

func (lineProbabilities) ClassifyLines(texts []string) ([]maincontent.Part, string, string) {
	probabilities, taken := make([]float64, len(texts)), make([]bool, len(texts))
	for i, t := range texts {
		number, _, _ := strings.Cut(t, " ")
		probabilities[i], _ = strconv.ParseFloat(number, 64)
		taken[i] = probabilities[i] >= .3
	}
	return maincontent.Parts(probabilities, taken, .5)
}

// TestLines: the texts of pages are judged by their lines, others if that is asked for; a threshold decides
// in the place of the classifier, and sentences hold the probability.
func TestLines(t *testing.T) {
	text := ".9 " + english + "\n\n.4 " + another + "\n\n.1 The wheel had not turned since the miller left for the city."
	for _, test := range []struct {
		why       string
		bare, all bool
		threshold float64
		want      []float32
	}{
		{"a text", false, false, 0, []float32{1}},
		{"all texts", false, true, 0, []float32{.9, .4}},
		{"the text of a page", true, false, 0, []float32{.9, .4}},
		{"a threshold", true, false, .5, []float32{.9}},
		{"a low threshold", true, false, .05, []float32{.9, .4, .1}},
		{"a threshold that nothing reaches", true, false, .95, nil},
	} {
		o := builder(t, func(c *Config) {
			c.Lines, c.AllTexts, c.MainThreshold, c.Filters = lineProbabilities{}, test.all, test.threshold, nil
		}).Build(Record{Source: "a", Text: text, Bare: test.bare})
		var got []float32
		for _, s := range o.Document.Sentences {
			if n := len(got); n == 0 || got[n-1] != s.Main {
				got = append(got, s.Main)
			}
		}
		if test.want == nil && (o.Step != StepMainContent || o.Reason != maincontent.NoMainContent) || test.want != nil &&
			!slices.Equal(got, test.want) {
			t.Errorf("%s: %v, %+v, want %v", test.why, got, o.Verdict, test.want)
		}
	}
}
