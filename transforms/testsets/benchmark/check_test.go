package benchmark

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
)

// source is a task with labels, scores, pairs and rows without gold.
func source() (rows []schemas.Benchmark) {
	for i := range int32(20) {
		target, fold := float64(i%5), i%2
		r := schemas.Benchmark{
			Task: "sick", OriginalA: fmt.Sprintf("sentence %d", i), OriginalB: fmt.Sprintf("other %d", i), Split: "test", Fold: &fold,
			Row: i, File: "SICK/test.txt", LanguageA: "eng", LanguageB: "eng",
			TextA: fmt.Sprintf("Sentence %d", i), TextB: fmt.Sprintf("Other %d", i), Label: []string{"neutral", "entailment"}[i%2],
			Target: &target,
		}
		r.ID = ID(r.Task, r.File, i)
		if i == 7 {
			r.Label, r.Target, r.Skip = "", nil, true
		}
		rows = append(rows, r)
	}
	return rows
}

func translated(t *testing.T, rows []schemas.Benchmark) (out []schemas.Benchmark) {
	t.Helper()
	for _, r := range rows {
		row, err := Translate(r, "rus", "Предложение "+fmt.Sprint(r.Row), "Другое "+fmt.Sprint(r.Row))
		if err != nil {
			t.Fatal(err)
		}
		if err := row.Validate(); err != nil {
			t.Fatal(err)
		}
		out = append(out, row)
	}
	return out
}

