package funnel

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func filled(t *testing.T) *Funnel {
	t.Helper()
	f := New(NewChain("documents", "read", "language", "quality"), NewChain("sentences", "length"))
	for _, err := range []error{
		f.Keep("documents", "eng", 3), f.Keep("documents", "deu", 1), f.Keep("documents", "deu", 0),
		f.Drop("documents", "und", "read", "empty", 2), f.Drop("documents", "eng", "quality", "short", 1),
		f.Drop("documents", "eng", "quality", "short", 1), f.Drop("documents", "eng", "quality", "symbols", 4),
		f.Keep("sentences", "deu-eng", 5),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func TestFunnelCounts(t *testing.T) {
	want := []Chain{
		{"documents", []Step{
			{
				"read",
				map[string]Count{"eng": {In: 9, Out: 9}, "deu": {In: 1, Out: 1}, "und": {In: 2, Dropped: map[string]int64{"empty": 2}}},
			},
			{"language", map[string]Count{"eng": {In: 9, Out: 9}, "deu": {In: 1, Out: 1}}},
			{
				"quality",
				map[string]Count{"eng": {In: 9, Out: 3, Dropped: map[string]int64{"short": 2, "symbols": 4}}, "deu": {In: 1, Out: 1}},
			},
		}},
		{"sentences", []Step{{"length", map[string]Count{"deu-eng": {In: 5, Out: 5}}}}},
	}
	f := filled(t)
	if diff := cmp.Diff(want, f.Chains); diff != "" {
		t.Error(diff)
	}
	if err := f.Check(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]int64{"eng": 3, "deu": 1}, f.Out("documents")); diff != "" {
		t.Error(diff)
	}
	if got := f.Out("pages"); got != nil {
		t.Errorf("a chain that is not there lets out %v", got)
	}
	if diff := cmp.Diff(Count{In: 12, Out: 10, Dropped: map[string]int64{"empty": 2}}, f.Chains[0].Steps[0].Total()); diff != "" {
		t.Error(diff)
	}
}

func TestFunnelMisuse(t *testing.T) {
	f := filled(t)
	before, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		err  error
		want string
	}{
		{f.Keep("pages", "eng", 1), `count items "pages": the funnel has no such chain`},
		{f.Drop("documents", "eng", "length", "x", 1), `count items "documents": the chain has no step "length"`},
		{f.Drop("documents", "eng", "quality", "", 1), `count a drop at step "quality": the reason is empty`},
		{f.Keep("documents", "eng", -1), `count items "documents": -1 of them`},
		{f.Add(New(NewChain("documents", "read", "language", "quality"))), "add funnels: 2 chains and 1"},
		{f.Add(New(NewChain("documents", "read"), NewChain("sentences", "length"))),
			`add funnels: chains "documents" of 3 steps and "documents" of 1 differ`},
		{f.Add(New(NewChain("pages", "read", "language", "quality"), NewChain("sentences", "length"))),
			`add funnels: chains "documents" of 3 steps and "pages"`},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("got %v, want %q", test.err, test.want)
		}
	}
	// The second chain differs: nothing of the first is added.
	other := New(NewChain("documents", "read", "language", "quality"), NewChain("sentences", "tokens"))
	if err := other.Keep("documents", "eng", 1); err != nil {
		t.Fatal(err)
	}
	if err := f.Add(other); err == nil || !strings.Contains(err.Error(), `steps "length" and "tokens" of sentences differ`) {
		t.Errorf("got %v", err)
	}
	after, err := json.Marshal(f)
	if err != nil || string(after) != string(before) {
		t.Errorf("calls that failed changed the funnel:\n%s\n%s", before, after)
	}
}

