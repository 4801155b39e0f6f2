package filters

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/transforms/clean/characters"
	"sentweave/transforms/filters/choice"
)

// sentence judges a sentence by one filter with its defaults.
func sentence(t testing.TB, f Filter, text, language string) (string, float64) {
	t.Helper()
	var c characters.Counts
	c.Add(text)
	reason, measure := f.New().Sentence(text, language, &c)
	return known(t, f, reason), measure
}

// judge judges a document by one filter with its defaults.
func judge(t testing.TB, f Filter, d *Document) (string, float64) {
	t.Helper()
	var v Verdict
	f.New().Document(d, &v)
	return known(t, f, v.Reason), v.Measure
}

// known fails a test if a filter gives a reason that is not one of its own.
func known(t testing.TB, f Filter, reason string) string {
	t.Helper()
	if reason != "" && !slices.Contains(f.Reasons, reason) {
		t.Errorf("%s gives the reason %q, which it does not list", f.Name, reason)
	}
	return reason
}

// document has one sentence a text; an empty text starts another block. Its language
// is sure.
func document(texts ...string) *Document {
	page := NewChain(nil).Page()
	block := int32(0)
	for _, text := range texts {
		if text == "" {
			block++
			continue
		}
		page.Sentence(text, "eng", block)
	}
	page.Document("eng", 1, true)
	return &page.document
}

// prose is a document that no rule drops.
var prose = []string{
	"The river rose in the night, and by morning the lower road was gone.",
	"Men stood on the bridge and counted what the water carried past them.",
	"", "Nobody had slept, though the baker opened his shop at the usual hour.",
	"He said that bread is needed most when everything else has failed.",
}

// Names, reasons and settings tell filters apart; defaults are within their bounds.
func TestAll(t *testing.T) {
	seen := map[string]string{choice.NoFilter: "no filter"}
	once := func(what, name, owner, pattern string) {
		t.Helper()
		if other, ok := seen[name]; ok {
			t.Errorf("%s %q of %s is one of %s, too", what, name, owner, other)
		}
		if !regexp.MustCompile(`^` + pattern + `$`).MatchString(name) {
			t.Errorf("%s %q of %s is not like %s", what, name, owner, pattern)
		}
		seen[name] = owner
	}
	for _, f := range List {
		once("name", f.Name, f.Name, `[a-z0-9]+(-[a-z0-9]+)*`)
		for _, reason := range f.Reasons {
			once("reason", reason, f.Name, `[a-z0-9]+(_[a-z0-9]+)*`)
		}
		rules := f.New()
		if f.Drops == "" || f.Source == "" || len(f.Reasons) == 0 || rules.Sentence == nil && rules.Document == nil {
			t.Errorf("%s does not say what it drops, for which reasons or who published it, or it drops nothing", f.Name)
		}
		for _, s := range rules.Settings {
			once("setting", s.Name, f.Name, `[a-z0-9]+(-[a-z0-9]+)*`)
			if !strings.HasSuffix(s.Help, ".") {
				t.Errorf("the help of %s is %q", s.Name, s.Help)
			}
			if s.Get() == nil {
				t.Errorf("%s is a %T: want an *int or a *float64", s.Name, s.Value)
			}
			if err := s.Set(""); err == nil {
				t.Errorf("%s takes an empty text", s.Name)
			}
		}
		if rules.Validate != nil {
			if err := rules.Validate(); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
	}
}

func TestChoose(t *testing.T) {
	type settings map[string]string
	tests := []struct {
		names    string
		settings settings
		want     []string // of the error; none for no error
	}{
		{"stopes,cc-net,c4,gopher-repetition", settings{"min-characters": "0", "max-characters": "20", "min-sentences": "3"}, nil},
		{"c4,stopes", nil, nil},
		{"none", nil, nil},
		{"", nil, nil},
		{"stope", nil, []string{`"stope" is not a filter`, "stopes, cc-net, c4, gopher-repetition"}},
		{"stopes,c4,stopes", nil, []string{"stopes occurs twice"}},
		{"stopes,none", nil, []string{"none stands alone"}},
		{"none", settings{"min-sentences": "2"},
			[]string{"min-sentences has no effect without the filter cc-net", "which are stopes, cc-net, c4"}},
		{"stopes", settings{"min-sentence": "2"}, []string{"min-sentence is a setting of no filter"}},
		{"stopes", settings{"min-characters": "ten"}, []string{"min-characters ten: want a whole number"}},
		{"stopes", settings{"min-characters": "-1"}, []string{"min-characters -1: want a whole number of at least 0"}},
		{"stopes", settings{"min-characters": "30", "max-characters": "29"}, []string{"max-characters 29: want at least 30"}},
		{"stopes", settings{"min-characters": "0", "max-characters": "0"}, []string{"max-characters 0: want at least 1"}},
		{"stop,cc-net,cc-net", settings{"min-sentences": "x", "max-characters": "5"},
			[]string{`"stop"`, "cc-net occurs twice", "min-sentences x",
				"max-characters has no effect without the filter stopes"}}, // all at once
	}
	for _, tt := range tests {
		var names []string
		if tt.names != "" {
			names = strings.Split(tt.names, ",")
		}
		list, err := List.Choose(names, tt.settings)
		if tt.want == nil {
			if wanted := len(names) - strings.Count(tt.names, choice.NoFilter); err != nil || len(list) != wanted {
				t.Errorf("%s %v: %d filters, %v", tt.names, tt.settings, len(list), err)
			}
		}
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %v: the error lacks %q: %v", tt.names, tt.settings, want, err)
			}
		}
	}
}

