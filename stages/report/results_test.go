package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"sentweave/schemas"
)

// retrieved gives the rows that the task retrieval makes of two languages.
func retrieved(model string, there, back, same float64) []schemas.Result {
	spread := .02
	base := schemas.Result{Model: model, Task: "retrieval", N: 400, Settings: "{}", Spread: &spread}
	row := func(subtask, language, metric string, value float64, settings string) schemas.Result {
		r := base
		r.Subtask, r.Language, r.Metric, r.Value, r.Settings = subtask, language, metric, value, settings
		return r
	}
	return []schemas.Result{
		row("eng-fra", "eng-fra", "accuracy", there, "{}"),
		row("fra-eng", "fra-eng", "accuracy", back, "{}"),
		row("mean", "", "accuracy", (there+back)/2, `{"low":0.1,"high":0.95,"directions":2,"paragraphs":400}`),
		row("mean", "", "text_accuracy", there, "{}"),
		row("eng", "eng", "same_language", same, `{"chance":0.4}`),
		row("mean", "", "same_language", same, `{"chance":0.4}`),
	}
}

// models are those of the demo in another order than that of its rows.
func models() []Model {
	return []Model{{"untrained", "Untrained encoder", true}, {"char3", "", true}, {"bag", "", false}, {"cmlm", "", false}, {"cmlm_br", "", false}, {"cmlm_br_views", "", false}, {"cmlm_br_pcr", "", false}}
}

func demo() []schemas.Result {
	var rows []schemas.Result
	rows = append(rows, retrieved("cmlm_br", .9, .8, .2)...)
	rows = append(rows, retrieved("untrained", .6, .5, .7)...)
	rows = append(rows, retrieved("cmlm", .4, .3, .75)...)
	rows = append(rows, retrieved("bag", .95, .93, .1)...)
	rows = append(rows, retrieved("char3", .7, .7, .3)...)
	rows = append(rows, retrieved("cmlm_br_views", .92, .84, .1)...)
	rows = append(rows, retrieved("cmlm_br_pcr", .91, .83, .1)...)
	spread := .01
	return append(rows, schemas.Result{Model: "bag", Task: "stsb", Subtask: "all", Language: "eng", Metric: "spearman", Value: .51234, N: 1379, Spread: &spread, Settings: "{}"})
}

func TestRetrieval(t *testing.T) {
	r, err := newRetrieval(demo(), models())
	if err != nil {
		t.Fatal(err)
	}
	b := r.accuracyBars()
	if len(b.Bars) != 7 || b.Bars[0].Name != "Untrained encoder" || !b.Bars[0].Muted || b.Bars[4].Value != .8500000000000001 || b.Bars[4].Low != .1 || b.Bars[4].High != .95 {
		t.Errorf("%+v", b.Bars)
	}
	if b.Axis.Label != "accuracy, mean over 2 directions of 400 paragraphs" {
		t.Error(b.Axis.Label)
	}
	if s := r.sameLanguageBars(); s.Levels[0].Value != .4 || math.Abs(s.Bars[0].Low-.68) > 1e-12 || math.Abs(s.Bars[0].High-.72) > 1e-12 {
		t.Errorf("%+v: the spread is the half width where the settings have no ends", s)
	}
	d := r.directionTable()
	if len(d.Rows) != 3 || d.Rows[0][0].Text != "eng\u00a0→\u00a0fra" || d.Rows[2][0].Text != "mean" || !d.Rows[0][3].Strong || d.Rows[0][1].Strong {
		t.Errorf("%+v", d.Rows)
	}
	if got := fmt.Sprint(r.table().Rows[0]); got != "[{Untrained encoder  false} {55.0 10.0 to 95.0 false} {60.0 58.0 to 62.0 false} {70.0 68.0 to 72.0 false}]" {
		t.Error(got)
	}
	if n := len(r.sameLanguageTable().Rows); n != 2 {
		t.Errorf("%d rows of languages", n)
	}
}

