package evaluate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/classifiers"
	"sentweave/stages/metrics"
	"sentweave/transforms/random"
	"sentweave/transforms/testsets/senteval"
)

// told is an encoder that tells of a text the angle that is in it, "x=1.5", beside
// noise that is equal for equal texts.
type told struct{ sparse bool }

func (told) Name() string { return "told" }

func (e told) Encode(_ context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	if e.sparse {
		return encoder.Sparse{}, nil
	}
	var data []float32
	for _, t := range texts {
		x := 0.0
		_, _ = fmt.Sscanf(t.Text, "x=%g", &x)
		noise := random.New(1, 1, "noise", t.Text, 0)
		data = append(data, float32(3*math.Cos(x)), float32(3*math.Sin(x)))
		for range 2 {
			data = append(data, float32(noise.Float64()-.5))
		}
	}
	return encoder.NewDense(data, 4)
}

// rowsOf makes n rows of each split of a task, with texts of which told can tell the class
// or the score in the share that is asked for.
func rowsOf(t *testing.T, name, language string, n int, share float64) (rows []schemas.Benchmark) {
	t.Helper()
	task, ok := senteval.TaskByName(name)
	if !ok {
		t.Fatal(name)
	}
	draw := random.New(1, 1, "rows", name+language, 0)
	var splits []string
	for _, f := range task.Files {
		if !slices.Contains(splits, f.Split) {
			splits = append(splits, f.Split)
		}
	}
	for _, split := range splits {
		for i := range n {
			class := i % max(1, len(task.Classes))
			score := task.Low + (task.High-task.Low)*draw.Float64()
			if draw.Float64() > share { // any class
				class = draw.IntN(len(task.Classes))
			}
			x := score
			if len(task.Classes) > 0 {
				x = 1 + float64(class)
			}
			class = i % max(1, len(task.Classes))
			r := schemas.Benchmark{ID: schemas.DerivedID(name, split, fmt.Sprint(i)), Task: name, Split: split, Row: int32(i),
				File: name + split, LanguageA: language}
			if r.TextA = fmt.Sprintf("x=%g row %d", x, i); task.Pairs() {
				r.TextB, r.LanguageB = fmt.Sprintf("x=0 second %d", i), language
			}
			if len(task.Classes) > 0 {
				r.Label = task.Classes[class]
			}
			if task.High > 0 {
				r.Target = &score
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// Accuracies are the shares of rows that the encoder tells right, with the chance on the
// others; averages are given where all their members are there.
func TestSentEval(t *testing.T) {
	var rows []schemas.Benchmark
	for _, name := range []string{"mr", "cr", "mpqa", "subj", "sst2", "trec", "mrpc", "sick", "stsb", "sts12", "snli"} {
		share := 1.0
		if name == "cr" {
			share = .6 // of two classes, .8 come out right
		}
		rows = append(rows, rowsOf(t, name, "eng", 300, share)...)
	}
	rows = append(rows, rowsOf(t, "mr", "spa", 300, 1)...)
	rows = append(rows, schemas.Benchmark{ID: schemas.DerivedID("skipped"), Task: "mr", Split: "pool", File: "mr", LanguageA: "eng",
		TextA: "x", Skip: true})
	c := Config{Benchmarks: []string{datasettest.Write(t, nil, rows)}, Tasks: []string{"senteval"}, Probe: classifiers.ProbePrototyping,
		Seeds: 2}
	got := collect(t, told{}, c)
	sum := 0.0
	for _, name := range strings.Fields("mr cr subj mpqa sst2 trec mrpc sick-e sick-r") {
		metric, least := metrics.Accuracy, .97
		switch name {
		case "sick-r":
			metric, least = metrics.Pearson, -1 // its scores are not told
		case "cr":
			least = .74
		}
		r, ok := got[key{"senteval", name, "eng", metric}]
		if !ok || r.Value < least || name == "cr" && r.Value > .86 {
			t.Errorf("%s: %v %+v", name, ok, r)
		}
		sum += r.Value
		if r.N != 300 || r.Spread == nil || !strings.Contains(r.Settings, `"probe":"prototyping","seeds":2`) {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := got[key{"senteval", "avg-9", "eng", "mean"}]; math.Abs(r.Value-sum/9) > 1e-12 || r.N != 2700 ||
		!strings.Contains(r.Settings, `"of":"mr cr subj mpqa sst2 trec mrpc sick-e sick-r"`) {
		t.Errorf("%+v is not the mean of nine, %v", r, sum/9)
	}
	if r := got[key{"senteval", "snli", "eng", metrics.Accuracy}]; r.Value < .97 {
		t.Errorf("SNLI %v", r.Value)
	}
	if f1 := got[key{"senteval", "mrpc", "eng", metrics.F1}]; f1.Value < .97 {
		t.Errorf("F1 %v", f1.Value)
	}
	for _, absent := range []key{
		{"senteval", "avg-7", "spa", "mean"}, {"senteval", "sts12", "eng", metrics.Pearson}, {"senteval", "mr", "eng", metrics.F1},
	} {
		if r, ok := got[absent]; ok {
			t.Errorf("%+v", r)
		}
	}
	if r := got[key{"senteval", "mr", "spa", metrics.Accuracy}]; r.Value < .97 {
		t.Errorf("in Spanish %+v", r)
	}
}

func TestSentEvalFaults(t *testing.T) {
	mr := rowsOf(t, "mr", "eng", 40, 1)
	for want, rows := range map[string][]schemas.Benchmark{
		"have none of its tasks in the languages asked for; they have sts12 in eng": rowsOf(t, "sts12", "eng", 5, 1),
		"row 0 of mrpool occurs twice":                                              append(slices.Clone(mr), mr[0]),
		`has the label "9", which is not one of 0, 1`: append(
			slices.Clone(mr), func(r schemas.Benchmark) schemas.Benchmark { r.ID, r.Label = schemas.DerivedID("x"), "9"; return r }(mr[0])),
		"there is no row of the split test": rowsOf(t, "trec", "eng", 10, 1)[:10],
		"has no second text": append(rowsOf(t, "mrpc", "eng", 10, 1),
			schemas.Benchmark{ID: schemas.DerivedID("y"), Task: "mrpc", Split: "test", File: "f", LanguageA: "eng", TextA: "a",
				Label: "1"}),
	} {
		c := Config{Benchmarks: []string{datasettest.Write(t, nil, rows)}, Tasks: []string{"senteval"}, Split: "test",
			Probe: classifiers.ProbeLiterature, Seeds: 1}
		if _, _, err := load(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, error %v", want, err)
		}
	}
	c := Config{Benchmarks: []string{datasettest.Write(t, nil, mr)}, Tasks: []string{"senteval"}, Split: "test",
		Probe: classifiers.ProbeLiterature, Seeds: 1}
	for _, err := range Measure(t.Context(), c, told{sparse: true}) {
		if err == nil || !strings.Contains(err.Error(), "no vectors of a fixed size") {
			t.Errorf("sparse vectors: %v", err)
		}
	}
	c.Probe, c.Seeds = "newton", 0
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), `probe "newton"`) || !strings.Contains(err.Error(), "seeds 0") {
		t.Errorf("error %v", err)
	}
	c.Tasks, c.Probe, c.Seeds = []string{"sts"}, classifiers.ProbePrototyping, 3
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "probe has no effect on sts: it is for senteval") ||
		!strings.Contains(err.Error(), "seeds has no effect") {
		t.Errorf("error %v", err)
	}
}
