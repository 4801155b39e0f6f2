package similarity

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"sentweave/schemas/spelling"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/protocol"
	"sentweave/transforms/read/quoted"
	"sentweave/transforms/testsets/benchmark"
)

// parseGrade reads the gold of SemEval's tasks of similarity and of argument facets: a number from 0, on different topics, to 5,
// which is equivalent.
func parseGrade(text string) (float64, error) { return benchmark.Score(text, 0, 5) }

// sts2017Tracks are the tracks of SemEval-2017 task 1, with the languages of the
// first and the second column. Track 6 has its English side first.
var sts2017Tracks = []struct{ name, a, b string }{
	{"track1.ar-ar", "ara", "ara"}, {"track2.ar-en", "eng", "ara"}, {"track3.es-es", "spa", "spa"}, {"track4a.es-en", "spa", "eng"},
	{"track4b.es-en", "eng", "spa"}, {"track5.en-en", "eng", "eng"}, {"track6.tr-en", "eng", "tur"},
}

// STS2017 is the task sts2017.
var STS2017 = protocol.Task{
	Name: "sts2017", Measures: "similarity of the scored pairs of SemEval-2017, in one language and across two",
	From: []protocol.Source{protocol.FromData}, Group: protocol.GroupSTS, Read: readSTS2017,
}

// readSTS2017 reads sts2017/STS2017.eval.v1.1/STS.input.TRACK.txt, two texts
// between tabs, and sts2017/STS2017.gs/STS.gs.TRACK.txt, a score a line. The input
// of track 6 has as many pairs again after the last score, which are not encoded.
func readSTS2017(reader *protocol.Input) (protocol.Protocol, error) {
	t := &similarity{settings: map[string]any{"split": "test"}, averaged: true}
	for _, track := range sts2017Tracks {
		file := "sts2017/STS2017.eval.v1.1/STS.input." + track.name + ".txt"
		lines, err := reader.Lines(file)
		if err != nil {
			return nil, err
		}
		scores, err := reader.Lines("sts2017/STS2017.gs/STS.gs." + track.name + ".txt")
		if err != nil {
			return nil, err
		}
		if len(reader.Missing) > 0 {
			continue
		}
		p := Pairs{subtask: track.name, language: languagePair(track.a, track.b)}
		switch rest := len(lines) - len(scores); {
		case rest == 0:
		case track.name == "track6.tr-en" && rest == len(scores):
			p.settings = map[string]any{"unscored": rest}
		default:
			return nil, fmt.Errorf("read %s: %s has %d pairs for %d scores", reader.Task, file, len(lines), len(scores))
		}
		for i, score := range scores {
			a, b, ok := strings.Cut(lines[i], "\t")
			if !ok {
				return nil, fmt.Errorf("read %s: %s line %d has no tab between two texts", reader.Task, file, i+1)
			}
			gold, err := parseGrade(score)
			if err != nil {
				return nil, fmt.Errorf("read %s: score %d of %s: %w", reader.Task, i+1, track.name, err)
			}
			if err := p.addPair(a, b, []string{track.a, track.b}, gold); err != nil {
				return nil, fmt.Errorf("read %s: %s line %d: %w", reader.Task, file, i+1, err)
			}
		}
		t.subtasks = append(t.subtasks, p)
	}
	return t, nil
}

// stsbLanguages are the languages of stsb_multi_mt, whose lines are parallel.
var stsbLanguages = []struct{ file, code string }{
	{"de", "deu"}, {"en", "eng"}, {"es", "spa"}, {"fr", "fra"}, {"it", "ita"}, {"ja", "jpn"},
	{"nl", "nld"}, {"pl", "pol"}, {"pt", "por"}, {"ru", "rus"}, {"zh", "zho"},
}

// STSMultilingual is the task stsb_multi_mt.
var STSMultilingual = protocol.Task{
	Name: "stsb_multi_mt", Measures: "similarity of the scored pairs of the STS benchmark in 11 languages",
	From: []protocol.Source{protocol.FromData}, Group: protocol.GroupSTS, Split: true, Languages: true,
	Read: func(reader *protocol.Input) (protocol.Protocol, error) { return readSTSBMulti(reader, false) },
}

