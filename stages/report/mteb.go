package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	xlanguage "golang.org/x/text/language"

	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/stages/metrics"
	"sentweave/stages/report/markup"
)

// mtebFolder holds results/MODEL/REVISION/TASK.json, as MTEB's ResultCache does (mteb 2, cache/result_cache.py and
// results/task_result.py). Tasks, parts and metrics keep the names that our rows have: MTEB's own tasks are other data and
// other protocols.
const mtebFolder = "mteb/"

// mtebList is the list of the files of a report in that folder.
const mtebList = mtebFolder + "files.json"

type mtebTask struct {
	TaskName        string                      `json:"task_name"`
	DatasetRevision string                      `json:"dataset_revision"`
	MTEBVersion     *string                     `json:"mteb_version"`
	Scores          map[string][]map[string]any `json:"scores"`
	EvaluationTime  *float64                    `json:"evaluation_time"`
}

// mteb are the files of all figures in MTEB's form. The main score of a part is its first metric; the revision of a task is the
// hash of its data, and that of a model the hash of its files. Figures that are not finite, and correlations that are undefined,
// are left out.
func (r *results) mteb(sources []source) (files []storage.File, err error) {
	languages := languagesOf(r.order)
	folders := map[string]bool{}
	for _, m := range r.models {
		revision := revisionOf(m.Key, sources)
		name := strings.ReplaceAll(m.Key, " ", "_")
		folder := path.Join(mtebFolder, "results", name, revision)
		for n := 2; folders[folder]; n++ { // another model whose name has an underscore there
			folder = path.Join(mtebFolder, "results", fmt.Sprint(name, "-", n), revision)
		}
		folders[folder] = true
		tasks := len(files)
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
				file, err := jsonFile(path.Join(folder, strings.ReplaceAll(task.TaskName, "/", "_")+".json"), task)
				if err != nil {
					return nil, err
				}
				files = append(files, file)
			}
		}
		if len(files) > tasks {
			file, err := jsonFile(path.Join(folder, "model_meta.json"), map[string]string{"name": m.Key, "revision": revision})
			if err != nil {
				return nil, err
			}
			files = append(files, file)
		}
	}
	names := []string{mtebList}
	for _, f := range files {
		names = append(names, f.Name)
	}
	list, err := jsonFile(mtebList, names)
	return append(files, list), err
}

func jsonFile(name string, value any) (storage.File, error) {
	data, err := json.MarshalIndent(value, "", " ")
	return storage.File{Name: name, Data: append(data, '\n')}, err
}

// revisionOf is the hash of a model's files by the inputs of results, or MTEB's word where these have none, or several.
func revisionOf(model string, sources []source) string {
	hashes := map[string]bool{}
	for _, s := range sources {
		for _, input := range s.manifest.Plan.Inputs {
			if name, ok := strings.CutPrefix(input.Role, "model "); ok && strings.HasPrefix(model+"+", name+"+") {
				hashes[input.XXH3] = true
			}
		}
	}
	if len(hashes) != 1 {
		return "no_revision_available"
	}
	return slices.Collect(maps.Keys(hashes))[0]
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