func TestSetting(t *testing.T) {
	n, x := 3, .5
	tests := []struct {
		value any
		text  string
		want  any // nil for an error
	}{
		{&n, "7", 7}, {&n, "0", 0}, {&n, "-1", nil}, {&n, "1.5", nil}, {&n, "", nil}, {&n, "99999999999999999999", nil},
		{&x, "0.25", .25}, {&x, "1", 1.}, {&x, "1e-1", .1}, {&x, "1.01", nil}, {&x, "-0.1", nil}, {&x, "NaN", nil}, {&x, "", nil},
	}
	for _, tt := range tests {
		s := Setting{Name: "limit", Value: tt.value}
		before := s.Get()
		switch err := s.Set(tt.text); {
		case tt.want == nil && (err == nil || s.Get() != before):
			t.Errorf("%q: %v, %v; want an error", tt.text, s.Get(), err)
		case tt.want != nil && (err != nil || s.Get() != tt.want):
			t.Errorf("%q: %v, %v; want %v", tt.text, s.Get(), err, tt.want)
		}
	}
}

// Filters run in the order of List, however a user names them.
func TestOrder(t *testing.T) {
	text := "Use JavaScript"
	for names, want := range map[string]string{"stopes,c4": reasonTooShort, "c4,stopes": reasonTooShort, "c4": reasonJavaScript,
		"none": ""} {
		list, err := List.Choose(strings.Split(names, ","), map[string]string{})
		if strings.Contains(names, "stopes") {
			list, err = List.Choose(strings.Split(names, ","), map[string]string{"min-characters": "20"})
		}
		if err != nil {
			t.Fatal(err)
		}
		if reason, _ := NewChain(list).Page().Sentence(text, "eng", 0); reason != want {
			t.Errorf("%s: %q, want %q", names, reason, want)
		}
	}
}

// Pages are reused and used by many goroutines; a page knows nothing of the one before.
func TestChain(t *testing.T) {
	c := NewChain(List.Default())
	tests := []struct {
		texts   []string
		kept    int
		reason  string
		measure float64
		sure    bool
	}{
		{texts: prose, kept: 4, sure: true},
		{texts: prose, kept: 4, reason: reasonLanguageScore, measure: .25},
		{texts: []string{prose[0], "Too brief", prose[0], prose[0]}, kept: 3, reason: reasonDuplicateSentences, measure: 2. / 3,
			sure: true},
		{texts: []string{"Too brief"}, reason: ReasonFewSentences, sure: true},
		{reason: ReasonFewSentences, sure: true},
	}
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 200 {
				tt := tests[(i+j)%len(tests)]
				page, kept := c.Page(), 0
				for _, text := range tt.texts {
					if reason, _ := page.Sentence(text, "eng", 0); text != "" && reason == "" {
						kept++
					}
				}
				reason, measure := page.Document("eng", .25, tt.sure)
				if kept != tt.kept || reason != tt.reason || measure != tt.measure {
					t.Errorf("%q: %d sentences, %q (%v); want %d, %q (%v)", tt.texts, kept, reason, measure, tt.kept, tt.reason, tt.measure)
				}
				page.Close()
			}
		})
	}
	group.Wait()
}

// Filters see hundreds of millions of sentences.
func TestNoAllocation(t *testing.T) {
	c := every()
	run := func() {
		page := c.Page()
		for i, text := range prose {
			page.Sentence(text, "eng", int32(i))
			page.Sentence("委员会星期四再次开会，没有人睡过觉。", "zho_Hant", int32(i))
		}
		page.Document("eng", 1, true)
		page.Close()
	}
	run()
	if n := testing.AllocsPerRun(100, run); n >= 1 { // the collector may empty a pool
		t.Errorf("%v allocations a document, want none", n)
	}
	// Each filter by itself, since the chain stops at the first that drops.
	d := document(prose...)
	var counts characters.Counts
	var verdict Verdict
	counts.Add(prose[0])
	for _, f := range List {
		rules := f.New()
		judge := func() {
			if rules.Sentence != nil {
				rules.Sentence(prose[0], "eng", &counts)
			}
			if rules.Document != nil {
				rules.Document(d, &verdict)
			}
		}
		if n := testing.AllocsPerRun(100, judge); n >= 1 {
			t.Errorf("%s: %v allocations, want none", f.Name, n)
		}
	}
}

func TestBlocks(t *testing.T) {
	var got []string
	for block := range document("a", "b", "", "", "c", "", "d", "e").blocks {
		var texts []string
		for _, s := range block {
			texts = append(texts, s.Text)
		}
		got = append(got, strings.Join(texts, " "))
	}
	if diff := cmp.Diff([]string{"a b", "c", "d e"}, got); diff != "" {
		t.Error(diff)
	}
}
