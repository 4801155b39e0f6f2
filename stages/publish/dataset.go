package publish

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas/dataset"
	"sentweave/schemas/spelling"
	"sentweave/schemas/storage"
	"sentweave/stages/inspect"
	"sentweave/stages/publish/hub"
	"sentweave/transforms/testsets/benchmark"
)

// openDataset collects a dataset.
func openDataset(ctx context.Context, folder storage.Folder, m *dataset.Manifest, name string, c Config) (*Repository, error) {
	if c.BaseModel+c.Results != "" {
		return nil, fmt.Errorf("%s is a dataset: base-model and results are of encoders", folder)
	}
	if err := m.CheckHashes(ctx, folder); err != nil {
		return nil, err
	}
	listed := map[string]bool{dataset.ManifestName: true}
	for _, s := range m.Shards {
		listed[s.Name] = true
	}
	if m.Counts != nil {
		listed[m.Counts.Name] = true
	}
	if m.Rejects != nil && !c.WithoutRejects {
		listed[m.Rejects.Name] = true
	}
	files, err := filesOf(ctx, folder, func(name string) bool { return listed[name] })
	if err != nil {
		return nil, err
	}
	r := &Repository{Kind: hub.Dataset, Files: files, Stale: dataset.IsPart}
	rows, err := inspect.Open(ctx, folder)
	if err != nil {
		return nil, err
	}
	table, err := rows.Table(ctx)
	if err != nil {
		return nil, err
	}
	description, err := croissant(ctx, files, m, table, c)
	if err != nil {
		return nil, err
	}
	data, err := datasetCard(m, table, name, c)
	if err != nil {
		return nil, err
	}
	r.Files = append(r.Files, madeFile(croissantName, description), madeFile(cardName, data))
	return r, nil
}

// dataFolder is that of the shards, as manifests name them.
const dataFolder = "data/"

// datasetHead is the front matter of a dataset's card.
type datasetHead struct {
	License   string          `yaml:"license,omitempty"`
	Languages []string        `yaml:"language,omitempty"`
	Title     string          `yaml:"pretty_name"`
	Sizes     []string        `yaml:"size_categories"`
	Tags      []string        `yaml:"tags"`
	Configs   []datasetConfig `yaml:"configs"`
}

type datasetConfig struct {
	Name  string `yaml:"config_name"`
	Files string `yaml:"data_files"`
}

// datasetCard says what rows there are, what they were made of, and what was dropped on the way.
func datasetCard(m *dataset.Manifest, table inspect.Table, name string, c Config) ([]byte, error) {
	head := datasetHead{License: c.License, Languages: tags(languagesOf(m, c)), Title: c.Title,
		Sizes: []string{benchmark.SizeCategory(m.Rows)}, Tags: []string{tag},
		Configs: []datasetConfig{{"default", dataFolder + "*.parquet"}}}
	var b card
	if err := b.head(head); err != nil {
		return nil, err
	}
	b.title(head.Title)
	b.paragraph("%s rows of the schema `%s` in Parquet, %s bytes. Sentweave made them by `%s` (version %d).",
		spelling.Thousands(m.Rows), m.Schema(), spelling.Thousands(m.Bytes), m.Plan.Pipeline, m.Plan.PipelineVersion)
	b.section("Use")
	b.code("python", fmt.Sprintf("from datasets import load_dataset\n\nrows = load_dataset(%q)", address(name)))
	b.section("Columns")
	var columns [][]string
	for _, column := range table.Columns {
		columns = append(columns, []string{column.Name, column.Type()})
	}
	b.table([]string{"column", "type"}, columns)
	if len(m.Funnel.Chains) > 0 {
		b.section("What was dropped")
		b.paragraph("The counts of each language are in `%s`.", dataset.ManifestName)
		var steps [][]string
		for _, chain := range m.Funnel.Chains {
			for _, step := range chain.Steps {
				total := step.Total()
				steps = append(steps, []string{chain.Items, step.Name, spelling.Thousands(total.In),
					spelling.Thousands(total.Out), reasons(total.Dropped)})
			}
		}
		b.table([]string{"of", "step", "in", "out", "dropped"}, steps)
	}
	b.section("How it was made")
	b.paragraph("The same plan and the same inputs give the same bytes. The content has the hash `%s`, seed %d.", m.ContentXXH3, m.Plan.Seed)
	var inputs [][]string
	for _, input := range m.Plan.Inputs {
		inputs = append(inputs, []string{input.Role, input.XXH3})
	}
	b.table([]string{"input", "hash"}, inputs)
	var config bytes.Buffer
	if err := json.Indent(&config, m.Plan.Config, "", " "); err != nil {
		return nil, err
	}
	b.code("json", config.String())
	return b.Bytes(), nil
}

// reasons lists counts, the greatest first.
func reasons(dropped map[string]int64) string {
	var list []string
	byCount := func(a, b string) int { return cmp.Or(cmp.Compare(dropped[b], dropped[a]), strings.Compare(a, b)) }
	for _, reason := range slices.SortedFunc(maps.Keys(dropped), byCount) {
		list = append(list, fmt.Sprintf("%s %s", reason, spelling.Thousands(dropped[reason])))
	}
	return strings.Join(list, ", ")
}

// languagesOf are those of the configuration or else of the first chain of the funnel, those of a pair apart.
func languagesOf(m *dataset.Manifest, c Config) (codes []string) {
	if len(c.Languages) > 0 {
		return c.Languages
	}
	for _, chain := range m.Funnel.Chains {
		last := chain.Steps[len(chain.Steps)-1]
		for key, count := range last.Languages {
			if count.Out == 0 {
				continue
			}
			for code := range strings.SplitSeq(key, "-") {
				if !slices.Contains(codes, code) {
					codes = append(codes, code)
				}
			}
		}
	}
	slices.Sort(codes)
	return codes
}
