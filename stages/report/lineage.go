package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas/dataset"
	"sentweave/stages/report/markup"
)

// source is a dataset whose rows are shown.
type source struct {
	name     string
	manifest *dataset.Manifest
}

// sourceTable tells what made the datasets, of what and how, by their manifests: whoever has
// the same inputs can make the same figures again.
func sourceTable(sources []source) markup.Table {
	t := markup.Table{Caption: "Datasets of results", Columns: []markup.Column{{Name: "Dataset"}, {Name: "What"}, {Name: "Value"}}}
	for _, s := range sources {
		plan := s.manifest.Plan
		t.Rows = append(t.Rows,
			markup.Cells(s.name, "made by", fmt.Sprintf("%s, version %d, seed %d", plan.Pipeline, plan.PipelineVersion, plan.Seed)),
			markup.Cells(s.name, "rows", fmt.Sprintf("%s, content %s", markup.Count(s.manifest.Rows), s.manifest.ContentXXH3)),
			markup.Cells(s.name, "configuration", string(plan.Config)))
		for _, input := range plan.Inputs {
			value := input.XXH3
			if input.Files > 0 {
				value += fmt.Sprintf(" (%s, %s)", markup.Counted(int(input.Files), "file", "files"), markup.Size(input.Bytes))
			}
			t.Rows = append(t.Rows, markup.Cells(s.name, input.Role, value))
		}
	}
	return t
}

// severalVersions says that results were made by different versions of evaluate, whose figures may
// not compare; "" if they were not.
func severalVersions(sources []source) string {
	names := map[int][]string{}
	for _, s := range sources {
		if plan := s.manifest.Plan; plan.Pipeline == "evaluate" {
			names[plan.PipelineVersion] = append(names[plan.PipelineVersion], s.name)
		}
	}
	if len(names) < 2 {
		return ""
	}
	var list []string
	for _, version := range slices.Sorted(maps.Keys(names)) {
		list = append(list, fmt.Sprintf("version %d (%s)", version, strings.Join(names[version], ", ")))
	}
	return "These results were made by " + strings.Join(list, " and ") +
		" of evaluate, which may give different figures for the same vectors: evaluate the older ones again to compare them."
}
