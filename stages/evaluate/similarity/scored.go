package similarity

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/spelling"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/classifiers"
	"sentweave/stages/evaluate/encoders"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/metrics"
	"sentweave/transforms/testsets/benchmark"
	"sentweave/transforms/testsets/senteval"
)

// This file reads pairs with scores of sources that have no other task.

// SICK is the task sick-r-cos.
var SICK = protocol.Task{
	Name: "sick-r-cos", Measures: "similarity of the pairs of SICK by cosine, without training (SICK-R of senteval is trained)",
	From: []protocol.Source{protocol.FromData}, Group: protocol.GroupSTS, Split: true, Read: readSICK,
}

// readSICK reads SICK's relatedness from SentEval's folder.
func readSICK(reader *protocol.Input) (protocol.Protocol, error) {
	t, _ := senteval.TaskByName("sick")
	index := slices.IndexFunc(t.Files, func(f senteval.File) bool { return f.Split == reader.Split })
	t.Files = t.Files[index : index+1]
	if _, err := classifiers.ReadSentEvalFile(reader, t.Files[0].Name); errors.Is(err, fs.ErrNotExist) {
		reader.Missing = append(reader.Missing, "senteval/"+t.Files[0].Name)
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	p := Pairs{subtask: metrics.SubtaskAll, language: "eng"}
	for r, err := range classifiers.SentEvalRows(reader, t) {
		if err != nil {
			return nil, err
		}
		p.Add(encoder.Text{Text: r.TextA, Language: "eng"}, encoder.Text{Text: r.TextB, Language: "eng"}, *r.Target)
		fmt.Fprintf(&reader.Hash, "%q %q %v\n", r.TextA, r.TextB, *r.Target)
	}
	return &similarity{subtasks: []Pairs{p}, settings: map[string]any{"split": reader.Split}}, nil
}

// STS2017Extended is the task sts2017-extended.
var STS2017Extended = protocol.Task{
	Name: "sts2017-extended", Measures: "similarity of the scored pairs of SemEval-2017 and their translations into more languages (Reimers and Gurevych 2020)",
	From: []protocol.Source{protocol.FromData}, Group: protocol.GroupSTS, Read: readSTS2017Extended,
}

var stsExtendedFile = regexp.MustCompile(`^sts2017-extended/STS\.([a-z]+)-([a-z]+)\.txt$`)

// readSTS2017Extended reads sts2017-extended/STS.XX-YY.txt: text, text, score between tabs.
func readSTS2017Extended(reader *protocol.Input) (protocol.Protocol, error) {
	t := &similarity{settings: map[string]any{"split": "test"}, averaged: true}
	files, err := reader.Matching("sts2017-extended/", stsExtendedFile)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		codes, err := protocol.LanguageCodes(stsExtendedFile.FindStringSubmatch(file)[1:])
		if err != nil {
			return nil, fmt.Errorf("read %s: %s: %w", reader.Task, file, err)
		}
		lines, err := reader.Lines(file)
		if err != nil {
			return nil, err
		}
		p := Pairs{subtask: codes[0] + "-" + codes[1], language: languagePair(codes[0], codes[1])}
		for i, line := range lines {
			fields := strings.Split(line, "\t")
			if len(fields) != 3 {
				return nil, fmt.Errorf("read %s: %s line %d has %s, want 3: text, text, score", reader.Task, file, i+1,
					spelling.Number(len(fields), "field"))
			}
			gold, err := parseGrade(fields[2])
			if err != nil {
				return nil, fmt.Errorf("read %s: %s line %d: %w", reader.Task, file, i+1, err)
			}
			if err := p.addPair(fields[0], fields[1], codes, gold); err != nil {
				return nil, fmt.Errorf("read %s: %s line %d: %w", reader.Task, file, i+1, err)
			}
		}
		t.subtasks = append(t.subtasks, p)
	}
	if len(files) == 0 {
		reader.Missing = append(reader.Missing, "sts2017-extended/STS.XX-YY.txt")
	}
	return t, nil
}

// QualityEstimation is the task mlqe.
var QualityEstimation = protocol.Task{
	Name: "mlqe", Measures: "quality of machine translations by the cosine with their sources, against people's scores (WMT 2020)",
	From: []protocol.Source{protocol.FromData}, Group: protocol.GroupSTS, Split: true, Read: readQuality,
}

