package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/stages/report/markup"
	"sentweave/stages/report/markup/markuptest"
	"sentweave/stages/report/trainings"
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
	return []Model{{"untrained", "Untrained encoder", true}, {"char3", "", true}, {"bag", "", false}, {"cmlm", "", false},
		{"cmlm_br", "", false}, {"cmlm_br_views", "", false}, {"cmlm_br_pcr", "", false}}
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
	return append(rows, schemas.Result{Model: "bag", Task: "stsb", Subtask: "all", Language: "eng", Metric: "spearman", Value: .51234,
		N: 1379, Spread: &spread, Settings: "{}"})
}

func TestRetrieval(t *testing.T) {
	r, err := newRetrieval(demo(), models())
	if err != nil {
		t.Fatal(err)
	}
	b := r.accuracyBars()
	if len(b.Bars) != 7 || b.Bars[0].Name != "Untrained encoder" || !b.Bars[0].Muted || b.Bars[4].Value != .8500000000000001 ||
		b.Bars[4].Low != .1 || b.Bars[4].High != .95 {
		t.Errorf("%+v", b.Bars)
	}
	if b.Axis.Label != "accuracy, mean over 2 directions of 400 texts" {
		t.Error(b.Axis.Label)
	}
	if s := r.sameLanguageBars(); s.Levels[0].Value != .4 || math.Abs(s.Bars[0].Low-.68) > 1e-12 || math.Abs(s.Bars[0].High-.72) > 1e-12 {
		t.Errorf("%+v: the spread is the half width where the settings have no ends", s)
	}
	d := r.directionTable()
	if len(d.Rows) != 3 || d.Rows[0][0].Text != "eng\u00a0→\u00a0fra" || d.Rows[2][0].Text != "mean" || !d.Rows[0][3].Strong ||
		d.Rows[0][1].Strong {
		t.Errorf("%+v", d.Rows)
	}
	if got := fmt.Sprint(r.table().Rows[0]); got != "[{Untrained encoder  false 0} {55.0 10.0 to 95.0 false 0} {60.0 58.0 to 62.0 false 0} {70.0 68.0 to 72.0 false 0}]" {
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
		schemas.Result{Model: "a", Task: "stsb", Subtask: "all", Language: "eng", Metric: "spearman", Value: .5, N: 1379, Spread: &spread,
			Settings: "{}"},
		schemas.Result{Model: "a", Task: "cmlm_prefix", Subtask: "own", Metric: "loss", Value: math.Inf(1), N: 9, Settings: "{}"})
	e := experiment{Results: rows, WallSeconds: 311.5, PeakRSSBytes: 1 << 30,
		Speeds: []trainings.Speed{{Period: "one", Steps: 60, Seconds: 30, Tokens: 1000, Waiting: .5, PeakRSS: 7}}}
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
	if len(results) != 14 || !near(
		results[2], map[string]any{"model": "b", "task": "retrieval", "subtask": "mean", "metric": "accuracy", "value": .55, "n": 400.,
			"low": .1, "high": .95}) ||
		!near(results[12], map[string]any{"model": "a", "task": "stsb", "subtask": "all", "language": "eng", "metric": "spearman",
			"value": .5, "n": 1379., "low": .49, "high": .51}) ||
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
	if err := (Summary{Retrieval: map[string]float64{"a": 85}, WallSeconds: math.Inf(1)}).Validate(); err == nil ||
		strings.Count(err.Error(), "\n") != 1 {
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
	twice[len(twice)-1].DataXXH3 = "other"
	if _, err := newRetrieval(twice, nil); err == nil ||
		!strings.Contains(err.Error(), `model "cmlm_br" has two results for accuracy of retrieval eng-fra`) {
		t.Error(err)
	}
	if _, err := newRetrieval(demo(), []Model{{Key: "bag"}, {Key: "bag"}}); err == nil ||
		!strings.Contains(err.Error(), `model "bag" is listed twice`) {
		t.Error(err)
	}
	r, err := newRetrieval(nil, models())
	if err != nil || len(r.results.models) != 0 {
		t.Error(err)
	}
	markuptest.Check(t, written(t,
		markup.Report{Title: "t", Sections: []markup.Section{
			{Title: "s", Blocks: []markup.Block{r.accuracyBars(), r.sameLanguageBars(), r.table(), r.directionTable(),
				r.sameLanguageTable()}}}}))
}

// tablesOf gives the tables of a section by caption.
func tablesOf(r markup.Report) map[string]markup.Table {
	found := map[string]markup.Table{}
	r.EachTable(func(section string, t markup.Table) { found[section+": "+t.Caption] = t })
	return found
}

func TestTaskSections(t *testing.T) {
	row := func(model, task, subtask, language, metric string, value float64, settings string) schemas.Result {
		return schemas.Result{Model: model, Task: task, Subtask: subtask, Language: language, Metric: metric, Value: value, N: 100,
			Settings: settings, DataXXH3: "d"}
	}
	const (
		narrow = `{"low":0.4,"high":0.6}`
		wide   = `{"low":0.2,"high":0.45}`
	)
	other := row("b", "one", "other", "eng", "spearman", .9, "{}")
	other.DataXXH3 = "e"
	rows := []schemas.Result{
		row("a", "one", "all", "eng", "spearman", .5, narrow), row("b", "one", "all", "eng", "spearman", .3, wide),
		row("c", "one", "all", "eng", "spearman", .1, `{"low":0.05,"high":0.15}`),
		row("a", "one", "other", "eng", "spearman", .4, "{}"), other,
		row("a+pcr", "one", "all", "eng", "spearman", .5625, `{"vectors":"less"}`),
		// Three seeds: their mean is 3, their deviation 1 (worked out by hand).
		row("a", "two", "x", "deu-fra", "error", .02, `{"probe":"p","low":0.1}`),
		row("a", "two", "x", "deu-fra", "error", .03, `{"probe":"p","low":0.2}`),
		row("a", "two", "x", "deu-fra", "error", .04, `{"probe":"p"}`),
		row("b", "two", "x", "deu-fra", "error", .01, `{"spread":"deviation over seeds"}`),
		row("a", "three", "", "", "unheard-of", 7.5, "no JSON"),
		row("a", "three", "pool/fra-deu", "deu-fra", "unheard-of", 2, "{}"), // names its languages
	}
	deviation := .005
	rows[9].Spread = &deviation
	overview, sections, err := taskSections(rows, nil, comparisons{})
	if err != nil {
		t.Fatal(err)
	}
	got := tablesOf(markup.Report{Sections: append([]markup.Section{{Title: "Overview", Blocks: overview}}, sections...)})
	for _, test := range []struct{ table, want string }{
		{"Overview: Models and tasks",
			"[[{a  false 0} {50.00 40.0 to 60.0 false 0} {3.00 ± 1.0 over 3 results false 0}] [{b  false 0} {30.00 20.0 to 45.0 false 0} {1.00 ± 0.5 over seeds true 0}] [{c  false 0} {10.00 5.0 to 15.0 false 0} {–  false 0}] [{a+pcr  false 0} {56.25 +6.25 against raw true 0} {–  false 0}]]"},
		{"one: spearman, × 100",
			"[[{all  true 0} {eng  false 0} {100  false 0} {50.00 40.0 to 60.0 false 0} {30.00 20.0 to 45.0 false 0} {10.00 5.0 to 15.0 false 0} {56.25 +6.25 against raw true 0}]" +
				" [{other  false 0} {eng  false 0} {100  false 0} {40.00  false 0} {90.00 ≠ false 0} {–  false 0} {–  false 0}]]"},
		{"two: error, × 100",
			"[[{x  false 0} {deu-fra  false 0} {100  false 0} {3.00 ± 1.0 over 3 results false 0} {1.00 ± 0.5 over seeds true 0}]]"},
		{"three: unheard-of",
			"[[{three  false 0} {100  false 0} {7.5000  false 0}] [{pool/fra-deu  false 0} {100  false 0} {2.0000  false 0}]]"},
	} {
		if rows := fmt.Sprint(got[test.table].Rows); rows != test.want {
			t.Errorf("%s: %s, want %s", test.table, rows, test.want)
		}
	}
	if l := got["two: error, × 100"].Languages; len(l) != 1 || l[0] != "deu fra" {
		t.Errorf("languages %q", l)
	}
	// Where the best has an interval, another one that reaches into it is marked.
	_, sections, err = taskSections(rows[:3], nil, comparisons{})
	if err != nil {
		t.Fatal(err)
	}
	one := tablesOf(markup.Report{Sections: sections})["one: spearman, × 100"]
	if !one.Rows[0][3].Strong || one.Rows[0][4].Detail != "20.0 to 45.0 ≈" || one.Rows[0][5].Detail != "5.0 to 15.0" ||
		!strings.Contains(one.Note, "overlaps") {
		t.Errorf("%+v", one)
	}
	for want, other := range map[string]schemas.Result{
		"differ in their data":         {DataXXH3: "e", Settings: `{"probe":"p"}`},
		"differ in the setting probe":  {DataXXH3: "d", Settings: `{"probe":"q"}`},
		"differ in the setting whiten": {DataXXH3: "d", Settings: `{"probe":"p","whiten":"yes"}`},
	} {
		first := row("a", "two", "x", "", "error", .02, `{"probe":"p"}`)
		other.Model, other.Task, other.Subtask, other.Metric = "a", "two", "x", "error"
		if _, _, err := taskSections([]schemas.Result{first, other}, nil, comparisons{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Six languages give a heat map, and more rows than fit stand folded.
func TestHeatMaps(t *testing.T) {
	var rows []schemas.Result
	codes := []string{"deu", "eng", "fra", "ita", "spa", "zho"}
	for i, from := range codes {
		for k, to := range codes {
			if i != k {
				rows = append(rows, schemas.Result{Model: "a", Task: "pairs", Subtask: from + "-" + to, Language: from + "-" + to,
					Metric: "accuracy", Value: float64(10*i+k) / 100, N: 9, Settings: "{}"})
			}
		}
	}
	_, sections, err := taskSections(rows, nil, comparisons{})
	if err != nil {
		t.Fatal(err)
	}
	r := markup.Report{Title: "t", Sections: sections}
	m := tablesOf(r)["pairs: a: accuracy, × 100"]
	if len(m.Rows) != 6 || m.Rows[0][1].Text != "" || m.Rows[0][2] != (markup.Cell{Text: "1.0", Detail: "", Strong: false, Shade: 1}) ||
		m.Rows[5][5] != (markup.Cell{Text: "54.0", Detail: "", Strong: false, Shade: markup.Shades}) || m.Rows[2][5].Shade != 4 {
		t.Errorf("%+v", m.Rows)
	}
	root := markuptest.Check(t, written(t, r))
	if got := markuptest.TextOf(root, "summary"); got != "All 30 figures of accuracy\nFrom language to language: accuracy" {
		t.Errorf("%q is folded", got)
	}
	if _, sections, err = taskSections(rows[:3], nil, comparisons{}); err != nil || len(sections[0].Blocks) != 1 {
		t.Errorf("%+v, %v: three pairs are not a map", sections, err)
	}
}

func TestExperiment(t *testing.T) {
	var steps []trainings.Step
	for i := range 60 {
		steps = append(steps, trainings.Step{
			Step: i + 1, Steps: 1, Period: "one", Losses: map[string]float64{"cmlm": 9 / float64(i+1)}, Rate: .001,
			Other: map[string]float64{"tokens": 9},
		})
	}
	e := experiment{
		Title: "Demo", Results: demo(), Models: models(), Headlines: headlinesOf([]string{"cmlm_br"}), WallSeconds: 311,
		PeakRSSBytes: 1 << 30,
		Losses:       steps,
		Speeds:       []trainings.Speed{{Period: "one", Steps: 60, Seconds: 30, Tokens: 1000, Waiting: 0, PeakRSS: 0}},
		Prefix: []trainings.PrefixEffect{
			{Data: "planted", N: 9, Own: 1, Zeroed: 2, Shuffled: 3, ZeroedSpread: .5, ShuffledSpread: .5}},
		Plots: []markup.Scatter{{Title: "before", Groups: []string{"eng"},
			Dots: []markup.Dot{{X: 1, Y: 1, Group: 0, Set: 0, Label: ""}}}},
		Sources: []source{{"mine", &dataset.Manifest{Rows: 1200, ContentXXH3: "c0ffee",
			Plan: dataset.Plan{Pipeline: "evaluate", PipelineVersion: 6, Seed: 3, Config: []byte(`{"tasks":["sts"]}`),
				Inputs: []dataset.Input{{Role: "model mine", Files: 1, Bytes: 2048, XXH3: "beef"}, {Role: "task sts", XXH3: "feed"}}}}}},
	}
	r, err := e.Report()
	if err != nil {
		t.Fatal(err)
	}
	root := markuptest.Check(t, written(t, r))
	want := "Words\nCross-lingual retrieval\nDirection by direction\nLanguage in the vectors\nWhat CMLM's prefix tells\nTraining\nstsb\nBeside published figures\nWhere the figures come from"
	if got := markuptest.TextOf(root, "h2"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	sources := ""
	for _, row := range tablesOf(r)["Where the figures come from: Datasets of results"].Rows {
		sources += row[1].Text + ": " + row[2].Text + "\n"
	}
	if sources != "made by: evaluate, version 6, seed 3\nrows: 1,200, content c0ffee\nconfiguration: {\"tasks\":[\"sts\"]}\nmodel mine: beef (1 file, 2.0 KiB)\ntask sts: feed\n" {
		t.Error(sources)
	}
	if facts := markuptest.TextOf(root, "dl"); !strings.Contains(facts, "85.0 %") ||
		!strings.Contains(facts, "95 % interval 10.0 to 95.0") || !strings.Contains(facts, "400") {
		t.Error(facts)
	}
	r, err = experiment{Title: "empty"}.Report()
	if err != nil || len(r.Sections) != 0 || len(r.Facts) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Figures without contaminated items tell how many these were.
func TestUncontaminated(t *testing.T) {
	row := schemas.Result{Model: "m", Task: "stsb", Subtask: "all", Language: "eng", Metric: "spearman_uncontaminated", Value: .5, N: 1370,
		Settings: `{"contaminated":1009}`}
	_, sections, err := taskSections([]schemas.Result{row}, nil, comparisons{})
	if err != nil {
		t.Fatal(err)
	}
	table := sections[0].Blocks[0].(markup.Table)
	if c := table.Rows[0][3]; c.Text != "50.00" || c.Detail != "without 1,009" || !strings.Contains(table.Note, "is in the training") ||
		table.Caption != "spearman_uncontaminated, × 100" {
		t.Errorf("%+v %s %s", c, table.Note, table.Caption)
	}
	// They compare where the same items are left alone.
	row.Settings = `{"contaminated":9,"left_out":"a","fitted":"1","probe":"literature"}`
	for name, test := range map[string]struct {
		n        int64
		settings string
		compare  bool
	}{
		"the same items":          {1370, row.Settings, true},
		"another number of items": {1369, `{"contaminated":10,"left_out":"b"}`, false},
		"as many other items":     {1370, `{"contaminated":9,"left_out":"b"}`, false},
		"another classifier":      {1370, `{"contaminated":9,"left_out":"a","probe":"lbfgs"}`, false},
		"treated by other texts":  {1370, `{"contaminated":9,"left_out":"a","fitted":"2","probe":"literature"}`, false},
	} {
		other := row
		other.Model, other.Value, other.N, other.Settings = "other", .6, test.n, test.settings
		_, sections, err := taskSections([]schemas.Result{row, other}, nil, comparisons{})
		if err != nil {
			t.Fatal(err)
		}
		table := sections[0].Blocks[0].(markup.Table)
		if c := table.Rows[0][4]; c.Strong != test.compare || strings.HasSuffix(c.Detail, "≠") == test.compare ||
			strings.Contains(table.Note, "≠") == test.compare {
			t.Errorf("%s: %+v %s", name, c, table.Note)
		}
	}
}

// TestNamesOfTreatedVectors: a name is that of the treated vectors, too, and of no other model.
func TestNamesOfTreatedVectors(t *testing.T) {
	rows := []schemas.Result{{Model: "given"}, {Model: "given+pcr"}, {Model: "cmlm"}, {Model: "cmlm+br"}, {Model: "row+centred"}}
	list, err := Config{Names: []string{"row=row (demo)", "given=given (demo)", "cmlm=CMLM"}}.models(rows)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range list {
		got = append(got, m.Key+"="+m.Name)
	}
	if want := "row+centred=row (demo)+centred given=given (demo) given+pcr=given (demo)+pcr cmlm=CMLM cmlm+br="; strings.Join(
		got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
	if _, err := (Config{Names: []string{"absent=x"}}).models(rows); err == nil {
		t.Error("a name of no model is taken")
	}
}
