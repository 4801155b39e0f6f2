package evaluate

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"sentweave/schemas"
	"sentweave/schemas/storage"
	"sentweave/stages/folders"
	"sentweave/transforms/testsets/senteval"
)

// sentEvalFolders are where SentEval's data/downstream may lie in the folder of the test data.
var sentEvalFolders = []string{"senteval", "SentEval/data/downstream", "downstream", "."}

// unquoted does what SentEval's downloader does with TREC.
var unquoted = strings.NewReplacer("`", "", "'", "")

// readSentEvalFile reads a file of SentEval by its name under data/downstream: from such a
// folder, or from the files of which SentEval's downloader makes it, as they were published.
func readSentEvalFile(reader *input, name string) ([]byte, error) {
	base := path.Base(name)
	split := strings.TrimSuffix(base[strings.LastIndexByte(base, '-')+1:], ".csv")
	published := ""
	switch folder, _, _ := strings.Cut(name, "/"); {
	case strings.HasPrefix(name, "SST/binary/"):
		published = "senteval/SST_binary_phrases/" + base
	case strings.HasPrefix(name, "SST/fine/"):
		published = "senteval/stsa.fine." + split
	case strings.HasPrefix(name, "STS/STSBenchmark/"):
		published = "stsb/" + base
	case name == "TREC/train_5500.label":
		published = "senteval/raw/TREC.train"
	case name == "TREC/TREC_10.label":
		published = "senteval/raw/TREC.test"
	case slices.Contains([]string{"MR", "CR", "SUBJ", "MPQA"}, folder):
		published = "senteval/raw/" + base
	}
	for _, folder := range sentEvalFolders {
		data, err := storage.ReadFile(reader.ctx, reader.folder, path.Join(folder, name), maxFile)
		if !errors.Is(err, fs.ErrNotExist) {
			return data, err
		}
	}
	if published == "" {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	data, err := storage.ReadFile(reader.ctx, reader.folder, published, maxFile)
	if err == nil && strings.HasPrefix(published, "senteval/raw/TREC") {
		data = []byte(unquoted.Replace(string(data)))
	}
	return data, err
}

// sentEvalRows yields the rows of a task of SentEval's own folder, with the texts of its
// files. A line that is no row is an error, as is a number of rows that is not SentEval's. With
// --splitlines, lines are those that its loader sees, and their number is not compared.
func sentEvalRows(reader *input, t senteval.Task) iter.Seq2[schemas.Benchmark, error] {
	return func(yield func(schemas.Benchmark, error) bool) {
		readFile := func(name string) ([]byte, error) { return readSentEvalFile(reader, name) }
		if reader.Splitlines {
			readFile = func(name string) ([]byte, error) {
				data, err := readSentEvalFile(reader, name)
				return t.AsLoaded(name, data), err
			}
		}
		for r, err := range (senteval.Source{Language: "eng", Partial: reader.Splitlines}).Read(t, readFile) {
			if err == nil && r.Reason != "" {
				err = fmt.Errorf("%s line %d: %s", r.Row.File, r.Line, r.Detail)
			}
			if !yield(r.Row, err) || err != nil {
				return
			}
		}
	}
}

// trainedSets lists the sets of rows of SentEval's tasks that a predicate takes: those of
// datasets of benchmarks if they are given, else those of SentEval's own folder, of which a
// task is there if its first file is.
func trainedSets(reader *input, takes func(senteval.Task) bool) (
	list []folders.Set, rows func(folders.Set) iter.Seq2[schemas.Benchmark, error], err error,
) {
	if reader.sets != nil {
		for _, set := range reader.sets.All() {
			if t, ok := senteval.TaskByName(set.Task); ok && takes(t) && reader.wants(set.Language) {
				list = append(list, set)
			}
		}
		return list, func(set folders.Set) iter.Seq2[schemas.Benchmark, error] { return reader.sets.Each(reader.ctx, set) }, nil
	}
	for _, t := range senteval.Tasks() {
		if !takes(t) || !reader.wants("eng") {
			continue
		}
		_, err := readSentEvalFile(reader, t.Files[0].Name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		if err == nil {
			list = append(list, folders.Set{Language: "eng", Task: t.Name})
		}
	}
	return list, func(set folders.Set) iter.Seq2[schemas.Benchmark, error] {
		t, _ := senteval.TaskByName(set.Task)
		return sentEvalRows(reader, t)
	}, nil
}