// STSCrossLingual is the task stsb_multi_mt_cross.
var STSCrossLingual = protocol.Task{
	Name: "stsb_multi_mt_cross", Measures: "the same with first texts in English and second texts in another language",
	From: []protocol.Source{protocol.FromData}, Group: protocol.GroupSTS, Split: true, Languages: true,
	Read: func(reader *protocol.Input) (protocol.Protocol, error) { return readSTSBMulti(reader, true) },
}

// readSTSBMulti reads stsb_multi_mt/stsb-XX-SPLIT.csv: text, text, score with the
// quoting of CSV. It gives each language by itself or, for cross, the first texts
// in English against the second texts in each other language.
func readSTSBMulti(reader *protocol.Input, cross bool) (protocol.Protocol, error) {
	t := &similarity{settings: map[string]any{"split": reader.Split}, averaged: true}
	for _, l := range reader.Languages {
		if !slices.ContainsFunc(stsbLanguages, func(s struct{ file, code string }) bool { return s.code == l }) {
			return nil, protocol.Absent("%s has no language %q", reader.Task, l)
		}
	}
	byLanguage := map[string]*Pairs{}
	for _, l := range stsbLanguages {
		if selected := len(reader.Languages) == 0 || slices.Contains(reader.Languages, l.code); !selected && (!cross || l.code != "eng") {
			continue
		}
		p, err := readScoredCSV(reader, "stsb_multi_mt/stsb-"+l.file+"-"+reader.Split+".csv", l.code)
		if err != nil {
			return nil, err
		}
		byLanguage[l.code] = p
	}
	if err := reader.Fault(); err != nil {
		return nil, err
	}
	english := byLanguage["eng"]
	for _, l := range stsbLanguages {
		p := byLanguage[l.code]
		switch {
		case p == nil || cross && l.code == "eng":
			continue
		case cross && !slices.Equal(p.gold, english.gold):
			return nil, fmt.Errorf("read %s: the scores of %s are not those of eng: the files are not parallel", reader.Task, l.code)
		case cross:
			pair := languagePair("eng", l.code)
			p = &Pairs{subtask: pair, language: pair, a: english.a, b: p.b, gold: p.gold}
		}
		t.subtasks = append(t.subtasks, *p)
	}
	if len(t.subtasks) == 0 {
		return nil, protocol.Absent("%s needs a language other than eng", reader.Task)
	}
	return t, nil
}

// ParallelSTSB reads the first texts of stsb_multi_mt, which are parallel, by language.
func ParallelSTSB(reader *protocol.Input) (languages []string, sides [][]encoder.Text, err error) {
	p, err := readSTSBMulti(reader, false)
	if err != nil {
		return nil, nil, err
	}
	for _, part := range p.(*similarity).subtasks {
		languages, sides = append(languages, part.language), append(sides, part.a)
	}
	return languages, sides, nil
}

func readScoredCSV(reader *protocol.Input, file, code string) (*Pairs, error) {
	lines, err := reader.Lines(file)
	if err != nil {
		return nil, err
	}
	p := &Pairs{subtask: code, language: code}
	r := quoted.NewReader(func() (line []byte, tooLong bool, err error) {
		if len(lines) == 0 {
			return nil, false, io.EOF
		}
		line, lines = []byte(lines[0]), lines[1:]
		return line, false, nil
	}, ',')
	r.Values, r.SkipBlank = 3, true
	for {
		record, fault, err := r.Next()
		if err == io.EOF {
			return p, nil
		}
		var gold float64
		if err = fault; err == nil && len(record) != 3 {
			err = fmt.Errorf("%s, want 3: text, text, score", spelling.Number(len(record), "field"))
		}
		if err == nil {
			gold, err = parseGrade(string(record[2]))
		}
		if err == nil {
			err = p.addPair(string(record[0]), string(record[1]), []string{code, code}, gold)
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %s line %d: %w", reader.Task, file, r.Line(), err)
		}
	}
}

// languagePair names two languages as one code, or as "a-b" in order.
func languagePair(a, b string) string {
	if a == b {
		return a
	}
	return min(a, b) + "-" + max(a, b)
}