func TestFunnelCheckNamesEveryImbalance(t *testing.T) {
	at := func(f *Funnel, step int) *Step { return &f.Chains[0].Steps[step] }
	tests := []struct {
		name   string
		change func(*Funnel)
		want   []string
	}{
		{"balanced", func(*Funnel) {}, nil},
		{"in too many, passed on to the next", func(f *Funnel) { at(f, 0).add("eng", Count{In: 1}) },
			[]string{"funnel: documents step read, language eng: in 10, out 9, dropped 0"}},
		{"dropped too many", func(f *Funnel) { at(f, 2).add("eng", Count{Dropped: map[string]int64{"short": 1}}) },
			[]string{"funnel: documents step quality, language eng: in 9, out 3, dropped 7"}},
		{"a step gets more than it was passed", func(f *Funnel) { at(f, 1).add("deu", Count{In: 1, Out: 1}) },
			[]string{
				"funnel: documents step language, language deu: in 2, but step read passed on 1",
				"funnel: documents step quality, language deu: in 1, but step language passed on 2",
			}},
		{"a language that comes from nowhere", func(f *Funnel) { at(f, 2).add("fra", Count{In: 1, Out: 1}) },
			[]string{"funnel: documents step quality, language fra: in 1, but step language passed on 0"}},
		{"a language that is lost", func(f *Funnel) { delete(at(f, 2).Languages, "deu") },
			[]string{"funnel: documents step language passed on 1 in language deu, step quality got none"}},
		{"negative", func(f *Funnel) { f.Chains[1].Steps[0].add("fra", Count{In: -1, Out: -1}) },
			[]string{"funnel: sentences step length, language fra: a count is negative"}},
		{"two at once", func(f *Funnel) { at(f, 0).add("und", Count{In: 1}); f.Chains[1].Steps[0].add("deu-eng", Count{Out: 1}) },
			[]string{
				"documents step read, language und: in 3, out 0, dropped 2",
				"sentences step length, language deu-eng: in 5, out 6, dropped 0",
			}},
	}
	for _, test := range tests {
		f := filled(t)
		test.change(f)
		var got []string
		if err := f.Check(); err != nil {
			got = strings.Split(err.Error(), "\n")
		}
		if len(got) != len(test.want) {
			t.Errorf("%s: %d faults, want %d: %q", test.name, len(got), len(test.want), got)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], test.want[i]) {
				t.Errorf("%s: %q, want %q", test.name, got[i], test.want[i])
			}
		}
	}
}

// A funnel is the sum of its units, in any order, and survives JSON.
func TestFunnelAddAndJSON(t *testing.T) {
	sum := &Funnel{}
	for range 3 {
		data, err := json.Marshal(filled(t))
		if err != nil {
			t.Fatal(err)
		}
		var back Funnel
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(filled(t), &back); diff != "" {
			t.Errorf("JSON changes it:\n%s", diff)
		}
		if err := sum.Add(&back); err != nil {
			t.Fatal(err)
		}
		if err := back.Keep("documents", "eng", 100); err != nil { // the sum shares nothing with its parts
			t.Fatal(err)
		}
	}
	if err := sum.Check(); err != nil {
		t.Error(err)
	}
	if got, want := sum.Chains[0].Steps[2].Total(),
		(Count{In: 30, Out: 12, Dropped: map[string]int64{"short": 6, "symbols": 12}}); !cmp.Equal(
		got,
		want,
	) {
		t.Errorf("sum %+v, want %+v", got, want)
	}
	// Steps without a map of languages, as somebody else may write them.
	var bare Funnel
	if err := json.Unmarshal([]byte(`{"chains":[{"items":"documents","steps":[{"name":"read"}]}]}`), &bare); err != nil {
		t.Fatal(err)
	}
	if err := bare.Drop("documents", "eng", "read", "empty", 1); err != nil {
		t.Fatal(err)
	}
	if err := New().Add(&bare); err != nil {
		t.Error(err)
	}
}

func TestFunnelSuspicious(t *testing.T) {
	f := New(NewChain("a", "none", "some", "most", "all", "never reached"))
	for _, err := range []error{f.Drop("a", "eng", "some", "x", 41), f.Drop("a", "eng", "most", "x", 20),
		f.Drop("a", "deu", "most", "y", 18), f.Drop("a", "deu", "all", "z", 2)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	most, none := f.Suspicious()
	if diff := cmp.Diff([]Loss{{"a", "most", "x", 38, 40, 20}, {"a", "all", "z", 2, 2, 2}}, most); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a none"}, none); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkFunnelKeep(b *testing.B) {
	f := New(
		NewChain("documents", "read", "parse", "maincontent", "language", "quality"),
		NewChain("sentences", "language", "quality", "document"),
	)
	languages := []string{"eng", "deu", "zho_Hant", "eng-spa"}
	b.Run("same language", func(b *testing.B) {
		for b.Loop() {
			if err := f.Keep("sentences", "eng", 1); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("mixed", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if err := f.Keep("documents", languages[i%4], 1); err != nil {
				b.Fatal(err)
			}
			if err := f.Drop("sentences", languages[i%4], "quality", "too_short", 1); err != nil {
				b.Fatal(err)
			}
		}
	})
}
