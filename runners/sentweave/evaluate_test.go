package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
	"sentweave/schemas/storage/cache"
	"sentweave/stages/metrics"
)

// By hand: English to German finds texts 1 and 2 of four (text 0 lies at 5° from
// German text 3 and at 10° from its own), German to English 0, 1 and 2. No text's
// nearest neighbour has its own language.
var english, german = []float64{0, 90, 180, 270}, []float64{10, 100, 190, 355}

func TestEvaluate(t *testing.T) {
	pairs, vectors := parallelPairs(t, 4), embeddingsOf(t, english, german)
	out := filepath.Join(t.TempDir(), "results")
	evaluate := func(args ...string) outcome {
		return sentweave(t, append([]string{"evaluate", "--out", out, "--texts", pairs, "--tasks", "retrieval", "--model",
			"plane=" + vectors}, args...)...)
	}
	both := []string{"--baseline", "char3,random"}
	got := evaluate(both...)
	got.expect(t, 0, []string{"char3", "random", "plane", "!eng-deu", ": 27 results, content "},
		[]string{"evaluate: char3\n", "evaluate: random\n", "evaluate: plane\n"})
	for _, row := range []string{
		`retrieval +mean +- +accuracy +8 +\S+ ± \S+ +\S+ ± \S+ +62\.50 ± \S+`,
		`retrieval +mean +- +same_language +8 .* 0\.00`,
	} {
		if !regexp.MustCompile(row).MatchString(got.stdout) {
			t.Errorf("there is no row %s in\n%s", row, got.stdout)
		}
	}
	again := evaluate(both...)
	again.expect(t, 0, []string{got.stdout}, []string{"evaluate: " + out + " is complete, nothing to do\n", "!char3"})
	all := evaluate(append(both, "--all")...)
	all.expect(t, 0, anything, []string{"nothing to do"})
	for _, row := range []string{`eng-deu +eng-deu +accuracy +4 .* 50\.00`, `deu-eng +deu-eng +accuracy +4 .* 75\.00`} {
		if !regexp.MustCompile(row).MatchString(all.stdout) {
			t.Errorf("there is no row %s in\n%s", row, all.stdout)
		}
	}
	evaluate("--baseline", "char3").expect(t, 1, nil, []string{"another plan", "models", "--overwrite"})
	evaluate("--baseline", "char3", "--overwrite").expect(t, 0, []string{"!random", ": 18 results"}, []string{"evaluate: char3\n"})
	sentweave(t, "inspect", out).expect(t, 0, []string{"result"}, nil)
	// Rows alone, of all that is there, without a folder.
	lines := sentweave(t, "evaluate", "--texts", pairs, "--tasks", "all", "--model", "plane="+vectors, "--json")
	lines.expect(t, 0, []string{`{"model":"plane","task":"retrieval","subtask":"mean",`, "!content"}, []string{"evaluate: plane\n"})
	// They are those of all tasks that can be measured on texts.
	several, want := 0, 0
	for _, name := range evaluateTasks(t) {
		one := sentweave(t, "evaluate", "--texts", pairs, "--tasks", name, "--model", "plane="+vectors, "--json")
		if one.code != 0 {
			continue // it reads something else
		}
		several++
		want += len(peertest.Values[schemas.Result](t, []byte(one.stdout)))
	}
	if rows := peertest.Values[schemas.Result](t, []byte(lines.stdout)); several < 2 || len(rows) != want {
		t.Errorf("%d rows of JSON, want the %d of %d tasks", len(rows), want, several)
	}
	sentweave(t, "evaluate", "--texts", pairs, "--tasks", "all", "--model", "plane="+vectors).expect(
		t, 2, nil, []string{"--out is empty: give the folder to make, or --json"})
}

// evaluateTasks are the names that --tasks takes, but for all: the answer to one that it does not take lists them.
func evaluateTasks(t *testing.T) []string {
	t.Helper()
	_, list, ok := strings.Cut(sentweave(t, "evaluate", "--tasks", "none-such", "--texts", "x", "--baseline", "char3", "--json").stderr,
		"is not one of all, ")
	if !ok {
		t.Fatal("evaluate does not list the tasks")
	}
	list, _, _ = strings.Cut(list, "\n")
	return strings.Split(list, ", ")
}

// anything takes any output.
var anything = []string{""}

