package similarity

import (
	"fmt"
	"slices"
	"strings"

	"sentweave/schemas/spelling"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/metrics"
	"sentweave/transforms/testsets/senteval"
)

// SemEval is the task of a year of SemEval, with the subtasks in the order of SentEval. The
// SMT part of 2013 is not free and nobody's average has it.
func SemEval(year string) protocol.Task {
	return protocol.Task{
		Name: "sts" + year, Measures: "similarity of the scored pairs of SemEval-20" + year,
		From: []protocol.Source{protocol.FromData}, Group: protocol.GroupSTS,
		Read: func(reader *protocol.Input) (protocol.Protocol, error) { return readSTS(reader, "20"+year) },
	}
}

// readSTS reads sts/YEAR/SUBTASK.test.tsv: gold, text, text between tabs, which are the
// lines of SentEval's two files of a subtask. Pairs without gold are not scored.
func readSTS(reader *protocol.Input, year string) (protocol.Protocol, error) {
	t := &similarity{settings: map[string]any{"split": "test"}, concatenated: true, averaged: true, language: "eng"}
	source, _ := senteval.TaskByName(reader.Task)
	for _, part := range source.Files {
		name := strings.TrimPrefix(part.Split, "surprise.")
		file := "sts/" + year + "/" + name + ".test.tsv"
		lines, err := reader.Lines(file)
		if err != nil {
			return nil, err
		}
		var input, gold strings.Builder
		for i, line := range lines {
			score, pair, _ := strings.Cut(line, "\t")
			if n := strings.Count(line, "\t") + 1; n != 3 {
				return nil, fmt.Errorf("read %s: %s line %d has %s, want 3: gold, text, text", reader.Task, file, i+1,
					spelling.Number(n, "field"))
			}
			input.WriteString(pair + "\n")
			gold.WriteString(score + "\n")
		}
		p := Pairs{subtask: name, language: "eng"}
		if err := p.readSentEval(reader, source, part, file, func(partName string) string {
			if partName == part.Name {
				return input.String()
			}
			return gold.String()
		}); err != nil {
			return nil, err
		}
		if len(lines) > 0 && len(p.gold) == 0 {
			return nil, fmt.Errorf("read %s: %s has no pair with gold", reader.Task, file)
		}
		t.subtasks = append(t.subtasks, p)
	}
	return t, nil
}

// STSBenchmark is the task stsb.
var STSBenchmark = protocol.Task{
	Name: "stsb", Measures: "similarity of the scored pairs of the STS benchmark",
	From: []protocol.Source{protocol.FromData}, Group: protocol.GroupSTS, Split: true, Read: readSTSB,
}

// readSTSB reads stsb/sts-SPLIT.csv as SentEval does.
func readSTSB(reader *protocol.Input) (protocol.Protocol, error) {
	file := "stsb/sts-" + reader.Split + ".csv"
	lines, err := reader.Lines(file)
	if err != nil {
		return nil, err
	}
	source, _ := senteval.TaskByName(reader.Task)
	part := source.Files[slices.IndexFunc(source.Files, func(p senteval.File) bool { return p.Split == reader.Split })]
	p := Pairs{subtask: metrics.SubtaskAll, language: "eng"}
	if err := p.readSentEval(reader, source, part, file, func(string) string { return strings.Join(lines, "\n") }); err != nil {
		return nil, err
	}
	return &similarity{subtasks: []Pairs{p}, settings: map[string]any{"split": reader.Split}}, nil
}

// readSentEval adds the pairs with gold of one part of SentEval; file names it in errors.
func (p *Pairs) readSentEval(reader *protocol.Input, source senteval.Task, part senteval.File, file string,
	content func(name string) string) error {
	source.Files = []senteval.File{part}
	rows := senteval.Source{Language: "eng", Partial: true}
	for r, err := range rows.Read(source, func(name string) ([]byte, error) { return []byte(content(name)), nil }) {
		if err != nil {
			return err
		}
		if r.Reason != "" {
			return fmt.Errorf("read %s: %s line %d: %s", reader.Task, file, r.Line, r.Detail)
		}
		if r.Row.Skip {
			continue
		}
		p.Add(encoder.Text{Text: r.Row.TextA, Language: "eng"}, encoder.Text{Text: r.Row.TextB, Language: "eng"}, *r.Row.Target)
	}
	return nil
}