// Each way to spoil a translation is found, and as nothing else.
func TestMutations(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(rows []schemas.Benchmark) []schemas.Benchmark
		want   []string // kinds, in the report's order
	}{
		{"none", func(r []schemas.Benchmark) []schemas.Benchmark { return r }, nil},
		{"drop a row", func(r []schemas.Benchmark) []schemas.Benchmark { return slices.Delete(r, 3, 4) }, []string{FaultMissing}},
		{"truncated", func(r []schemas.Benchmark) []schemas.Benchmark { return r[:18] }, []string{FaultMissing, FaultMissing}},
		{"repeat a row", func(r []schemas.Benchmark) []schemas.Benchmark { return slices.Insert(r, 4, r[3]) }, []string{FaultRepeated}},
		{"a row more", func(r []schemas.Benchmark) []schemas.Benchmark { x := r[19]; x.Row = 20; return append(r, x) },
			[]string{FaultExtra}},
		{"swap labels", func(r []schemas.Benchmark) []schemas.Benchmark {
			r[0].Label, r[1].Label = r[1].Label, r[0].Label
			return r
		}, []string{FaultLabel, FaultLabel}},
		{"swap scores", func(r []schemas.Benchmark) []schemas.Benchmark {
			r[0].Target, r[1].Target = r[1].Target, r[0].Target
			return r
		}, []string{FaultTarget, FaultTarget}},
		{"a score from nowhere", func(r []schemas.Benchmark) []schemas.Benchmark {
			r[7].Skip, r[7].Target = false, r[1].Target
			return r
		}, []string{FaultTarget, FaultSkip}},
		{"a score lost", func(r []schemas.Benchmark) []schemas.Benchmark { r[2].Target = nil; return r }, []string{FaultTarget}},
		{"wrong order", func(r []schemas.Benchmark) []schemas.Benchmark { r[4], r[5] = r[5], r[4]; return r }, []string{FaultOrder}},
		{"ids of others", func(r []schemas.Benchmark) []schemas.Benchmark { r[4].ID, r[5].ID = r[5].ID, r[4].ID; return r },
			[]string{FaultID, FaultID}},
		{"shifted by one", func(r []schemas.Benchmark) []schemas.Benchmark {
			for i := range r[:19] {
				r[i].OriginalA, r[i].OriginalB = r[i+1].OriginalA, r[i+1].OriginalB
			}
			return r[:3]
		}, append(slices.Repeat([]string{FaultMissing}, 17), FaultOriginal, FaultOriginal, FaultOriginal)},
		{"split", func(r []schemas.Benchmark) []schemas.Benchmark { r[0].Split = "train"; return r }, []string{FaultSplit}},
		{"fold", func(r []schemas.Benchmark) []schemas.Benchmark { r[0].Fold = nil; return r }, []string{FaultFold}},
		{"a tab", func(r []schemas.Benchmark) []schemas.Benchmark { r[0].TextA = "a\tb"; return r }, []string{FaultCharacters}},
		{"a line break", func(r []schemas.Benchmark) []schemas.Benchmark { r[0].TextB = "a\u0085b"; return r }, []string{FaultCharacters}},
		{"no-break space", func(r []schemas.Benchmark) []schemas.Benchmark { r[0].TextB = "a\u00a0b"; return r },
			[]string{FaultCharacters}},
		{"two spaces", func(r []schemas.Benchmark) []schemas.Benchmark { r[0].TextB = "a  b"; return r }, []string{FaultCharacters}},
		{"latin-1", func(r []schemas.Benchmark) []schemas.Benchmark { r[0].TextB = "caf\xe9"; return r }, []string{FaultEncoding}},
		{"decoded twice", func(r []schemas.Benchmark) []schemas.Benchmark { r[0].TextB = "ÐºÐ¾Ñ‚"; return r }, []string{FaultEncoding}},
		{"replaced", func(r []schemas.Benchmark) []schemas.Benchmark { r[0].TextB = "к\ufffdт"; return r }, []string{FaultEncoding}},
		{"empty", func(r []schemas.Benchmark) []schemas.Benchmark { r[0].TextA = " "; return r }, []string{FaultEmpty}},
		{"language", func(r []schemas.Benchmark) []schemas.Benchmark { r[0].LanguageB = "bul"; return r }, []string{FaultLanguage}},
		{"untranslated", func(r []schemas.Benchmark) []schemas.Benchmark {
			for i := range r[:9] {
				r[i].TextA = fmt.Sprintf("Sentence %d", i)
			}
			return r
		}, []string{FaultUntranslated}},
		{"untranslated originals", func(r []schemas.Benchmark) []schemas.Benchmark {
			for i := range r[:9] {
				r[i].TextA, r[i].OriginalA = fmt.Sprintf("sentence\u00a0%d ", i), ""
			}
			return r
		}, append(slices.Repeat([]string{FaultCharacters}, 9), FaultUntranslated)},
		{"another script", func(r []schemas.Benchmark) []schemas.Benchmark {
			for i := range r {
				r[i].TextA, r[i].TextB = fmt.Sprintf("句子 %d", i), fmt.Sprintf("其他 %d", i)
			}
			return r
		}, []string{FaultScript}},
		{"another script in most texts", func(r []schemas.Benchmark) []schemas.Benchmark {
			for i := range r {
				r[i].TextA = fmt.Sprintf("Zdanie %d", i)
			}
			for i := range r[:2] {
				r[i].TextB = fmt.Sprintf("Inne %d", i)
			}
			return r
		}, []string{FaultScript}},
		{"all alike", func(r []schemas.Benchmark) []schemas.Benchmark {
			for i := range r {
				r[i].TextA, r[i].TextB = "Одно и то же", "Одно и то же"
			}
			return r
		}, []string{FaultAlike}},
		{"names in Latin letters", func(r []schemas.Benchmark) []schemas.Benchmark {
			for i := range r {
				r[i].TextA = fmt.Sprintf("Microsoft Windows XP и %d", i) // all of one side, as in no real file
			}
			return r
		}, nil},
		{"rows without gold as they are", func(r []schemas.Benchmark) []schemas.Benchmark {
			r[7].TextA, r[7].TextB = r[7].OriginalA, r[7].OriginalB
			return r
		}, nil},
		{"order, label and text of a row without gold", func(r []schemas.Benchmark) []schemas.Benchmark {
			r[7].TextA, r[7].TextB, r[7].Label = r[7].OriginalA, "a\tb", "neutral"
			r[6], r[7] = r[7], r[6]
			return r
		}, []string{FaultOrder, FaultLabel, FaultCharacters}},
		{"some untranslated", func(r []schemas.Benchmark) []schemas.Benchmark { r[0].TextA = r[0].OriginalA; return r }, nil},
		{"another file", func(r []schemas.Benchmark) []schemas.Benchmark { r[0].File = "x"; return r }, []string{FaultMissing, FaultExtra}},
	} {
		checker, err := NewChecker(CheckConfig{MaxUntranslated: .2}, source())
		if err != nil {
			t.Fatal(err)
		}
		report := checker.Check("rus", c.change(translated(t, source())), "sick")
		var got []string
		for _, f := range report.Faults {
			got = append(got, f.Kind)
			if s := f.String(); strings.Contains(s, "\n") || !strings.HasPrefix(s, "sick rus: ") {
				t.Errorf("%s: %q is not one line", c.name, s)
			}
		}
		slices.SortFunc(got, func(a, b string) int { return slices.Index(faultKinds, a) - slices.Index(faultKinds, b) })
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q: %v", c.name, got, c.want, report.Faults)
		}
		if report.Summaries[0].Faults != len(c.want) {
			t.Errorf("%s: %d faults counted", c.name, report.Summaries[0].Faults)
		}
	}
}

// Where no row has gold the texts are there to be read: texts of one's own.
func TestTextsAlone(t *testing.T) {
	s := source()
	for i := range s {
		s[i].Label, s[i].Target, s[i].Skip = "", nil, true
	}
	checker, err := NewChecker(CheckConfig{MaxUntranslated: .2}, s)
	if err != nil {
		t.Fatal(err)
	}
	rows := translated(t, s)
	if report := checker.Check("rus", rows); len(report.Faults) != 0 || report.Summaries[0].Untranslated != 0 {
		t.Errorf("%+v", report)
	}
	for i := range rows {
		rows[i].TextA, rows[i].TextB = s[i].TextA, s[i].TextB
	}
	if report := checker.Check("rus", rows); len(report.Faults) == 0 || report.Summaries[0].Untranslated == 0 {
		t.Errorf("%+v", report)
	}
}

