package report

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"sentweave/schemas"
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
	if len(lines) != 8 || lines[7][5] != "" || lines[5][12] != "3 undefined" || lines[6][12] != "undefined" {
		t.Errorf("%q: want a line for each model and figure, without values that are not finite, and marks of undefined ones", lines)
	}
}

// MTEB 2.26.24 read such a file, and gave as its scores the means of these main scores.
func TestMTEB(t *testing.T) {
	data, err := formatted(t).mteb()
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{"model_results": [
		{"model_name": "a", "model_revision": null, "task_results": [{"task_name": "pairs, \"own\"", "dataset_revision": "d", "mteb_version": null, "evaluation_time": null, "scores": {
			"dev": [{"hf_subset": "deu-zho_Hant", "languages": ["deu-Latn", "zho-Hant"], "main_score": 0.1, "spearman": 0.1, "pearson": 0.25}],
			"test": [{"hf_subset": "x eng", "languages": ["eng-Latn"], "main_score": 0.75, "spearman": 0.75}]}}]},
		{"model_name": "b", "model_revision": null, "task_results": []},
		{"model_name": "c", "model_revision": null, "task_results": []}]}`), &want); err != nil {
		t.Fatal(err)
	}
	if !near(got, want) {
		t.Errorf("%s", data)
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