func TestEvaluateComponents(t *testing.T) {
	pairs, vectors := parallelPairs(t, 4), embeddingsOf(t, english, german)
	base := t.TempDir()
	components := filepath.Join(base, "components")
	fit := func(args ...string) outcome {
		return sentweave(t, append([]string{"pcr", "--out", components, "--embeddings", vectors}, args...)...)
	}
	fit().expect(t, 0, []string{components + ": components of deu (4 texts), eng (4 texts)\n"}, nil)
	fit().expect(t, 0, []string{"deu (4 texts), eng"}, []string{"pcr: " + components + " is complete, nothing to do\n"})
	fit("--languages", "deu").expect(t, 1, nil, []string{components, "--overwrite"})
	fit("--languages", "deu", "--overwrite").expect(t, 0, []string{": components of deu (4 texts)\n"}, nil)
	fit("--languages", "spa", "--overwrite").expect(t, 1, nil, []string{`no embedding has the language "spa"`})
	fit("--overwrite").expect(t, 0, []string{"eng"}, nil)
	sentweave(t, "pcr", "--out", filepath.Join(base, "x"), "--embeddings", pairs).expect(t, 1, nil, []string{"embeddings: ", "pair"})
	sentweave(t, "evaluate", "--out", filepath.Join(base, "results"), "--texts", pairs, "--tasks", "retrieval", "--model",
		"plain="+vectors+",less="+vectors+",fitted="+vectors,
		"--components", "less="+components, "--fit-components", "fitted=1").expect(t, 0, []string{"plain", "less", "fitted", "62.50"},
		[]string{"evaluate: fitted\n"})
	sentweave(t, "evaluate", "--out", filepath.Join(base, "r"), "--texts", pairs, "--tasks", "retrieval", "--model", "m="+vectors,
		"--components", "m="+base).
		expect(t, 1, nil, []string{"model m: there is no file components.json in", base})
}