// A row without gold is in no share: neither of the texts that are the source's, nor of all.
func TestWithoutGold(t *testing.T) {
	s := source()
	for i := range s {
		if s[i].Skip = i%2 == 1; s[i].Skip {
			s[i].Label, s[i].Target = "", nil
		}
	}
	checker, err := NewChecker(CheckConfig{MaxUntranslated: .2}, s)
	if err != nil {
		t.Fatal(err)
	}
	rows := translated(t, s)
	for i := range rows {
		if rows[i].Skip || i < 4 {
			rows[i].TextA, rows[i].TextB = s[i].TextA, s[i].OriginalB
		}
	}
	report := checker.Check("rus", rows)
	if got := report.Summaries[0]; got.Untranslated != 4 || got.Same != 20 || got.Skipped != 10 || len(report.Faults) != 0 {
		t.Errorf("%+v %v", got, report.Faults)
	}
	rows[6].TextA = s[6].TextA
	if got := fmt.Sprint(checker.Check(
		"rus", rows).Faults); got != "[sick rus: SICK/test.txt: untranslated: 5 of 20 texts are the source's]" {
		t.Error(got)
	}
}

// Faults that were found elsewhere are counted with the others, and their rows are not
// the source's.
func TestFoundElsewhere(t *testing.T) {
	checker, err := NewChecker(DefaultCheckConfig(), source())
	if err != nil {
		t.Fatal(err)
	}
	c := checker.Compare("rus")
	for _, row := range []int32{3, 3, -1} {
		c.Fault(Fault{"sick", "rus", "SICK/test.txt", row, FaultLine, "x"})
	}
	for _, r := range translated(t, source()) {
		c.Row(r)
	}
	if r := c.Report(); r.Summaries[0].Same != 19 || r.Summaries[0].Faults != 3 {
		t.Errorf("%+v", r.Summaries)
	}
}

// Rows in any order find theirs in a source in any order.
func TestFind(t *testing.T) {
	s := source()
	slices.Reverse(s)
	checker, err := NewChecker(CheckConfig{MaxUntranslated: 1}, s)
	if err != nil {
		t.Fatal(err)
	}
	rows := translated(t, source())
	if r := checker.Check("rus", rows); len(r.Faults) != 0 || r.Summaries[0].Same != 20 {
		t.Errorf("%+v", r)
	}
}

func TestReport(t *testing.T) {
	checker, err := NewChecker(DefaultCheckConfig(), source())
	if err != nil {
		t.Fatal(err)
	}
	rows := translated(t, source())
	for i := range rows {
		rows[i].Split = "dev"
	}
	report := checker.Check("rus", rows)
	if len(report.Faults) != 5 || report.More != 15 {
		t.Errorf("%d faults, %d more", len(report.Faults), report.More)
	}
	if got, want := report.Faults[0].String(), `sick rus: SICK/test.txt row 0: split: split "dev", the source has "test"`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	want := "task  language  source  rows  same  no gold  untranslated  faults\n" +
		"sick  rus           20    20     0        1             0      20\n"
	if got := SummaryTable(report.Summaries); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	// A task without a row is missing only where it was asked for.
	if r := checker.Check("rus", nil); len(r.Faults) != 0 || len(r.Summaries) != 0 {
		t.Errorf("got %v", r)
	}
	if r := checker.Check("rus", nil, "sick"); len(r.Faults)+r.More != 20 || r.Summaries[0].Source != 20 {
		t.Errorf("got %v", r)
	}
}

func TestCheckerErrors(t *testing.T) {
	twice := append(source(), source()[3])
	if _, err := NewChecker(DefaultCheckConfig(), twice); err == nil || !strings.Contains(err.Error(), "has row 3 of task sick twice") {
		t.Errorf("got %v", err)
	}
	bad := source()
	bad[0].ID = ""
	if _, err := NewChecker(DefaultCheckConfig(), bad); err == nil {
		t.Error("an invalid source passes")
	}
	if _, err := NewChecker(CheckConfig{Most: -1, MaxUntranslated: 2}, nil); err == nil {
		t.Error("an invalid configuration passes")
	}
}

func TestTranslateErrors(t *testing.T) {
	s := source()[0]
	s.OriginalA, s.OriginalB = "", ""
	row, err := Translate(s, "rus", "а", "б")
	if err != nil || row.ID != s.ID || row.OriginalA != s.TextA || row.OriginalB != s.TextB || row.LanguageB != "rus" ||
		row.Label != s.Label {
		t.Errorf("got %+v, %v", row, err)
	}
	if again, err := Translate(row, "rus", "а", "б"); err != nil || again.OriginalA != row.OriginalA || again.OriginalB != row.OriginalB ||
		again.TextA != "а" {
		t.Errorf("a translation of a translation: %+v, %v; want the first originals", again, err)
	}
	for want, f := range map[string]func() error{
		"the language is empty": func() error { _, err := Translate(s, "", "а", "б"); return err },
		`the translation ""`:    func() error { _, err := Translate(s, "rus", "а", ""); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