func TestSummary(t *testing.T) {
	rows := append(retrieved("b", .6, .5, .7), retrieved("a", .9, .8, .2)...)
	spread := .01
	rows = append(rows,
		schemas.Result{Model: "a", Task: "stsb", Subtask: "all", Language: "eng", Metric: "spearman", Value: .5, N: 1379, Spread: &spread, Settings: "{}"},
		schemas.Result{Model: "a", Task: "cmlm_prefix", Subtask: "own", Metric: "loss", Value: math.Inf(1), N: 9, Settings: "{}"})
	e := experiment{Results: rows, WallSeconds: 311.5, PeakRSSBytes: 1 << 30, Speeds: []speed{{"one", 60, 30, 1000, .5, 7}}}
	s, err := e.summary()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if n, err := s.WriteTo(&out); err != nil || int(n) != out.Len() {
		t.Fatal(n, err)
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	results, _ := got["results"].([]any)
	delete(got, "results")
	want := map[string]any{
		"retrieval": map[string]any{"a": .85, "b": .55}, "same_language_share": map[string]any{"a": .2, "b": .7}, "n": 400.,
		"training":     []any{map[string]any{"period": "one", "steps": 60., "seconds": 30., "tokens": 1000.}},
		"wall_seconds": 311.5, "peak_rss_bytes": float64(1 << 30),
	}
	if !near(got, want) {
		t.Errorf("%s", out.String())
	}
	if len(results) != 14 || !near(results[2], map[string]any{"model": "b", "task": "retrieval", "subtask": "mean", "metric": "accuracy", "value": .55, "n": 400., "low": .1, "high": .95}) ||
		!near(results[12], map[string]any{"model": "a", "task": "stsb", "subtask": "all", "language": "eng", "metric": "spearman", "value": .5, "n": 1379., "low": .49, "high": .51}) ||
		!near(results[13], map[string]any{"model": "a", "task": "cmlm_prefix", "subtask": "own", "metric": "loss", "value": nil, "n": 9.}) {
		t.Errorf("%v", results)
	}
	// What is not known is left out.
	out.Reset()
	if s, err = (experiment{}).summary(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.WriteTo(&out); err != nil || out.String() != "{}\n" {
		t.Errorf("%s, %v", out.String(), err)
	}
	if err := (Summary{Retrieval: map[string]float64{"a": 85}, WallSeconds: math.Inf(1)}).Validate(); err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Error(err)
	}
}

// near compares JSON with numbers to 12 digits.
func near(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && math.Abs(a-b) < 1e-12*max(1, math.Abs(b))
	case map[string]any:
		b, ok := b.(map[string]any)
		for k := range a {
			ok = ok && near(a[k], b[k])
		}
		return ok && len(a) == len(b)
	case []any:
		b, ok := b.([]any)
		for i := range a {
			ok = ok && i < len(b) && near(a[i], b[i])
		}
		return ok && len(a) == len(b)
	default:
		return a == b
	}
}

func TestCollectFaults(t *testing.T) {
	twice := append(demo(), demo()[0])
	if _, err := newRetrieval(twice, nil); err == nil || !strings.Contains(err.Error(), `model "cmlm_br" has two results for accuracy of retrieval eng-fra`) {
		t.Error(err)
	}
	if _, err := newRetrieval(demo(), []Model{{Key: "bag"}, {Key: "bag"}}); err == nil || !strings.Contains(err.Error(), `model "bag" is listed twice`) {
		t.Error(err)
	}
	r, err := newRetrieval(nil, models())
	if err != nil || len(r.Models()) != 0 {
		t.Error(err)
	}
	check(t, page(t, Report{Title: "t", Sections: []Section{{"s", []Block{r.accuracyBars(), r.sameLanguageBars(), r.table(), r.directionTable(), r.sameLanguageTable()}}}}))
}

func TestResultTable(t *testing.T) {
	rows := []schemas.Result{
		{Model: "a", Task: "stsb", Subtask: "all", Language: "eng", Metric: "spearman", Value: .5, N: 1379, Settings: "{}"},
		{Model: "b", Task: "stsb", Subtask: "all", Language: "eng", Metric: "spearman", Value: .25, N: 1000, Settings: "no JSON"},
		{Model: "b", Task: "stsb", Subtask: "all", Language: "eng", Metric: "pearson", Value: math.NaN(), N: 7, Settings: "{}"},
	}
	table, err := resultTable("c", rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "[[{stsb  false} {all  false} {eng  false} {spearman  false} {1,000 to 1,379  false} {0.5000  true} {0.2500  false}]" +
		" [{stsb  false} {all  false} {eng  false} {pearson  false} {7  false} {–  false} {not a number  false}]]"
	if got := fmt.Sprint(table.Rows); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestExperiment(t *testing.T) {
	e := experiment{
		Title: "Demo", Results: demo(), Models: models(), Headline: "cmlm_br", WallSeconds: 311, PeakRSSBytes: 1 << 30,
		Losses:   steps("one", 60, func(i int) map[string]float64 { return map[string]float64{"cmlm": 9 / float64(i+1)} }),
		Speeds:   []speed{{"one", 60, 30, 1000, 0, 0}},
		Prefix:   []prefixEffect{{"planted", 9, "words", 1, 2, 3, 1.5}},
		Plots:    []Scatter{{Title: "before", Groups: []string{"eng"}, Dots: []Dot{{1, 1, 0, 0, ""}}}},
		Settings: []Fact{{"seed", "1", ""}},
	}
	r, err := e.Report()
	if err != nil {
		t.Fatal(err)
	}
	root := check(t, page(t, r))
	want := "Cross-lingual retrieval\nDirection by direction\nLanguage in the vectors\nWhat CMLM's prefix tells\nTraining\nOther tasks\nSettings"
	if got := textOf(root, "h2"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if facts := textOf(root, "dl"); !strings.Contains(facts, "85.0 %") || !strings.Contains(facts, "95 % interval 10.0 to 95.0") || !strings.Contains(facts, "400") {
		t.Error(facts)
	}
	r, err = experiment{Title: "empty"}.Report()
	if err != nil || len(r.Sections) != 0 || len(r.Facts) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
