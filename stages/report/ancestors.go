package report

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas/dataset"
	"sentweave/stages/lineage"
)

// lineage reads what the models of the results were made of; nothing without folders to look in.
func (c Config) lineage(ctx context.Context, sources []source) ([]lineage.Ancestor, error) {
	if len(c.Lineage) == 0 {
		return nil, nil
	}
	var inputs []dataset.Input
	for _, s := range sources {
		for _, input := range s.manifest.Plan.Inputs {
			if strings.HasPrefix(input.Role, "model ") {
				inputs = append(inputs, input)
			}
		}
	}
	list, err := lineage.Ancestors(ctx, c.Lineage, inputs)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("no model of the results, and nothing that one was made of, lies in %s: give the folder in which they were made", strings.Join(c.Lineage, ", "))
	}
	return list, err
}

// lineageBlocks shows what was built, from the first texts on: sizes and hashes, how many items
// each step kept, and the configurations.
func lineageBlocks(list []lineage.Ancestor) []Block {
	if len(list) == 0 {
		return nil
	}
	artifacts := Table{Caption: "From the first texts to the models",
		Columns: []Column{{Name: "Folder"}, {Name: "Made by"}, {"Rows", true}, {"Size", true}, {Name: "Content"}, {Name: "Made of"}}}
	funnel := Table{Caption: "What each step kept", Columns: []Column{{Name: "Folder"}, {Name: "Items"}, {Name: "Step"}, {"In", true}, {"Out", true}, {Name: "Dropped"}}}
	configuration := Table{Caption: "Configuration", Columns: []Column{{Name: "Folder"}, {Name: "Plan"}, {Name: "Configuration"}}}
	for _, a := range list {
		var sources []string
		for _, input := range a.Inputs {
			what := input.Role + " " + input.XXH3
			if input.Files > 0 {
				what += fmt.Sprintf(" (%s, %s)", counted(int(input.Files), "file", "files"), size(input.Bytes))
			}
			sources = append(sources, what)
		}
		if v := a.Vocabulary; v != nil {
			artifacts.Rows = append(artifacts.Rows, cells(a.Name, fmt.Sprintf("%s, version %d", v.Stage, v.Version), count(int64(v.Pieces)),
				absent, a.Hash, strings.Join(sources, ", ")))
			config, _ := json.Marshal(v.Config) // what was read from a file
			configuration.Rows = append(configuration.Rows, cells(a.Name, absent, string(config)))
			continue
		}
		if a.Manifest == nil {
			artifacts.Rows = append(artifacts.Rows, cells(a.Name, "an encoder", absent, absent, "", strings.Join(sources, ", ")))
			continue
		}
		plan := a.Manifest.Plan
		artifacts.Rows = append(artifacts.Rows, cells(a.Name,
			fmt.Sprintf("%s, version %d, seed %d", plan.Pipeline, plan.PipelineVersion, plan.Seed), count(a.Manifest.Rows),
			size(a.Manifest.Bytes), a.Manifest.ContentXXH3, strings.Join(sources, ", ")))
		configuration.Rows = append(configuration.Rows, cells(a.Name, plan.Hash, string(plan.Config)))
		for _, chain := range a.Manifest.Funnel.Chains {
			for _, step := range chain.Steps {
				funnel.Rows = append(funnel.Rows, funnelRow(a.Name, chain.Items, step))
			}
		}
	}
	blocks := []Block{artifacts}
	if len(funnel.Rows) > 0 {
		blocks = append(blocks, folded{"How many items each step kept", []Block{funnel}})
	}
	return append(blocks, folded{"Configurations", []Block{configuration}})
}

// funnelRow sums a step over its languages, with the commonest reason first.
func funnelRow(name, items string, step dataset.Step) []Cell {
	var in, out int64
	dropped := map[string]int64{}
	for _, c := range step.Languages {
		in, out = in+c.In, out+c.Out
		for reason, n := range c.Dropped {
			dropped[reason] += n
		}
	}
	reasons := slices.Sorted(maps.Keys(dropped))
	slices.SortStableFunc(reasons, func(a, b string) int { return int(dropped[b] - dropped[a]) })
	for i, reason := range reasons {
		reasons[i] = reason + " " + count(dropped[reason])
	}
	return cells(name, items, step.Name, count(in), count(out), strings.Join(reasons, ", "))
}
