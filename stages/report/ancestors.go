package report

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/lineage"
	"sentweave/stages/report/corpus"
	"sentweave/stages/report/markup"
	"sentweave/stages/vocab"
	"sentweave/transforms/measure/mining"
)

// lineage reads what the models of the results were made of; nothing without folders to look in, or where these are for documents alone.
func (c Config) lineage(ctx context.Context, sources []source) ([]lineage.Ancestor, error) {
	if len(c.Lineage) == 0 || len(sources) == 0 && c.Documents+c.Pairs != "" {
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
		err = fmt.Errorf("no model of the results, and nothing that one was made of, lies in %s: give the folder in which they were made",
			strings.Join(c.Lineage, ", "))
	}
	return list, err
}

// documents reads the dataset of documents, and what it was made of as far as that lies in folders of the configuration.
func (c Config) documents(ctx context.Context) (*corpus.Corpus, []lineage.Ancestor, error) {
	if c.Documents == "" {
		return nil, nil, nil
	}
	_, m, err := dataset.OpenAs[schemas.Document](ctx, c.Documents)
	if err != nil {
		return nil, nil, err
	}
	line, origins, err := c.line(ctx, c.Documents, "documents", m)
	if err != nil {
		return nil, nil, err
	}
	read, err := corpus.Read(ctx, line, c.RejectedSamples)
	return read, origins, err
}

// line is a dataset with those of its role that it was made of, beside which there may be others, such as held-out ones; the first one
// comes first. The ancestors are all.
func (c Config) line(ctx context.Context, location, role string, m *dataset.Manifest) ([]corpus.Dataset, []lineage.Ancestor, error) {
	all, err := lineage.Ancestors(ctx, append([]string{location}, c.Lineage...), []dataset.Input{m.Input(role)})
	if err != nil {
		return nil, nil, fmt.Errorf("lineage: %w", err)
	}
	var line []corpus.Dataset
	next := m.Check
	for _, a := range slices.Backward(all) {
		if a.Hash != next || a.Manifest == nil {
			continue
		}
		folder, err := storage.Locate(a.Location)
		if err != nil {
			return nil, nil, err
		}
		line = append(line, corpus.Dataset{Name: a.Name(), Folder: folder, Manifest: a.Manifest})
		for _, input := range a.Inputs {
			if input.Role == role {
				next = input.XXH3
			}
		}
	}
	slices.Reverse(line)
	return line, all, nil
}

// lineageBlocks shows what was built, from the first texts on: sizes and hashes, how many items
// each step kept, and the configurations.
func lineageBlocks(list []lineage.Ancestor) []markup.Block {
	if len(list) == 0 {
		return nil
	}
	artifacts := markup.Table{Caption: "From the first texts to the models",
		Columns: []markup.Column{{Name: "Folder"}, {Name: "Made by"}, {Name: "Rows", Number: true}, {Name: "Size", Number: true},
			{Name: "Content"}, {Name: "Made of"}}}
	funnel := markup.Table{Caption: "What each step kept",
		Columns: []markup.Column{{Name: "Folder"}, {Name: "Items"}, {Name: "Step"}, {Name: "In", Number: true}, {Name: "Out", Number: true},
			{Name: "Dropped"}}}
	configuration := markup.Table{
		Caption: "Configuration", Columns: []markup.Column{{Name: "Folder"}, {Name: "Plan"}, {Name: "Configuration"}}}
	for _, a := range list {
		var sources []string
		for _, input := range a.Inputs {
			what := input.Role + " " + input.XXH3
			if input.Files > 0 {
				what += fmt.Sprintf(" (%s, %s)", markup.Counted(int(input.Files), "file", "files"), markup.Size(input.Bytes))
			}
			sources = append(sources, what)
		}
		if v := a.Vocabulary; v != nil {
			artifacts.Rows = append(artifacts.Rows,
				markup.Cells(a.Name(), fmt.Sprintf("%s, version %d", v.Stage, v.Version), markup.Count(int64(v.Pieces)),
					markup.Absent, a.Hash, strings.Join(sources, ", ")))
			config, _ := json.Marshal(v.Config) // what was read from a file
			configuration.Rows = append(configuration.Rows, markup.Cells(a.Name(), markup.Absent, string(config)))
			continue
		}
		if a.Manifest == nil {
			artifacts.Rows = append(artifacts.Rows,
				markup.Cells(a.Name(), "an encoder", markup.Absent, markup.Absent, "", strings.Join(sources, ", ")))
			continue
		}
		plan := a.Manifest.Plan
		artifacts.Rows = append(artifacts.Rows, markup.Cells(a.Name(),
			fmt.Sprintf("%s, version %d, seed %d", plan.Pipeline, plan.PipelineVersion, plan.Seed), markup.Count(a.Manifest.Rows),
			markup.Size(a.Manifest.Bytes), a.Manifest.ContentXXH3, strings.Join(sources, ", ")))
		configuration.Rows = append(configuration.Rows, markup.Cells(a.Name(), plan.Hash, string(plan.Config)))
		for _, chain := range a.Manifest.Funnel.Chains {
			for _, step := range chain.Steps {
				funnel.Rows = append(funnel.Rows, funnelRow(a.Name(), chain.Items, step))
			}
		}
	}
	blocks := []markup.Block{artifacts}
	for _, a := range list {
		if a.Vocabulary != nil {
			blocks = append(blocks, markup.Folded{Summary: "How well the pieces of " + a.Name() + " cover each language",
				Blocks: []markup.Block{coverageTable(a.Vocabulary)}})
		}
		if a.Manifest == nil {
			continue
		}
		if text := mining.Summary(a.Manifest); text != "" {
			blocks = append(blocks, markup.Text{Body: "In " + a.Name() + ", " + text + "."})
		}
	}
	if len(funnel.Rows) > 0 {
		blocks = append(blocks, markup.Folded{Summary: "How many items each step kept", Blocks: []markup.Block{funnel}})
	}
	return append(blocks, markup.Folded{Summary: "Configurations", Blocks: []markup.Block{configuration}})
}

// coverageTable shows how well a vocabulary serves the languages of the words that it was learned from.
func coverageTable(v *vocab.Record) markup.Table {
	t := markup.Table{Caption: "Coverage of words", Sortable: true, Columns: []markup.Column{{Name: "Language"},
		{Name: "Different words", Number: true}, {Name: "Words", Number: true}, {Name: "Pieces a word", Number: true},
		{Name: "Words of one piece, %", Number: true}, {Name: "Unknown words, %", Number: true},
		{Name: "Known characters, %", Number: true}},
		Note: "Of the words that the vocabulary was learned from. Words and characters count as often as they occur; the share of words of " +
			"one piece is that of different words."}
	for _, l := range slices.Sorted(maps.Keys(v.Languages)) {
		c := v.Languages[l]
		different, one, known := markup.Absent, markup.Absent, markup.Absent
		if c.DifferentWords > 0 { // else an earlier program learned it
			different, one, known = markup.Count(c.DifferentWords), markup.Percent(c.OnePiece), markup.Percent(c.KnownCharacters)
		}
		t.Rows = append(t.Rows, markup.Cells(l, different, markup.Count(c.Words), fmt.Sprintf("%.2f", c.PiecesPerWord), one,
			markup.Percent(c.Unknown), known))
	}
	return t
}

// funnelRow sums a step over its languages, with the commonest reason first.
func funnelRow(name, items string, step dataset.Step) []markup.Cell {
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
		reasons[i] = reason + " " + markup.Count(dropped[reason])
	}
	return markup.Cells(name, items, step.Name, markup.Count(in), markup.Count(out), strings.Join(reasons, ", "))
}