var qualityFile = regexp.MustCompile(`^mlqe/[a-z]+-[a-z]+/(train|dev|test20)\.[a-z]+\.df\.short\.tsv$`)

// readQuality reads mlqe/XX-YY/test20.xxyy.df.short.tsv, columns original, translation and
// z_mean by the header. Quotes are text.
func readQuality(reader *protocol.Input) (protocol.Protocol, error) {
	split := reader.Split
	if split == "test" {
		split = "test20"
	}
	t := &similarity{settings: map[string]any{"split": split, "gold": "z_mean"}, averaged: true}
	files, err := reader.Matching("mlqe/", qualityFile)
	if err != nil {
		return nil, err
	}
	var folders []string
	for _, file := range files {
		folders = append(folders, path.Base(path.Dir(file)))
	}
	for _, folder := range slices.Compact(folders) {
		file := "mlqe/" + folder + "/" + split + "." + strings.ReplaceAll(folder, "-", "") + ".df.short.tsv"
		codes, err := protocol.LanguageCodes(strings.Split(folder, "-"))
		if err != nil {
			return nil, fmt.Errorf("read %s: %s: %w", reader.Task, file, err)
		}
		lines, err := reader.Lines(file)
		if err != nil {
			return nil, err
		}
		if len(lines) == 0 {
			continue // it is missing
		}
		p := Pairs{subtask: codes[0] + "-" + codes[1], language: languagePair(codes[0], codes[1])}
		if err := p.readTable(lines, [3]string{"original", "translation", "z_mean"}, codes); err != nil {
			return nil, fmt.Errorf("read %s: %s %w", reader.Task, file, err)
		}
		t.subtasks = append(t.subtasks, p)
	}
	if len(files) == 0 {
		reader.Missing = append(reader.Missing, "mlqe/XX-YY/"+split+".xxyy.df.short.tsv")
	}
	return t, nil
}

// readTable adds the lines of a table with tabs whose first line names the columns: those of
// the first texts, the second ones and the scores.
func (p *Pairs) readTable(lines []string, columns [3]string, codes []string) error {
	header := strings.Split(lines[0], "\t")
	var places [3]int
	for k, name := range columns {
		if places[k] = slices.Index(header, name); places[k] < 0 {
			return fmt.Errorf("has no column %q, but %s", name, strings.Join(header, ", "))
		}
	}
	for i, line := range lines[1:] {
		fields := strings.Split(line, "\t")
		if len(fields) != len(header) {
			return fmt.Errorf("line %d has %s, the header has %d", i+2, spelling.Number(len(fields), "field"), len(header))
		}
		gold, err := benchmark.Score(fields[places[2]], 0, 0) // which has no bounds
		if err != nil {
			return fmt.Errorf("line %d: %w", i+2, err)
		}
		if err := p.addPair(fields[places[0]], fields[places[1]], codes, gold); err != nil {
			return fmt.Errorf("line %d: %w", i+2, err)
		}
	}
	if len(p.gold) == 0 {
		return fmt.Errorf("has no row")
	}
	return nil
}

// ArgumentFacets is the task afs.
var ArgumentFacets = protocol.Task{
	Name: "afs", Measures: "similarity of the arguments on three topics (Misra et al. 2016)",
	From: []protocol.Source{protocol.FromData}, Group: protocol.GroupSTS, Read: readArguments,
}

// readArguments reads afs/ArgPairs_{DP,GC,GM}.csv: the score in column 0, the texts in columns
// 9 and 10. Bytes that are not UTF-8 are dropped, as others do.
func readArguments(reader *protocol.Input) (protocol.Protocol, error) {
	t := &similarity{averaged: true, language: "eng"}
	for _, topic := range []string{"DP", "GC", "GM"} { // death penalty, gun control, gay marriage
		file := "afs/ArgPairs_" + topic + ".csv"
		text, err := reader.Read(file)
		if err != nil {
			return nil, err
		}
		if text == "" {
			continue
		}
		r := csv.NewReader(strings.NewReader(strings.ToValidUTF8(text, "")))
		r.FieldsPerRecord = -1
		records, err := r.ReadAll()
		if err != nil {
			return nil, fmt.Errorf("read %s: %s: %w", reader.Task, file, err)
		}
		p := Pairs{subtask: topic, language: "eng"}
		for i, record := range records[min(1, len(records)):] {
			if len(record) < 11 {
				return nil, fmt.Errorf("read %s: %s record %d has %s, want at least 11", reader.Task, file, i+2,
					spelling.Number(len(record), "field"))
			}
			gold, err := parseGrade(record[0])
			if err != nil {
				return nil, fmt.Errorf("read %s: %s record %d: %w", reader.Task, file, i+2, err)
			}
			if err := p.addPair(record[9], record[10], []string{"eng", "eng"}, gold); err != nil {
				return nil, fmt.Errorf("read %s: %s record %d: %w", reader.Task, file, i+2, err)
			}
		}
		if len(p.gold) == 0 {
			return nil, fmt.Errorf("read %s: %s has no pair", reader.Task, file)
		}
		t.subtasks = append(t.subtasks, p)
	}
	return t, nil
}

