package pairfilters

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sentweave/transforms/clean/langid"
	"sentweave/transforms/filters/choice"
)

// Names, reasons, settings and measures tell filters apart; each filter has the reasons of its rules.
func TestList(t *testing.T) {
	seen := map[string]string{choice.NoFilter: "no filter"}
	once := func(what, name, owner, pattern string) {
		t.Helper()
		if other, ok := seen[what+name]; ok || !regexp.MustCompile(`^`+pattern+`$`).MatchString(name) {
			t.Errorf("%s %q of %s is one of %q, too, or not like %s", what, name, owner, other, pattern)
		}
		seen[what+name] = owner
	}
	for _, f := range List {
		once("name", f.Name, f.Name, `[a-z0-9]+(-[a-z0-9]+)*`)
		rules, reasons := f.New(), []string(nil)
		for _, r := range rules.Rules {
			once("reason", r.Reason, f.Name, `[a-z0-9]+(_[a-z0-9]+)*`)
			reasons = append(reasons, r.Reason)
			if r.Drops(&Pair{}, math.NaN()) {
				t.Errorf("%s drops pairs to which it does not apply", r.Reason)
			}
		}
		if !slices.Equal(reasons, f.Reasons) || f.Drops == "" || f.Source == "" || rules.Check() != nil {
			t.Errorf("%s has the reasons %q, its rules %q; or it says not what it drops, or its thresholds are wrong", f.Name, f.Reasons,
				reasons)
		}
		for _, s := range rules.Settings {
			once("setting", s.Name, f.Name, `[a-z0-9]+(-[a-z0-9]+)*`)
			if s.Get() == nil || !strings.HasSuffix(s.Help, ".") || s.Set("") == nil {
				t.Errorf("the setting %s has no value or no help, or takes an empty text", s.Name)
			}
		}
	}
	for _, p := range Presets {
		if _, err := List.Choose(append(slices.Clone(p.Filters), "language"), p.Settings); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}

// TestShares reads shares by language, and says them again.
func TestShares(t *testing.T) {
	for text, want := range map[string]string{"0.3": "0.3", "isl=.2,0.3": "0.3,isl=0.2", "de=0": "0.5,deu=0", "2": "", "xx=.1": "",
		"isl": ""} {
		s := choice.Shares{All: .5}
		if err := s.UnmarshalText([]byte(text)); (err == nil) != (want != "") || err == nil && s.String() != want {
			t.Errorf("%q: %s, %v; want %q", text, s, err, want)
		}
	}
	s := choice.Shares{All: .5, ByLanguage: map[string]float64{"zho": .2, "zho_Hant": .1}}
	if s.Of("zho_Hans") != .2 || s.Of("zho_Hant") != .1 || s.Of("deu") != .5 {
		t.Errorf("%v, %v, %v", s.Of("zho_Hans"), s.Of("zho_Hant"), s.Of("deu"))
	}
}

// stub identifies a text as what stands before its first point.
type stub struct{ langid.Identifier }

func (stub) Identify(text string) (string, float32) {
	code, _, _ := strings.Cut(text, ".")
	return code, .6
}

func (stub) Knows(code string) bool { return code != "tlh" }

func TestLanguage(t *testing.T) {
	tests := []struct {
		a, b, codeB, settings string
		want                  float64
		dropped               bool
	}{
		{"eng. x", "deu. x", "deu", "0.5", .6000000238418579, false},
		{"eng. x", "deu. x", "deu", "0.7", .6000000238418579, true},
		{"eng. x", "deu. x", "deu", "0.7,deu=0.1,eng=0.6", .6000000238418579, false},
		{"eng. x", "eng. x", "deu", "0.5", 0, true},
		{"eng. x", "nds. x", "tlh", "0.5", .6000000238418579, false},
		{"1", "2", "deu", "0.5", math.NaN(), false},
	}
	for _, tt := range tests {
		rules, err := List.Choose([]string{"language"}, map[string]string{"min-language": tt.settings})
		if err != nil {
			t.Fatal(err)
		}
		p := load(tt.a, tt.b, "eng", tt.codeB)
		p.Identifier = stub{}
		reason, measure := NewChain(rules).Judge(p)
		x := rules[0].Rules[0].Of(p)
		if (reason != "") != tt.dropped || tt.dropped && measure != tt.want ||
			x != tt.want && !math.IsNaN(tt.want) {
			t.Errorf("%q, %q by %s: %q, %v, %v", tt.a, tt.b, tt.settings, reason, measure, x)
		}
	}
}

// What says that a pair passes says so of no pair that is dropped.
func FuzzPasses(f *testing.F) {
	f.Add("The gothic cat sat on the mat", "The Gothic cat sat on the mat.")
	f.Add("abcabcabc", "xabcabcabcx")
	f.Add("", "é")
	f.Fuzz(func(t *testing.T, a, b string) {
		p := load(strings.ToValidUTF8(a, "x"), strings.ToValidUTF8(b, "y"))
		for _, r := range Measuring().rules {
			x := r.Of(p)
			if math.IsInf(x, 0) || x < 0 || r.Passes != nil && r.Passes(p) && r.Drops(p, x) {
				t.Errorf("%s of %q, %q: %v passes, and is dropped", r.Measure, a, b, x)
			}
		}
	})
}

var texts = [][2]string{
	{"A man crosses the street in 1995, as a child calls out (twice) to him.",
		"Ein Mann fährt 1995 über die Straße, als ein Kind ihn ruft (zweimal)."},
	{"A man crosses the street.", "A man crosses the street!"},
	{"Мужчина идёт через улицу.", "一个男人正在过马路。"},
}

func TestNoAllocation(t *testing.T) {
	p, all := &Pair{}, Measuring()
	judge := func() {
		for _, text := range texts {
			p.Load(text[0], "eng", text[1], "zho_Hans")
			for i := range all.rules {
				r := &all.rules[i]
				if r.Passes == nil || !r.Passes(p) {
					r.Drops(p, r.Of(p))
				}
			}
		}
	}
	judge() // which makes room
	if n := testing.AllocsPerRun(20, judge); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkJudge(b *testing.B) {
	for _, set := range append([]Preset{{Name: "default", Filters: List.Names(func(f Filter) bool { return f.Default })}}, Presets...) {
		delete(set.Settings, "min-language")
		rules, err := List.Choose(set.Filters, set.Settings)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(set.Name, func(b *testing.B) {
			p, chain := &Pair{}, NewChain(rules)
			b.SetBytes(int64(len(texts[0][0]) + len(texts[0][1])))
			b.ReportAllocs()
			for b.Loop() {
				p.Load(texts[0][0], "eng", texts[0][1], "deu")
				chain.Judge(p)
			}
		})
	}
}
