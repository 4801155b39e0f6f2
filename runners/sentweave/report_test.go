package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/runners/locations"
	"sentweave/runners/recipe/record"
	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/stages/report"
)

// result is a row of an evaluation; name is "model task subtask metric".
func result(name string, value float64, n int64, settings string) schemas.Result {
	part := strings.Fields(name)
	return schemas.Result{Model: part[0], Task: part[1], Subtask: part[2], Metric: part[3], Value: value, N: n, Settings: settings}
}

// trained makes the folder of a training of two periods: 20 steps in 4 seconds and
// 10 in 5, with 1,000 tokens a line.
func trained(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	lines := `{"step":10,"period":"cmlm","loss":9,"losses":{"cmlm":9},"rate":0.001,"tokens":1000,"seconds":2,"wait_share":0.5,"rss_bytes":1000000}
{"step":20,"period":"cmlm","loss":7.125,"losses":{"cmlm":7.125},"rate":0.001,"tokens":1000,"seconds":2,"wait_share":0,"rss_bytes":3000000}
{"step":30,"period":"br","loss":2,"losses":{"bitext":2},"rate":0.001,"tokens":1000,"seconds":5,"wait_share":0,"rss_bytes":2000000}
`
	if err := os.WriteFile(filepath.Join(folder, "losses.jsonl"), []byte(lines), 0o666); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestReport(t *testing.T) {
	const means = `{"languages":2,"directions":2,"paragraphs":4}`
	results := datasettest.Write(t, nil, []schemas.Result{
		result("mine retrieval deu-eng accuracy", .75, 4, "{}"),
		result("mine retrieval mean accuracy", .625, 8, means),
		result("mine retrieval mean same_language", .125, 8, `{"low":0.1,"high":0.2,"chance":0.4286}`),
		result("untrained retrieval mean accuracy", .25, 8, means),
		result("mine stsb all spearman", .8125, 1379, "{}"),
		// Names that a page once had sentences for.
		result("cmlm retrieval mean accuracy", .125, 8, means), result("bag retrieval mean accuracy", .75, 8, means),
		result("cmlm_br retrieval mean accuracy", .5, 8, means),
	})
	prefix := datasettest.Write(t, nil, []schemas.Result{
		result("mine cmlm_prefix own loss", 5.25, 960, "{}"), result("mine cmlm_prefix zero loss", 6.5, 960, "{}"),
		result("mine cmlm_prefix other loss", 7.75, 960, "{}"),
	})
	base := t.TempDir()
	out := filepath.Join(base, "report")
	notes := &record.Record{Recipe: "r", PeakRSSBytes: 123_000_000,
		Steps: []record.Step{{Step: "a", Seconds: 40, Whole: true}, {Step: "b", Seconds: 20.5, Whole: true}}}
	if err := notes.Write(t.Context(), base); err != nil {
		t.Fatal(err)
	}
	pairs, vectors := parallelPairs(t, 4), embeddingsOf(t, english, german)
	components := filepath.Join(base, "components")
	sentweave(t, "pcr", "--out", components, "--embeddings", vectors).expect(t, 0, anything, nil)
	args := []string{"report", "--out", out, "--results", results + "," + prefix, "--training", "mine=" + trained(t) + ",other=" +
		trained(t), "--headline", "mine", "--names", "untrained=As drawn,cmlm=Mine\\, first", "--title", "Two <languages>",
		"--embeddings", vectors, "--texts", pairs, "--components", components}
	got := sentweave(t, args...)
	got.expect(t, 0, []string{"model", "accuracy", "As drawn     25.0 %", "Mine, first  12.5 %", "mine", "62.5 %", "12.5 % (10.0 to 20.0)",
		filepath.Join(out, "report.html") + "\n"}, nil)
	data, err := os.ReadFile(filepath.Join(out, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var summary report.Summary
	if err := json.Unmarshal(data, &summary); err != nil {
		t.Fatal(err)
	}
	if len(summary.Results) != 11 || summary.Results[4].Task != "stsb" || *summary.Results[4].Value != .8125 ||
		summary.Results[10].Task != "cmlm_prefix" {
		t.Errorf("%+v", summary.Results)
	}
	summary.Results = nil
	want := report.Summary{
		Retrieval:         map[string]float64{"mine": .625, "untrained": .25, "cmlm": .125, "bag": .75, "cmlm_br": .5},
		SameLanguageShare: map[string]float64{"mine": .125}, N: 4, WallSeconds: 60.5, PeakRSSBytes: 123_000_000,
		Training: []report.TrainingSummary{{Period: "mine: cmlm", Steps: 20, Seconds: 4, Tokens: 2000},
			{Period: "mine: br", Steps: 10, Seconds: 5, Tokens: 1000},
			{Period: "other: cmlm", Steps: 20, Seconds: 4, Tokens: 2000}, {Period: "other: br", Steps: 10, Seconds: 5, Tokens: 1000}},
	}
	if diff := cmp.Diff(want, summary); diff != "" {
		t.Errorf("summary.json: %s", diff)
	}
	page, err := os.ReadFile(filepath.Join(out, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"Two &lt;languages&gt;", "62.5 %", "81.25", "7.75", "960", "Losses of period mine: cmlm", "Losses of period other: br",
		"The same after PCR", "Reisender 3 ist am Ufer.", "Peak memory",
	} {
		if !strings.Contains(string(page), part) {
			t.Errorf("the page does not hold %q", part)
		}
	}
	for _, part := range []string{"likely", "minutes of training", "CMLM + BR", "Untrained encoder", "Why "} {
		if strings.Contains(string(page), part) {
			t.Errorf("the page says %q of models that it does not know", part)
		}
	}
	if row := regexp.MustCompile(`mine: cmlm</th><td[^>]*>cmlm</td><td[^>]*>20</td>`); !row.Match(page) {
		t.Error("the page does not hold the 20 steps of the first stage")
	}
	// Beside it all figures are in other formats, those of prefixes, too.
	for name, want := range map[string]string{"figures.csv": "mine,cmlm_prefix,zero,,loss,6.5,",
		"mteb/results/mine/no_revision_available/stsb.json": `"spearman": 0.8125`,
		"tables.md": "## stsb: spearman, × 100", "tables.tex": `\caption{stsb: spearman`} {
		if data, err := os.ReadFile(filepath.Join(out, name)); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s does not hold %s: %v", name, want, err)
		}
	}
	// Made again, also after one that was cut off, it is the same, without what an earlier one had, and with what others put there.
	gone := filepath.Join(out, "mteb", "results", "gone", "v1", "stsb.json")
	foreign := filepath.Join(filepath.Dir(gone), "own.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(gone), 0o777), os.WriteFile(gone, nil, 0o666), os.WriteFile(foreign, nil, 0o666),
		os.WriteFile(filepath.Join(out, "mteb", "files.json"), []byte(`["mteb/results/gone/v1/stsb.json"]`), 0o666),
		os.Remove(filepath.Join(out, "report.html"))); err != nil {
		t.Fatal(err)
	}
	sentweave(t, args...).expect(t, 0, []string{got.stdout}, nil)
	if _, err := os.Stat(gone); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file of an earlier report: %v", err)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Errorf("a file of another program: %v", err)
	}
	if again, err := os.ReadFile(filepath.Join(out, "report.html")); err != nil || string(again) != string(page) {
		t.Errorf("the page differs when it is made again: %v", err)
	}
}

// Without a recipe the trainings tell what they took; results of any task are told
// without retrieval, too.
func TestReportOfOtherTasks(t *testing.T) {
	results := datasettest.Write(t, nil,
		[]schemas.Result{result("mine stsb all spearman", .8125, 1379, "{}"),
			result("mine sts12 all spearman", .5, 3000, "{}")})
	read := func(args ...string) string {
		t.Helper()
		out := filepath.Join(t.TempDir(), "report")
		sentweave(t, append([]string{"report", "--out", out, "--results", results}, args...)...).expect(t, 0, []string{"report.html"}, nil)
		data, err := os.ReadFile(filepath.Join(out, "summary.json"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if got := read(); strings.Contains(got, "wall_seconds") || strings.Contains(got, "retrieval") || !strings.Contains(got, "0.8125") ||
		!strings.Contains(got, "sts12") {
		t.Error(got)
	}
	if got := read("--training", "mine="+trained(t)); !strings.Contains(got, `"wall_seconds": 9,`) ||
		!strings.Contains(got, `"peak_rss_bytes": 3000000`) {
		t.Error(got)
	}
}

// Translations are shown without any result, too, and counted in the summary.
func TestReportTranslations(t *testing.T) {
	row := func(n int64, status, reason string) schemas.Translation {
		return schemas.Translation{Key: schemas.ID("t", n), Engine: "apertium", SourceLanguage: "eng", TargetLanguage: "spa", Text: "Text",
			Translation: "Texto", Status: status, Reason: reason}
	}
	rows := datasettest.Write(t, nil,
		[]schemas.Translation{row(0, schemas.TranslationOK, ""), row(1, schemas.TranslationRejected, "copied"),
			row(2, schemas.TranslationRejected, "copied")})
	out := filepath.Join(t.TempDir(), "report")
	sentweave(t, "report", "--out", out, "--translations", "mine="+rows).expect(t, 0, []string{"report.html"}, nil)
	data, err := os.ReadFile(filepath.Join(out, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var summary report.Summary
	if err := json.Unmarshal(data, &summary); err != nil {
		t.Fatal(err)
	}
	want := []report.TranslationSummary{
		{Name: "mine", Source: "eng", Target: "spa", Rows: 3, OK: 1, Rejected: map[string]int64{"copied": 2}}}
	if diff := cmp.Diff(want, summary.Translations); diff != "" {
		t.Errorf("summary.json: %s", diff)
	}
	sentweave(t, "report", "--out", out, "--translations", rows+",a="+rows+",a="+rows+"/", "--samples", "-1").expect(
		t, 2, nil, []string{`two have the name "a"`, "samples is -1"})
	sentweave(t, "report", "--out", out, "--translations", parallelPairs(t, 4)).expect(
		t, 1, nil, []string{"--translations: ", "holds pairs"})
}

func TestReportFaults(t *testing.T) {
	results := datasettest.Write(t, nil, []schemas.Result{result("a retrieval mean accuracy", .5, 4, "{}")})
	pairs, vectors := parallelPairs(t, 4), embeddingsOf(t, english, german)
	empty := t.TempDir()
	broken := trained(t)
	if err := os.WriteFile(filepath.Join(broken, "losses.jsonl"), []byte("{\"step\":1}\nnonsense\n{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"all at once", []string{"--groups", "0", "--texts", pairs}, 2,
			[]string{"results is empty", "--embeddings and --texts go together", "groups is 0"}},
		{"flags that go together", []string{"--results", results, "--groups", "0", "--texts", pairs, "--components", empty}, 2,
			[]string{"--embeddings and --texts go together", "--components is for the plot: give --embeddings, too", "groups is 0"}},
		{"names that are none", []string{"--results", results, "--names", "a,=b,c="}, 2,
			[]string{`names: "a" is not MODEL=NAME`, `"=b"`, `"c="`}},
		{"names of no model", []string{"--results", results, "--names", "a=A,a=B,b=C", "--headline", "x"}, 1,
			[]string{`names: no model of the results has the name "a", or it occurs there twice`, `the name "b"`,
				`headline: no model of the results has the name "x"; they are a`}},
		{"absent results", []string{"--results", empty + "/none"}, 1, []string{"--results: ", "/none does not exist"}},
		{"results of another kind", []string{"--results", pairs}, 1, []string{"results: ", "pair"}},
		{"a folder that is not a training", []string{"--results", results, "--training", "a=" + empty}, 1,
			[]string{"training a: ", empty + " holds no losses.jsonl"}},
		{"a training that is absent", []string{"--results", results, "--training", "a=" + empty + "/none"}, 1,
			[]string{"--training: ", "/none does not exist"}},
		{"a training without a name", []string{"--results", results, "--training", empty}, 2, []string{"--training"}},
		{"broken losses", []string{"--results", results, "--training", "a=" + broken}, 1, []string{"training a: ", broken, "line 2"}},
		{"other results of the same name",
			[]string{"--results", results + "," +
				datasettest.Write(t, nil, []schemas.Result{result("a retrieval mean accuracy", .5, 4, `{"probe":"other"}`)})}, 1,
			[]string{`model "a" has two results for accuracy of retrieval mean`, "the setting probe", "NAME=MODEL"}},
		{"other texts", []string{"--results", results, "--embeddings", vectors, "--texts", datasettest.Write(t, nil, []schemas.Pair{})}, 1,
			[]string{"no embedding is of a text that", "in two languages: embed that dataset"}},
		{"no components", []string{"--results", results, "--embeddings", vectors, "--texts", pairs, "--components", empty}, 1,
			[]string{empty}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "report")
			sentweave(t, append([]string{"report", "--out", out}, test.args...)...).expect(t, test.code, nil, test.want)
			if _, err := os.Stat(out); err == nil {
				t.Error("something was written")
			}
		})
	}
}

// A report has a folder of its own: beside it a dataset would no longer be known as one.
func TestReportPlace(t *testing.T) {
	results := datasettest.Write(t, nil, []schemas.Result{result("a retrieval mean accuracy", .5, 4, `{"languages":2}`)})
	with := func(name string) string {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		return folder
	}
	pairs := parallelPairs(t, 4)
	for _, test := range []struct {
		out  string
		want []string
	}{
		{pairs, []string{"--out: ", " holds a dataset", "choose another folder"}},
		{with("model.safetensors"), []string{" holds an encoder"}},
		{with("training.json"), []string{" holds a training"}},
		{with("vocab.json"), []string{" holds a vocabulary"}},
		{with("letter.txt"), []string{` holds "letter.txt", but no report`}},
	} {
		sentweave(t, "report", "--out", test.out, "--results", results).expect(t, 1, nil, test.want)
		if _, err := os.Stat(filepath.Join(test.out, report.PageName)); err == nil {
			t.Errorf("%v: a page was written", test.want)
		}
	}
	for _, out := range []string{t.TempDir(), with(report.SummaryName), with(report.PageName)} {
		for range 2 {
			sentweave(t, "report", "--out", out, "--results", results).expect(t, 0, []string{report.PageName}, nil)
		}
	}
	// What an earlier version has put beside a dataset hides it no longer.
	if err := os.WriteFile(filepath.Join(pairs, report.PageName), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if kind := locations.KindAt(t.Context(), allVerbs, pairs); kind != "pair" {
		t.Errorf("the dataset is taken for %q", kind)
	}
	sentweave(t, "status", pairs).expect(t, 0, []string{"is complete"}, nil)
	sentweave(t, "verify", pairs).expect(t, 0, []string{"is whole"}, nil)
}

// Pairs of several languages that share no text are plotted, too.
func TestReportOfPairsApart(t *testing.T) {
	var pairs []schemas.Pair
	var vectors []schemas.Embedding
	for i, language := range []string{"deu", "spa", "deu", "spa"} {
		group := uint64(i)
		p := schemas.Pair{ID: schemas.DerivedID("apart", fmt.Sprint(i)), Kind: schemas.KindBitext, Origin: "test", Group: &group,
			LanguageA: "eng", LanguageB: language, TextA: fmt.Sprint("English ", i), TextB: fmt.Sprint("Other ", i)}
		pairs = append(pairs, p)
		vectors = append(vectors, schemas.Embedding{ID: p.ID + "/a", Language: "eng", Text: p.TextA, Vector: []float32{1, float32(i)}},
			schemas.Embedding{ID: p.ID + "/b", Language: language, Text: p.TextB, Vector: []float32{float32(i), 1}})
	}
	out := filepath.Join(t.TempDir(), "report")
	results := datasettest.Write(t, nil, []schemas.Result{result("mine retrieval deu-eng accuracy", .75, 4, "{}")})
	sentweave(t, "report", "--out", out, "--results", results, "--embeddings", datasettest.Write(t, nil, vectors), "--texts",
		datasettest.Write(t, nil, pairs)).expect(t, 0, anything, nil)
	page, err := os.ReadFile(filepath.Join(out, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"Parallel texts, none of them in all languages", "English 3", "Other 2"} {
		if !strings.Contains(string(page), part) {
			t.Errorf("the page lacks %q", part)
		}
	}
}
