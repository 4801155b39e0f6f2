package report

import (
	"encoding/json"
	"slices"
	"strings"

	xlanguage "golang.org/x/text/language"

	"sentweave/schemas/language"
	"sentweave/stages/metrics"
	"sentweave/stages/report/markup"
)

// The rest is what MTEB's BenchmarkResults.from_disk reads (mteb 2, results/model_result.py
// and results/task_result.py). Tasks, parts and metrics keep the names that our rows have:
// MTEB's own tasks are other data and other protocols.
type (
	mtebResults struct {
		ModelResults []mtebModel `json:"model_results"`
	}
	mtebModel struct {
		ModelName     string     `json:"model_name"`
		ModelRevision *string    `json:"model_revision"`
		TaskResults   []mtebTask `json:"task_results"`
	}
	mtebTask struct {
		TaskName        string                      `json:"task_name"`
		DatasetRevision string                      `json:"dataset_revision"`
		MTEBVersion     *string                     `json:"mteb_version"`
		Scores          map[string][]map[string]any `json:"scores"`
		EvaluationTime  *float64                    `json:"evaluation_time"`
	}
)

// mteb writes all figures in MTEB's form. The main score of a part is its first metric; the
// revision of a task is the hash of its data. Figures that are not finite, and correlations that are undefined, are left out.
func (r *results) mteb() ([]byte, error) {
	languages := languagesOf(r.order)
	export := mtebResults{ModelResults: []mtebModel{}}
	for _, m := range r.models {
		model := mtebModel{ModelName: m.Key, TaskResults: []mtebTask{}}
		for _, figures := range group(r.order, func(c cell) string { return c.task }) {
			task := mtebTask{TaskName: figures[0].task, Scores: map[string][]map[string]any{}}
			// MTEB takes the mean over the parts of a task itself.
			if parts := slices.DeleteFunc(slices.Clone(figures),
				func(c cell) bool { return metrics.IsAggregate(c.subtask) }); len(parts) > 0 {
				figures = parts
			}
			for _, part := range group(figures, func(c cell) string { return c.subtask + "\x00" + c.language }) {
				scores := map[string]any{}
				split := "test"
				for _, key := range part {
					f, ok := r.of(m, key)
					if !ok || !markup.Finite(f.value) || metrics.UndefinedOf(f.raw) == metrics.Undefined {
						continue
					}
					if _, ok := scores["main_score"]; !ok {
						scores["main_score"] = f.value
						task.DatasetRevision = f.data
					}
					if f.settings.Split != "" {
						split = f.settings.Split
					}
					scores[key.metric] = f.value
				}
				if len(scores) == 0 {
					continue
				}
				key := part[0]
				subset := key.subtask
				if !strings.Contains(subset, key.language) {
					subset = strings.TrimSpace(subset + " " + key.language)
				}
				if subset == "" {
					subset = "default"
				}
				scores["hf_subset"], scores["languages"] = subset, mtebLanguages(key.codes(languages))
				task.Scores[split] = append(task.Scores[split], scores)
			}
			if len(task.Scores) > 0 {
				model.TaskResults = append(model.TaskResults, task)
			}
		}
		export.ModelResults = append(export.ModelResults, model)
	}
	data, err := json.MarshalIndent(export, "", " ")
	return append(data, '\n'), err
}

// mtebLanguages writes codes with their scripts, as in eng-Latn.
func mtebLanguages(codes string) []string {
	list := []string{}
	for code := range strings.FieldsSeq(codes) {
		name := language.Base(code)
		if tag, err := language.BCP47(code); err == nil {
			script, _ := xlanguage.Make(tag).Script()
			name += "-" + script.String()
		}
		list = append(list, name)
	}
	return list
}
