package report

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/peertest"
	"sentweave/schemas/storage"
	"sentweave/stages/report/markup"
)

func formatted(t *testing.T) *results {
	t.Helper()
	row := func(model, subtask, language, metric string, value float64, settings string) schemas.Result {
		return schemas.Result{Model: model, Task: "pairs, \"own\"", Subtask: subtask, Language: language, Metric: metric, Value: value,
			N: 7, Settings: settings, DataXXH3: "d"}
	}
	r, err := collect([]schemas.Result{
		row("a", "deu-zho_Hant", "deu-zho_Hant", "spearman", .1, `{"low":-0.25,"high":0.5,"split":"dev"}`),
		row("a", "deu-zho_Hant", "deu-zho_Hant", "pearson", .25, "{}"),
		row("a", "x", "eng", "spearman", .5, "{}"), row("a", "x", "eng", "spearman", 1, "{}"),
		row("a", "mean", "", "spearman", .3, "{}"), row("b", "mean", "", "spearman", .4, `{"undefined":3}`),
		row("b", "y", "eng", "spearman", 0, `{"undefined":true}`), row("c", "x", "eng", "pearson", math.Inf(1), "{}"),
		row("b b", "z", "eng", "spearman", .5, "{}"),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCSV(t *testing.T) {
	data, err := formatted(t).csv()
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"model|task|subtask|language|metric|value|low|high|deviation|deviation_over|n|data_xxh3|undefined",
		`a|pairs, "own"|deu-zho_Hant|deu-zho_Hant|spearman|0.1|-0.25|0.5|||7|d|`,
		`a|pairs, "own"|deu-zho_Hant|deu-zho_Hant|pearson|0.25|||||7|d|`,
		`a|pairs, "own"|x|eng|spearman|0.75|||0.3535533905932738|2 results|7|d|`, // √(2 · .25²)
	} {
		if got := strings.Join(lines[i], "|"); got != want {
			t.Errorf("line %d: %s, want %s", i+1, got, want)
		}
	}
	if len(lines) != 9 || lines[7][5] != "" || lines[5][12] != "3 undefined" || lines[6][12] != "undefined" {
		t.Errorf("%q: want a line for each model and figure, without values that are not finite, and marks of undefined ones", lines)
	}
}

// mtebFiles are the files in MTEB's form, of a model with one hash and of one with two.
func mtebFiles(t *testing.T) []storage.File {
	t.Helper()
	of := func(role, hash string) source {
		return source{"results", &dataset.Manifest{Plan: dataset.Plan{Inputs: []dataset.Input{{Role: role, XXH3: hash}}}}}
	}
	files, err := formatted(t).mteb([]source{of("model a", "beef"), of("model a", "beef"), of("model b b", "f00d"), of("model b b", "feed"),
		of("components a", "c0de")})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestMTEB(t *testing.T) {
	want := map[string]string{
		"mteb/results/a/beef/pairs, \"own\".json": `{"task_name": "pairs, \"own\"", "dataset_revision": "d", "mteb_version": null, "evaluation_time": null, "scores": {
			"dev": [{"hf_subset": "deu-zho_Hant", "languages": ["deu-Latn", "zho-Hant"], "main_score": 0.1, "spearman": 0.1, "pearson": 0.25}],
			"test": [{"hf_subset": "x eng", "languages": ["eng-Latn"], "main_score": 0.75, "spearman": 0.75}]}}`,
		"mteb/results/a/beef/model_meta.json": `{"name": "a", "revision": "beef"}`,
		"mteb/results/b_b/no_revision_available/pairs, \"own\".json": `{"task_name": "pairs, \"own\"", "dataset_revision": "d", "mteb_version": null,
			"evaluation_time": null, "scores": {"test": [{"hf_subset": "z eng", "languages": ["eng-Latn"], "main_score": 0.5, "spearman": 0.5}]}}`,
		"mteb/results/b_b/no_revision_available/model_meta.json": `{"name": "b b", "revision": "no_revision_available"}`,
		"mteb/files.json": `["mteb/files.json", "mteb/results/a/beef/pairs, \"own\".json", "mteb/results/a/beef/model_meta.json",
			"mteb/results/b_b/no_revision_available/pairs, \"own\".json", "mteb/results/b_b/no_revision_available/model_meta.json"]`,
	}
	for _, f := range mtebFiles(t) {
		var got, expected any
		if err := errors.Join(json.Unmarshal(f.Data, &got), json.Unmarshal([]byte(want[f.Name]), &expected)); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if !near(got, expected) {
			t.Errorf("%s: %s", f.Name, f.Data)
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// MTEB 2.26.24 reads the folder: models, revisions, tasks, and as scores the means of the main scores.
func TestReadByMTEB(t *testing.T) {
	python := peertest.Python(t, "mteb")
	folder := storage.NewLocal(t.TempDir())
	if err := storage.WriteFiles(t.Context(), folder, mtebFiles(t)); err != nil {
		t.Fatal(err)
	}
	out := peertest.Output(t, nil, python, "-c", `import sys, mteb
for m in mteb.ResultCache(sys.argv[1]).load_results(models=["a", "b b"]):
    for t in m.task_results: print(m.model_name, m.model_revision, t.task_name, sorted(t.languages), t.get_score())`,
		filepath.Join(folder.String(), mtebFolder))
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	if want := []string{`a beef pairs, "own" ['deu', 'eng', 'zho'] 0.425`, // (.1 + .75) / 2
		`b b no_revision_available pairs, "own" ['eng'] 0.5`}; !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
}

func TestTables(t *testing.T) {
	r := markup.Report{Title: "a_b",
		Sections: []markup.Section{{Title: "one|two", Blocks: []markup.Block{markup.Folded{Summary: "s", Blocks: []markup.Block{
			markup.Table{Caption: "c", Columns: []markup.Column{{Name: "x*"}, {Name: "n", Number: true}},
				Rows: [][]markup.Cell{{{Text: "a|b"}, {Text: "−1", Detail: "50 %", Strong: true, Shade: 0}}}, Note: "≈ <i>"},
		}}}}}}
	if got, want := string(r.Markdown()),
		"# a\\_b\n\n## one\\|two: c\n\n| x\\* | n |\n| --- | ---: |\n| a\\|b | **−1** (50 %) |\n\n≈ &lt;i>\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	want := "% \\usepackage{booktabs,longtable}\n\n\\begin{longtable}{lr}\n\\caption{one|two: c}\\\\\n\\toprule\nx* & n \\\\\n\\midrule\n\\endhead\n" +
		"a|b & \\textbf{$-$1} {\\scriptsize 50 \\%} \\\\\n\\bottomrule\n\\end{longtable}\n\\noindent{\\footnotesize $\\approx$ <i>}\n"
	if got := string(r.Latex()); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// Whatever a text holds, it stays a text: braces are balanced, and rows and columns as many.
	for text, want := range map[string]string{`\end{x}`: `\textbackslash{}end\{x\}`,
		"50 % & $x_1^2$ #~": `50 \% \& \$x\_1\textasciicircum{}2\$ \#\textasciitilde{}`} {
		r := markup.Report{Sections: []markup.Section{
			{Title: "s", Blocks: []markup.Block{markup.Table{Columns: []markup.Column{{Name: text}}}}}}}
		if got := string(r.Latex()); !strings.Contains(got, "\\toprule\n"+want+" \\\\\n") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Two models whose names give one folder have two, and what a report did not write stays.
func TestMTEBFolders(t *testing.T) {
	ctx, folder := t.Context(), storage.NewLocal(t.TempDir())
	r := formatted(t)
	r.models[0].Key = strings.ReplaceAll(r.models[1].Key, " ", "_")
	files, err := r.mteb(nil)
	names := map[string]bool{}
	for _, f := range files {
		names[f.Name] = true
	}
	if err != nil || len(names) != len(files) {
		t.Errorf("%v of %d files: %v", names, len(files), err)
	}
	foreign := storage.File{Name: mtebFolder + "results/other/rev/sts.json", Data: []byte("{}")}
	if err := errors.Join(storage.WriteFiles(ctx, folder, append(mtebFiles(t), foreign)), removeOthers(ctx, folder, nil)); err != nil {
		t.Fatal(err)
	}
	for info, err := range folder.List(ctx, "") {
		if err != nil || info.Name != foreign.Name {
			t.Errorf("%s: %v", info.Name, err)
		}
	}
}
