package report

import (
	"fmt"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/stages/report/markup"
)

// Of more figures than models the overview has a row for each figure, so that it is as wide as
// the models are many.
func TestOverviewOfManyTasks(t *testing.T) {
	rows := manyTasks(3, 20)
	overview, _, err := taskSections(rows, nil, comparisons{})
	if err != nil || len(overview) != 1 {
		t.Fatal(overview, err)
	}
	wide := overview[0].(markup.Table)
	if len(wide.Columns) != 4 || len(wide.Rows) != 20 || wide.Columns[3].Name != "model-2" ||
		fmt.Sprint(wide.Rows[1]) != "[{task-01 mean accuracy false 0} {31.00 29.0 to 33.0 false 0} {41.00 39.0 to 43.0 ≈ false 0} {42.00 40.0 to 44.0 true 0}]" {
		t.Errorf("%+v", wide)
	}
	if overview, _, err = taskSections(manyTasks(3, 2), nil, comparisons{}); err != nil {
		t.Fatal(err)
	}
	few := overview[0].(markup.Table)
	if len(few.Columns) != 3 || len(few.Rows) != 3 || few.Columns[2].Name != "task-01 mean accuracy" || few.Rows[1][2].Text != "41.00" {
		t.Errorf("%+v", few)
	}
}

// A task whose first metrics have no better side is told by the first that has one, once; one whose
// metrics all have none by its first.
func TestHeadlines(t *testing.T) {
	at := func(figures ...string) (list []cell) {
		for _, f := range figures {
			metric, subtask, _ := strings.Cut(f, " ")
			list = append(list, cell{task: "t", subtask: subtask, metric: metric})
		}
		return list
	}
	for want, figures := range map[string][]cell{
		"[map set/mean]": at("share set/1/deu-eng", "entropy set/1/mean", "same_language set/1/mean",
			"entropy set/10/mean", "map set/deu", "map set/mean", "language_accuracy set/mean"),
		"[entropy 1/mean entropy 10/mean]": at("entropy 1/mean", "same_language 1/mean", "entropy 10/mean"),
		"[spearman mean]":                  at("spearman a", "spearman mean", "pearson mean"),
	} {
		var got []string
		for _, h := range headlines(figures) {
			got = append(got, h.metric+" "+h.subtask)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
}

// manyTasks are the figures of models on tasks, each in five languages and as a mean.
func manyTasks(models, tasks int) (rows []schemas.Result) {
	for m := range models {
		for k := range tasks {
			value := []float64{.30, .40, .41}[m%3] + float64(k)/100
			r := schemas.Result{Model: fmt.Sprintf("model-%d", m), Task: fmt.Sprintf("task-%02d", k), Metric: "accuracy", N: 1000,
				DataXXH3: "d"}
			for i, code := range []string{"deu", "eng", "fra", "spa", "zho", ""} {
				r.Subtask, r.Language, r.Value = code, code, value+float64(i-5)/100
				if code == "" {
					r.Subtask = "mean"
				}
				r.Settings = fmt.Sprintf(`{"low":%.3f,"high":%.3f}`, r.Value-.02, r.Value+.02)
				rows = append(rows, r)
			}
		}
	}
	return rows
}
