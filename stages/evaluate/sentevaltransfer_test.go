package evaluate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/stages/evaluate/classifiers"
	"sentweave/stages/metrics"
)

// What was trained in English is tested on the same items in other languages: in Spanish, whose
// vectors are those of English, it is as good, and in German, whose classes lie the other way
// round, it is wrong, though a classifier trained in German is right.
func TestTransferFromEnglish(t *testing.T) {
	var rows []schemas.Benchmark
	for _, name := range strings.Fields("mr cr subj mpqa sst2 trec mrpc") {
		rows = append(rows, rowsOf(t, name, "eng", 120, 1)...)
		rows = append(rows, rowsOf(t, name, "spa", 120, 1)...)
		german := rowsOf(t, name, "deu", 120, 1)
		if name == "mr" {
			for i := range german {
				german[i].TextA = fmt.Sprintf("x=%d row %d", 1+(i+1)%2, i)
			}
		}
		rows = append(rows, german...)
	}
	other := rowsOf(t, "sst5", "eng", 120, 1)
	shifted := rowsOf(t, "sst5", "spa", 120, 1)
	shifted[240].ID = schemas.DerivedID("of another row")
	rows = append(append(rows, other...), shifted...)
	c := Config{Benchmarks: []string{datasettest.Write(t, nil, rows)}, Tasks: []string{"senteval"}, Probe: classifiers.ProbePrototyping,
		Seeds: 1}
	got := collect(t, told{}, c)
	value := func(subtask, language, metric string) float64 {
		r, ok := got[key{"senteval", subtask, language, metric}]
		if !ok {
			t.Errorf("there is no %s in %q", subtask, language)
		}
		return r.Value
	}
	if a, b := value("mr", "eng", metrics.Accuracy), value("zero-shot/mr", "spa", metrics.Accuracy); a < .97 || b < .97 {
		t.Errorf("MR: English %v, transferred to Spanish %v", a, b)
	}
	if a, b := value("mr", "deu", metrics.Accuracy), value("zero-shot/mr", "deu", metrics.Accuracy); a < .97 || b > .1 {
		t.Errorf("MR: German %v, transferred to German %v", a, b)
	}
	if s := got[key{"senteval", "zero-shot/mr", "spa",
		metrics.Accuracy}].Settings; s != `{"probe":"prototyping","seeds":1,"trained":"eng"}` {
		t.Errorf("settings %s", s)
	}
	for _, name := range []string{"trec", "sst2", "mrpc"} { // the other two schemes
		if x := value("zero-shot/"+name, "spa", metrics.Accuracy); x < .9 {
			t.Errorf("%s transferred to Spanish: %v", name, x)
		}
	}
	mean := 0.0
	for _, code := range []string{"deu", "eng", "spa"} {
		mean += value("avg-7", code, "mean") / 3
	}
	if x := value("avg-7/mean", "", "mean"); math.Abs(x-mean) > 1e-12 {
		t.Errorf("mean over languages %v, want %v", x, mean)
	}
	if x := value("zero-shot/avg-7/mean", "", "mean"); math.Abs(
		x-(value("zero-shot/avg-7", "deu", "mean")+value("zero-shot/avg-7", "spa", "mean"))/2) > 1e-12 {
		t.Errorf("mean of transfer %v", x)
	}
	for k := range got {
		if k.Subtask == "zero-shot/sst5" || strings.HasPrefix(k.Subtask, "avg-9") {
			t.Errorf("%v: its rows are not those of English, or a member is missing", k)
		}
	}
	// Without a language that lacks a member there is no mean: never over fewer.
	rows = slices.DeleteFunc(rows, func(r schemas.Benchmark) bool { return r.Task == "cr" && r.LanguageA == "spa" })
	c.Benchmarks = []string{datasettest.Write(t, nil, rows)}
	if r, ok := collect(t, told{}, c)[key{"senteval", "avg-7/mean", "", "mean"}]; ok {
		t.Errorf("a mean over two of three languages: %+v", r)
	}
}
