package evaluate

import (
	"fmt"
	"slices"
	"strings"

	"sentweave/stages/encoder"
	"sentweave/transforms/senteval"
)

// sentEvalYear is a year of STS: its task, and its subtasks in the order of SentEval.
// The SMT part of 2013 is not free and nobody's average has it.
type sentEvalYear struct {
	year string
	task senteval.Task
}

// stsYears are the years of STS that SentEval has.
func stsYears() (years []sentEvalYear) {
	for _, t := range senteval.Tasks() {
		if year, ok := strings.CutPrefix(t.Name, "sts1"); ok {
			years = append(years, sentEvalYear{"201" + year, t})
		}
	}
	return years
}

// loadSTS reads sts/YEAR/SUBTASK.test.tsv: gold, text, text between tabs, which are the
// lines of SentEval's two files of a subtask. Pairs without gold are not scored.
func loadSTS(f *files, y sentEvalYear) (*similarity, error) {
	t := &similarity{name: f.task, settings: map[string]any{"split": "test"}, concatenated: true, averaged: true, language: "eng"}
	for _, subtask := range y.task.Files {
		name := strings.TrimPrefix(subtask.Split, "surprise.")
		file := "sts/" + y.year + "/" + name + ".test.tsv"
		lines, err := f.lines(file)
		if err != nil {
			return nil, err
		}
		var input, gold strings.Builder
		for i, line := range lines {
			score, pair, _ := strings.Cut(line, "\t")
			if n := strings.Count(line, "\t") + 1; n != 3 {
				return nil, fmt.Errorf("read %s: %s line %d has %d fields, want 3: gold, text, text", f.task, file, i+1, n)
			}
			input.WriteString(pair + "\n")
			gold.WriteString(score + "\n")
		}
		p, err := readSentEval(f, y.task, subtask, name, file, func(part string) string {
			if part == subtask.Name {
				return input.String()
			}
			return gold.String()
		})
		if err != nil {
			return nil, err
		}
		if len(lines) > 0 && len(p.gold) == 0 {
			return nil, fmt.Errorf("read %s: %s has no pair with gold", f.task, file)
		}
		t.subtasks = append(t.subtasks, p)
	}
	t.hash = f.sum()
	return t, f.fault()
}

// loadSTSB reads stsb/sts-SPLIT.csv as SentEval does.
func loadSTSB(f *files, split string) (*similarity, error) {
	file := "stsb/sts-" + split + ".csv"
	lines, err := f.lines(file)
	if err != nil {
		return nil, err
	}
	task, _ := senteval.TaskByName("stsb")
	part := task.Files[slices.IndexFunc(task.Files, func(p senteval.File) bool { return p.Split == split })]
	p, err := readSentEval(f, task, part, SubtaskAll, file, func(string) string { return strings.Join(lines, "\n") })
	if err != nil {
		return nil, err
	}
	return &similarity{name: f.task, subtasks: []pairs{p}, hash: f.sum(), settings: map[string]any{"split": split}}, f.fault()
}

// readSentEval reads the pairs with gold of one part of a task; file names it in errors.
func readSentEval(f *files, task senteval.Task, part senteval.File, subtask, file string, content func(name string) string) (pairs, error) {
	p := pairs{subtask: subtask, language: "eng"}
	task.Files = []senteval.File{part}
	source := senteval.Source{Language: "eng", Partial: true}
	for r, err := range source.Read(task, func(name string) ([]byte, error) { return []byte(content(name)), nil }) {
		if err != nil {
			return p, err
		}
		if r.Reason != "" {
			return p, fmt.Errorf("read %s: %s line %d: %s", f.task, file, r.Line, r.Detail)
		}
		if r.Row.Skip {
			continue
		}
		p.add(encoder.Text{Text: r.Row.TextA, Language: "eng"}, encoder.Text{Text: r.Row.TextB, Language: "eng"}, *r.Row.Target)
	}
	return p, nil
}
