package evaluate

import (
	"fmt"
	"slices"
	"strings"

	"sentweave/schemas/spelling"
	"sentweave/stages/encoder"
	"sentweave/transforms/testsets/senteval"
)

// stsOf is the task of a year of SemEval, with the subtasks in the order of SentEval. The
// SMT part of 2013 is not free and nobody's average has it.
func stsOf(year string) task {
	return task{
		name: "sts" + year, measures: "similarity of the scored pairs of SemEval-20" + year,
		from: []source{fromData}, group: groupSTS,
		read: func(reader *input) (protocol, error) { return readSTS(reader, "20"+year) },
	}
}

// readSTS reads sts/YEAR/SUBTASK.test.tsv: gold, text, text between tabs, which are the
// lines of SentEval's two files of a subtask. Pairs without gold are not scored.
func readSTS(reader *input, year string) (protocol, error) {
	t := &similarity{settings: map[string]any{"split": "test"}, concatenated: true, averaged: true, language: "eng"}
	source, _ := senteval.TaskByName(reader.task)
	for _, part := range source.Files {
		name := strings.TrimPrefix(part.Split, "surprise.")
		file := "sts/" + year + "/" + name + ".test.tsv"
		lines, err := reader.lines(file)
		if err != nil {
			return nil, err
		}
		var input, gold strings.Builder
		for i, line := range lines {
			score, pair, _ := strings.Cut(line, "\t")
			if n := strings.Count(line, "\t") + 1; n != 3 {
				return nil, fmt.Errorf("read %s: %s line %d has %s, want 3: gold, text, text", reader.task, file, i+1, spelling.Number(n, "field"))
			}
			input.WriteString(pair + "\n")
			gold.WriteString(score + "\n")
		}
		p, err := readSentEval(reader, source, part, name, file, func(partName string) string {
			if partName == part.Name {
				return input.String()
			}
			return gold.String()
		})
		if err != nil {
			return nil, err
		}
		if len(lines) > 0 && len(p.gold) == 0 {
			return nil, fmt.Errorf("read %s: %s has no pair with gold", reader.task, file)
		}
		t.subtasks = append(t.subtasks, p)
	}
	return t, nil
}

var stsBenchmark = task{
	name: "stsb", measures: "similarity of the scored pairs of the STS benchmark",
	from: []source{fromData}, group: groupSTS, split: true, read: readSTSB,
}

// readSTSB reads stsb/sts-SPLIT.csv as SentEval does.
func readSTSB(reader *input) (protocol, error) {
	file := "stsb/sts-" + reader.Split + ".csv"
	lines, err := reader.lines(file)
	if err != nil {
		return nil, err
	}
	source, _ := senteval.TaskByName(reader.task)
	part := source.Files[slices.IndexFunc(source.Files, func(p senteval.File) bool { return p.Split == reader.Split })]
	p, err := readSentEval(reader, source, part, SubtaskAll, file, func(string) string { return strings.Join(lines, "\n") })
	if err != nil {
		return nil, err
	}
	return &similarity{subtasks: []pairs{p}, settings: map[string]any{"split": reader.Split}}, nil
}

// readSentEval reads the pairs with gold of one part of SentEval; file names it in errors.
func readSentEval(reader *input, source senteval.Task, part senteval.File, subtask, file string,
	content func(name string) string) (pairs, error) {
	p := pairs{subtask: subtask, language: "eng"}
	source.Files = []senteval.File{part}
	rows := senteval.Source{Language: "eng", Partial: true}
	for r, err := range rows.Read(source, func(name string) ([]byte, error) { return []byte(content(name)), nil }) {
		if err != nil {
			return p, err
		}
		if r.Reason != "" {
			return p, fmt.Errorf("read %s: %s line %d: %s", reader.task, file, r.Line, r.Detail)
		}
		if r.Row.Skip {
			continue
		}
		p.add(encoder.Text{Text: r.Row.TextA, Language: "eng"}, encoder.Text{Text: r.Row.TextB, Language: "eng"}, *r.Row.Target)
	}
	return p, nil
}