// The STS benchmark has the figures of its files once it is a dataset, and in the
// languages into which an engine has brought it unchanged.
func TestEvaluateBenchmarks(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	sentweave(t, "benchmarks", "senteval", "--input", sentEvalFolder(t), "--tasks", "stsb", "--no-detokenize", "--out",
		at("english")).expect(t, 0, anything, anything)
	sentweave(t, "translations", "--texts", at("english"), "--targets", "spa,deu", "--engine", "identity", "--accept", "copied", "--out",
		at("memory")).expect(t, 0, anything, anything)
	sentweave(t, "translate", "--benchmarks", at("english"), "--memory", at("memory"), "--targets", "spa,deu", "--fallback", "source",
		"--out", at("translated")).expect(t, 0, anything, anything)
	sentweave(t, "evaluate", "--out", at("results"), "--data", realdata.Folder(t, "stsb"), "--benchmarks",
		at("english")+","+at("translated"), "--tasks", "stsb,sts", "--baseline", "bow").
		expect(t, 0, []string{": 8 results"}, anything)
	rows, err := readResults(t.Context(), at("results"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		if r.Metric == metrics.Spearman {
			got = append(got, fmt.Sprintf("%s %s %s %.2f %d", r.Task, r.Subtask, r.Language, 100*r.Value, r.N))
		}
	}
	want := []string{"stsb all eng 42.53 1379", "sts stsb/all deu 42.53 1379", "sts stsb/all eng 42.53 1379", "sts stsb/all spa 42.53 1379"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	sentweave(t, "report", "--results", at("results"), "--out", at("page")).expect(t, 0, []string{"report.html"}, nil)
	page, err := os.ReadFile(filepath.Join(at("page"), "report.html"))
	if row := regexp.MustCompile(`(?s)>sts</h2>.*<figcaption[^>]*>spearman, × 100<.*<th[^>]*><strong>stsb/all</strong></th>\s*<td[^>]*>spa</td>`); err != nil ||
		!row.Match(page) {
		t.Errorf("the page has no row %s: %v", row, err)
	}
}

// The folder of an encoder is encoded by the program with libtorch.
func TestEvaluateFolder(t *testing.T) {
	standIn(t, "ok")
	t.Setenv(cache.Variable, t.TempDir())
	model := filepath.Join(t.TempDir(), "my-encoder")
	if err := os.Mkdir(model, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"config.json", "model.safetensors"} {
		if err := os.WriteFile(filepath.Join(model, name), []byte("{}"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "results")
	args := []string{"evaluate", "--out", out, "--texts", parallelPairs(t, 5), "--tasks", "retrieval", "--model", model}
	sentweave(t, append(args, "--dry-run")...).expect(
		t, 0, []string{"tasks     retrieval\n", "texts     10, 10 of them different\n",
			"my-encoder: 10 texts have no vector yet: encoding them takes about 0s, and their vectors "}, nil)
	sentweave(t, args...).expect(t, 0, []string{"my-encoder", "accuracy"}, []string{"evaluate: my-encoder\n"})
	sentweave(t, append(args, "--dry-run")...).expect(t, 0, []string{"my-encoder: no text has to be encoded\n"}, nil)
	rows, err := readResults(t.Context(), out)
	if err != nil || len(rows) == 0 || rows[0].Model != "my-encoder" || rows[0].Task != "retrieval" {
		t.Errorf("%+v, %v", rows, err)
	}
	standIn(t, "no model")
	args = append(args, "--no-cache")
	args[2] = filepath.Join(t.TempDir(), "other")
	sentweave(t, args...).expect(t, 1, nil, []string{"sentweave: model my-encoder: encoder my-encoder: the model has no weights\n"})
	// How texts are encoded is handed over, and decides the results.
	standIn(t, "say arguments")
	args[2] = filepath.Join(t.TempDir(), "third")
	sentweave(t, append(args, "--pooling", "max", "--layer", "0", "--prompt", "query")...).expect(
		t, 1, nil, []string{"--model=" + model, "--layer=0 --pooling=max --prompt=query\n"})
	standIn(t, "ok")
	sentweave(t, args...).expect(t, 0, []string{"my-encoder"}, []string{"evaluate: my-encoder\n"})
	standIn(t, "say arguments")
	sentweave(t, append(args, "--no-prompt")...).expect(t, 1, nil, []string{"another plan", "no_prompt"})
	sentweave(t, append(args, "--no-prompt", "--overwrite")...).expect(t, 1, nil, []string{"--no-prompt\n"})
	sentweave(t, args...).expect(t, 0, []string{"my-encoder"}, []string{"nothing to do"}) // what was to be overwritten
	sentweave(t, append(args, "--no-prompt", "--prompt", "a")...).expect(t, 2, nil, []string{"--prompt and --no-prompt exclude each other"})
}

// A figure without contaminated items has another number of items for each model.
func TestItemsOf(t *testing.T) {
	values := map[string]schemas.Result{"trained": {N: 1351}, "other": {N: 1379}}
	for models, want := range map[string]string{"trained": "1,351", "other": "1,379", "trained other": "1,351 to 1,379",
		"other bow": "1,379", "bow": "-"} {
		if got := itemsOf(strings.Fields(models), values); got != want {
			t.Errorf("%s: %s, want %s", models, got, want)
		}
	}
}

func TestEvaluateFaults(t *testing.T) {
	pairs := parallelPairs(t, 4)
	few := embeddingsOf(t, english[:2], german[:2])
	empty := t.TempDir()
	tests := []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"all at once", []string{"--tasks", "retrieval,stsbb"}, 2,
			[]string{`tasks: "stsbb" is not one of`, "give --texts", "no model: give --model or --baseline"}},
		{"no test data", []string{"--tasks", "stsb", "--baseline", "bow"}, 2,
			[]string{"task stsb needs the folder of the test data: give --data"}},
		{"no benchmarks", []string{"--tasks", "retrieval", "--texts", pairs, "--benchmarks", pairs, "--baseline", "bow"}, 1,
			[]string{"--benchmarks: ", "holds pairs, not benchmarks"}},
		{"a split that no task has", []string{"--tasks", "retrieval", "--texts", pairs, "--split", "dev", "--baseline", "bow"}, 2,
			[]string{"split has no effect on retrieval: it is for stsb"}},
		{"two names", []string{"--tasks", "retrieval", "--texts", pairs, "--model", "a=x,a=y"}, 2,
			[]string{`two models have the name "a"`}},
		{"an unknown baseline", []string{"--tasks", "retrieval", "--texts", pairs, "--baseline", "char4"}, 2,
			[]string{`unknown model "baseline:char4"`, "did you mean baseline:char3?"}},
		{"an unknown baseline among models", []string{"--tasks", "retrieval", "--texts", pairs, "--model", "a=baseline:bw"}, 2,
			[]string{"did you mean baseline:bow?"}},
		{"a baseline without its scheme", []string{"--tasks", "retrieval", "--texts", pairs, "--model", "char3"}, 1,
			[]string{"char3 does not exist", "--baseline=char3", "--model=baseline:char3"}},
		{"a language by two letters", []string{"--tasks", "tatoeba", "--data", empty, "--baseline", "bow", "--languages", "de,fra"}, 2,
			[]string{`languages: give deu for "de"`, "!fra"}},
		{"absent texts", []string{"--tasks", "retrieval", "--texts", empty + "/absent", "--baseline", "bow"}, 1,
			[]string{"--texts: ", "absent does not exist"}},
		{"absent model", []string{"--tasks", "retrieval", "--texts", pairs, "--model", empty + "/absent"}, 1,
			[]string{"--model: ", "absent does not exist"}},
		{"texts of the wrong kind", []string{"--tasks", "retrieval", "--texts", few, "--baseline", "bow"}, 1,
			[]string{"holds embeddings, not documents or pairs"}},
		{"texts that were not embedded", []string{"--tasks", "retrieval", "--texts", pairs, "--model", "m=" + few}, 1,
			[]string{"model m: ", "4 of 8 texts have no vector", "embed the texts of this task"}},
		{"a dataset that is not an embeddings",
			[]string{"--tasks", "retrieval", "--texts", pairs, "--model",
				"m=" + datasettest.Write(t, nil, []schemas.WordCount{{Word: "a", Language: "eng", Count: 1}})}, 1,
			[]string{"--model: ", "holds word counts, not embeddings or an encoder"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "r")
			got := sentweave(t, append([]string{"evaluate", "--out", out}, test.args...)...)
			if _, err := os.Stat(out); test.code == 2 && !os.IsNotExist(err) {
				t.Errorf("something was written: %v", err)
			}
			if got.code != test.code || got.stdout != "" {
				t.Errorf("code %d, stdout %q", got.code, got.stdout)
			}
			got.expect(t, test.code, nil, test.want)
		})
	}
}
