package search

import (
	"strings"
	"testing"

	"sentweave/stages/objective"
	"sentweave/stages/train"
	"sentweave/stages/train/batches"
)

// Values compare only where they measure the same on the same.
func TestComparable(t *testing.T) {
	base := func(objectiveName string) train.Config {
		return train.Config{
			Validation: &train.Validation{Every: 1, Share: .1}, Objectives: objective.Settings{}.With(objectiveName),
			Periods: []train.Period{{Name: "p", Mixture: []batches.Source{{Objective: objectiveName, Dataset: "a", BatchSize: 8}}}},
		}
	}
	source := func(c *train.Config) *batches.Source { return &c.Periods[0].Mixture[0] }
	for name, test := range map[string]struct {
		objective string
		edit      func(c *train.Config)
		want      string
	}{
		"equal": {"bitext", func(*train.Config) {}, ""},
		"rate":  {"bitext", func(c *train.Config) { c.Periods[0].Rate = 3 }, ""},
		"none":  {"bitext", func(c *train.Config) { c.Validation = nil }, "give --validate-every"},
		"other validation": {"bitext", func(c *train.Config) { c.Validation = &train.Validation{Every: 2, Share: .1} },
			"different validations"},
		"negatives":         {"bitext", func(c *train.Config) { source(c).BatchSize = 9 }, "as many negatives as a batch has, 8 and 9"},
		"without negatives": {"nli", func(c *train.Config) { source(c).BatchSize = 9 }, ""},
		"data":              {"nli", func(c *train.Config) { source(c).Dataset = "b" }, "a and b are different examples"},
		"length":            {"nli", func(c *train.Config) { source(c).MaxTokens = 9 }, "cut after 0 and 9 tokens"},
		"weight":            {"nli", func(c *train.Config) { source(c).Weight = 9 }, "weighs 1 and 9"},
		"objective":         {"nli", func(c *train.Config) { source(c).Objective = "cosine" }, "nli and cosine are different losses"},
		"margin": {"bitext", func(c *train.Config) {
			c.Objectives = objective.Settings{"bitext": &objective.Bitext{Margin: .1, Scale: 20}}
		}, "the setting margin changes the loss of bitext"},
		"prefixes": {"nli", func(c *train.Config) {
			other := *c.Objectives.Of("nli").(*objective.NLI)
			other.Dimensions = []int{8}
			c.Objectives = objective.Settings{"nli": &other}
		}, "the setting dimensions changes the loss of nli"},
		"sources": {"nli", func(c *train.Config) { c.Periods[0].Mixture = append(c.Periods[0].Mixture, *source(c)) },
			"different numbers of losses"},
		"periods": {"nli", func(c *train.Config) { c.Periods = append(c.Periods, c.Periods[0]) }, "different numbers of periods"},
	} {
		a, b := base(test.objective), base(test.objective)
		test.edit(&b)
		err := Comparable(a, b)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
		task := &train.Validation{Every: 1, Datasets: []string{"x"}, Metric: "stsb/spearman"}
		a.Validation, b.Validation = task, task
		if err := Comparable(a, b); err != nil {
			t.Errorf("%s, by a task: %v", name, err)
		}
	}
}
