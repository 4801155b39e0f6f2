package classifiers

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
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/folders"
	"sentweave/transforms/testsets/senteval"
)

// sentEvalFolders are where SentEval's data/downstream may lie in the folder of the test data.
var sentEvalFolders = []string{"senteval", "SentEval/data/downstream", "downstream", "."}

// unquoted does what SentEval's downloader does with TREC.
var unquoted = strings.NewReplacer("`", "", "'", "")

// ReadSentEvalFile reads a file of SentEval by its name under data/downstream: from such a
// folder, or from the files of which SentEval's downloader makes it, as they were published.
func ReadSentEvalFile(reader *protocol.Input, name string) ([]byte, error) {
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
		data, err := storage.ReadFile(reader.Context, reader.Folder, path.Join(folder, name), protocol.MaxFile)
		if !errors.Is(err, fs.ErrNotExist) {
			return data, err
		}
	}
	if published == "" {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	data, err := storage.ReadFile(reader.Context, reader.Folder, published, protocol.MaxFile)
	if err == nil && strings.HasPrefix(published, "senteval/raw/TREC") {
		data = []byte(unquoted.Replace(string(data)))
	}
	return data, err
}

// SentEvalRows yields the rows of a task of SentEval's own folder, with the texts of its
// files. A line that is not a row is an error, as is a number of rows that is not SentEval's. With
// --splitlines, lines are those that its loader sees, and their number is not compared.
func SentEvalRows(reader *protocol.Input, t senteval.Task) iter.Seq2[schemas.Benchmark, error] {
	return func(yield func(schemas.Benchmark, error) bool) {
		readFile := func(name string) ([]byte, error) { return ReadSentEvalFile(reader, name) }
		if reader.Splitlines {
			readFile = func(name string) ([]byte, error) {
				data, err := ReadSentEvalFile(reader, name)
				return t.AsLoaded(name, data), err
			}
		}
		for r, err := range (senteval.Source{Language: "eng", Partial: reader.Splitlines}).Read(t, readFile) {
			switch {
			case errors.Is(err, senteval.ErrRows): // which leaves the task out where all are taken that can be
				err = protocol.Absent("%w", err)
			case err == nil && r.Reason != "":
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
func trainedSets(reader *protocol.Input, takes func(senteval.Task) bool) (
	list []folders.Set, rows func(folders.Set) iter.Seq2[schemas.Benchmark, error], err error,
) {
	if reader.Sets != nil {
		for _, set := range reader.Sets.All() {
			if t, ok := senteval.TaskByName(set.Task); ok && takes(t) && reader.Wants(set.Language) {
				list = append(list, set)
			}
		}
		return list, func(set folders.Set) iter.Seq2[schemas.Benchmark, error] {
			return reader.Sets.Each(reader.Context, set)
		}, nil
	}
	for _, t := range senteval.Tasks() {
		if !takes(t) || !reader.Wants("eng") {
			continue
		}
		_, err := ReadSentEvalFile(reader, t.Files[0].Name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		if err == nil {
			list = append(list, folders.Set{Language: "eng", Task: t.Name})
		}
	}
	return list, func(set folders.Set) iter.Seq2[schemas.Benchmark, error] {
		t, _ := senteval.TaskByName(set.Task)
		return SentEvalRows(reader, t)
	}, nil
}
