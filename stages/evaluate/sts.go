package evaluate

import (
	"fmt"
	"strings"

	"sentweave/stages/encoder"
)

// stsSubtasks are the subtasks of each year, in the order of SentEval. The SMT
// part of 2013 is not free and nobody's average has it.
var stsSubtasks = []struct {
	task, year string
	subtasks   []string
}{
	{"sts12", "2012", []string{"MSRpar", "MSRvid", "SMTeuroparl", "OnWN", "SMTnews"}},
	{"sts13", "2013", []string{"FNWN", "headlines", "OnWN"}},
	{"sts14", "2014", []string{"deft-forum", "deft-news", "headlines", "images", "OnWN", "tweet-news"}},
	{"sts15", "2015", []string{"answers-forums", "answers-students", "belief", "headlines", "images"}},
	{"sts16", "2016", []string{"answer-answer", "headlines", "plagiarism", "postediting", "question-question"}},
}

// loadSTS reads sts/YEAR/SUBTASK.test.tsv: gold, text, text between tabs. Pairs
// without gold are not scored.
func loadSTS(f *files, year string, subtasks []string) (*similarity, error) {
	t := &similarity{name: f.task, settings: map[string]any{"split": "test"}, concatenated: true, averaged: true, language: "eng"}
	for _, name := range subtasks {
		file := "sts/" + year + "/" + name + ".test.tsv"
		lines, err := f.lines(file)
		if err != nil {
			return nil, err
		}
		p := pairs{subtask: name, language: "eng"}
		for i, line := range lines {
			fields := strings.Split(line, "\t")
			if len(fields) != 3 {
				return nil, fmt.Errorf("read %s: %s line %d has %d fields, want 3: gold, text, text", f.task, file, i+1, len(fields))
			}
			if strings.TrimSpace(fields[0]) == "" {
				continue
			}
			gold, err := number(fields[0])
			if err != nil {
				return nil, fmt.Errorf("read %s: %s line %d: %w", f.task, file, i+1, err)
			}
			p.add(encoder.Text{Text: fields[1], Language: "eng"}, encoder.Text{Text: fields[2], Language: "eng"}, gold)
		}
		if len(lines) > 0 && len(p.gold) == 0 {
			return nil, fmt.Errorf("read %s: %s has no pair with gold", f.task, file)
		}
		t.subtasks = append(t.subtasks, p)
	}
	t.hash = f.sum()
	return t, f.fault()
}

// loadSTSB reads stsb/sts-SPLIT.csv: genre, file, year, id, score, text, text
// between tabs, without quoting; some lines go on with the sources.
func loadSTSB(f *files, split string) (*similarity, error) {
	file := "stsb/sts-" + split + ".csv"
	lines, err := f.lines(file)
	if err != nil {
		return nil, err
	}
	p := pairs{subtask: SubtaskAll, language: "eng"}
	for i, line := range lines {
		fields := strings.Split(line, "\t")
		if len(fields) < 7 {
			return nil, fmt.Errorf("read %s: %s line %d has %d fields, want 7 between tabs", f.task, file, i+1, len(fields))
		}
		gold, err := number(fields[4])
		if err != nil {
			return nil, fmt.Errorf("read %s: %s line %d: %w", f.task, file, i+1, err)
		}
		p.add(encoder.Text{Text: fields[5], Language: "eng"}, encoder.Text{Text: fields[6], Language: "eng"}, gold)
	}
	return &similarity{name: f.task, subtasks: []pairs{p}, hash: f.sum(), settings: map[string]any{"split": split}}, f.fault()
}
