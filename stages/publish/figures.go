package publish

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
	"sentweave/stages/metrics"
	"sentweave/stages/model"
)

// figuresOf reads the figures of the encoder: those of its name where there are several. Figures of another encoder, or of other vectors
// than those that the folder gives by itself, are errors.
func figuresOf(ctx context.Context, f *model.Folder, location string, c Config) (figures []schemas.Result, err error) {
	if c.Results == "" {
		return nil, nil
	}
	folder, m, err := dataset.OpenAs[schemas.Result](ctx, c.Results)
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	var models []string
	for r, err := range dataset.Rows[schemas.Result](ctx, folder, m) {
		if err != nil {
			return nil, fmt.Errorf("results: %w", err)
		}
		if !slices.Contains(models, r.Model) {
			models = append(models, r.Model)
		}
		if metrics.UndefinedOf(r.Settings) != metrics.Undefined {
			figures = append(figures, r)
		}
	}
	name := c.Model
	if name == "" && len(models) == 1 {
		name = models[0]
	}
	if !slices.Contains(models, name) {
		return nil, fmt.Errorf("results: %s has the encoders %s: choose one by --model", c.Results, strings.Join(models, ", "))
	}
	own, err := model.Input(ctx, "model "+name, location)
	if err != nil {
		return nil, err
	}
	if measured := m.Plan.InputHash(own.Role); measured != own.XXH3 {
		return nil, fmt.Errorf("results: %s was another encoder, %s, when %s was made, and this one is %s: evaluate it again", name,
			cmp.Or(measured, "no folder"), c.Results, own.XXH3)
	}
	figures = slices.DeleteFunc(figures, func(r schemas.Result) bool { return r.Model != name })
	if m.Plan.InputHash("components "+name) != "" {
		return nil, fmt.Errorf("results: the vectors of %s are without principal components, and the folder gives them whole: evaluate it without --components",
			name)
	}
	return figures, plainVectors(f, figures)
}

// plainVectors returns an error unless figures are of the vectors that a folder gives without further settings.
func plainVectors(f *model.Folder, figures []schemas.Result) error {
	for _, r := range figures {
		var s struct {
			Layer   string `json:"layer"`
			Pooling string `json:"pooling"`
		}
		if err := jsonfile.Unmarshal([]byte(r.Settings), &s); err != nil { // of another shape: it says nothing of the vectors
			continue
		}
		if s.Layer != "" && s.Layer != "last" || s.Pooling != "" && f.Pooling != "" && s.Pooling != string(f.Pooling) {
			return fmt.Errorf("results: %s was measured with layer %s and pooling %s, and the folder gives layer last and pooling %s: evaluate it without these settings",
				r.Task, s.Layer, s.Pooling, f.Pooling)
		}
	}
	return nil
}

// The Hub's model-index.
type (
	indexModel struct {
		Name    string        `yaml:"name"`
		Results []indexResult `yaml:"results"`
	}
	indexResult struct {
		Task    indexTask     `yaml:"task"`
		Dataset indexDataset  `yaml:"dataset"`
		Metrics []indexMetric `yaml:"metrics"`
	}
	indexTask struct {
		Type string `yaml:"type"`
	}
	indexDataset struct {
		Type     string `yaml:"type"`
		Name     string `yaml:"name"`
		Config   string `yaml:"config,omitempty"`
		Revision string `yaml:"revision,omitempty"`
	}
	indexMetric struct {
		Type  string  `yaml:"type"`
		Value float64 `yaml:"value"`
	}
)

// index has a result for each part of a task, in the order of the figures.
func index(name string, figures []schemas.Result) []indexModel {
	var results []indexResult
	for _, r := range figures {
		d := indexDataset{Type: r.Task, Name: strings.TrimSpace(r.Task + " " + r.Subtask), Config: r.Language, Revision: r.DataXXH3}
		kind := "feature-extraction"
		if strings.Contains(r.Metric, "spearman") || strings.Contains(r.Metric, "pearson") {
			kind = "semantic-similarity"
		}
		if n := len(results); n == 0 || results[n-1].Dataset != d || results[n-1].Task.Type != kind {
			results = append(results, indexResult{Task: indexTask{kind}, Dataset: d})
		}
		last := &results[len(results)-1]
		last.Metrics = append(last.Metrics, indexMetric{r.Metric, r.Value})
	}
	if results == nil {
		return nil
	}
	return []indexModel{{name, results}}
}