// STSPairs is the task stsb_multi_mt_pairs.
var STSPairs = protocol.Task{
	Name: "stsb_multi_mt_pairs", Measures: "the same for every ordered pair of languages: first texts in one, second texts in the other",
	From: []protocol.Source{protocol.FromData}, Group: protocol.GroupSTS, Split: true, Languages: true, Read: readSTSPairs,
}

// crossPairs is the protocol of similarity for every ordered pair of languages.
type crossPairs struct {
	sides    []Pairs // of each language
	settings map[string]any
}

func readSTSPairs(reader *protocol.Input) (protocol.Protocol, error) {
	p, err := readSTSBMulti(reader, false)
	if err != nil {
		return nil, err
	}
	t := p.(*similarity)
	if len(t.subtasks) < 2 {
		return nil, protocol.Absent("%s needs two languages", reader.Task)
	}
	for _, s := range t.subtasks[1:] {
		if !slices.Equal(s.gold, t.subtasks[0].gold) {
			return nil, fmt.Errorf("read %s: the scores of %s are not those of %s: the files are not parallel", reader.Task, s.language,
				t.subtasks[0].language)
		}
	}
	return &crossPairs{t.subtasks, t.settings}, nil
}

// Texts implements protocol.Protocol.
func (c *crossPairs) Texts() iter.Seq[encoder.Text] {
	return (&similarity{subtasks: c.sides}).Texts()
}

// Measure implements protocol.Protocol.
func (c *crossPairs) Measure(ctx context.Context, e encoder.Encoder, base schemas.Result, keep protocol.Keeper) (
	results []schemas.Result, err error) {
	var lists [][]encoder.Text
	for _, s := range c.sides {
		lists = append(lists, s.a, s.b)
	}
	var directions [][2]int
	for i := range c.sides {
		for k := range c.sides {
			if i != k {
				directions = append(directions, [2]int{2 * i, 2*k + 1})
			}
		}
	}
	values, err := c.similarities(ctx, e, lists, directions)
	if err != nil {
		return nil, err
	}
	undefined := 0
	common := protocol.WithSetting(c.settings, settingSimilarity, encoders.SimilarityOf(e))
	for n, d := range directions {
		a, b := c.sides[d[0]/2], c.sides[d[1]/2]
		r := base
		r.Subtask, r.Language = a.language+"-"+b.language, languagePair(a.language, b.language)
		r.DataXXH3 = (&Pairs{a: a.a, b: b.b, gold: a.gold}).data()
		keep(protocol.Part{Subtask: r.Subtask, Language: r.Language, A: a.a, B: b.b, Score: values[n], Gold: a.gold})
		rows, count := correlations(r, values[n], a.gold, common)
		results, undefined = append(results, rows...), undefined+count
	}
	if undefined > 0 {
		common = protocol.WithSetting(common, "undefined", undefined)
	}
	base.DataXXH3 = protocol.JointHash(results...)
	return append(results, means(base, results, common)...), nil
}

// similarities are those of the items of some pairs of lists.
func (c *crossPairs) similarities(ctx context.Context, e encoder.Encoder, lists [][]encoder.Text, pairs [][2]int) ([][]float64, error) {
	if t, ok := encoders.TokensOf(e); ok {
		return t.Compare(ctx, lists, pairs)
	}
	_, sides, err := protocol.EncodeSides(ctx, e, lists...)
	if err != nil {
		return nil, err
	}
	values := make([][]float64, len(pairs))
	for i, p := range pairs {
		for n := range lists[0] {
			values[i] = append(values[i], sides[p[0]].Cosine(n, sides[p[1]], n))
		}
	}
	return values, nil
}

// PairsAlone implements protocol.Pairwise.
func (c *crossPairs) PairsAlone() {}
