package report

import (
	"fmt"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/stages/report/markup"
)

// A metric whose figures are those of another one has no table of its own; one figure, or one
// interval, makes the difference.
func TestRepeatedMetrics(t *testing.T) {
	result := func(model, subtask, metric string, value float64, settings string) schemas.Result {
		return schemas.Result{Model: model, Task: "tatoeba", Subtask: subtask, Metric: metric, Value: value, N: 1000, Settings: settings}
	}
	for _, test := range []struct {
		name     string
		metric   string
		settings string
		values   [4]float64 // of two models and two parts
		want     string     // "" is a table of its own
	}{
		{"equal", "text_accuracy", "{}", [4]float64{.5, .25, .75, .25}, "Each text_accuracy is equal to the accuracy."},
		{"nothing left out", "accuracy_uncontaminated", `{"contaminated":0}`, [4]float64{.5, .25, .75, .25},
			"Each accuracy_uncontaminated is equal to the accuracy: no item is in the training of a model."},
		{"one figure", "text_accuracy", "{}", [4]float64{.5, .25, .75, .26}, ""},
		{"an interval", "text_accuracy", `{"low":0.1,"high":0.9}`, [4]float64{.5, .25, .75, .25}, ""},
	} {
		var rows []schemas.Result
		for _, metric := range []string{"accuracy", test.metric} {
			settings := "{}"
			values := [4]float64{.5, .25, .75, .25}
			if metric == test.metric {
				settings, values = test.settings, test.values
			}
			for i, value := range values {
				rows = append(rows, result(fmt.Sprint("m", i/2), fmt.Sprint("part", i%2), metric, value, settings))
			}
		}
		_, sections, err := taskSections(rows, nil, comparisons{})
		if err != nil || len(sections) == 0 {
			t.Fatal(sections, err)
		}
		tables, said := 0, ""
		for _, b := range sections[0].Blocks {
			switch b := b.(type) {
			case markup.Table:
				tables++
			case markup.Text:
				said += b.Body
			}
		}
		if repeated := strings.Count(test.want, "equal"); said != test.want || tables != 2-repeated {
			t.Errorf("%s: %d tables, said %q, want %q", test.name, tables, said, test.want)
		}
	}
}
