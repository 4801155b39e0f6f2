package senteval

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"sentweave/schemas"
	"sentweave/schemas/realdata"
	"sentweave/transforms/testsets/benchmark"
)

// unquoted does what SentEval's get_transfer_data.bash does with TREC.
var unquoted = strings.NewReplacer("`", "", "'", "")

// realFolder arranges what is at hand of SentEval's data as its folder: everything but
// MRPC, SICK and SNLI.
func realFolder(t testing.TB) fstest.MapFS {
	t.Helper()
	data := realdata.Folder(t, "senteval", "sts", "stsb")
	folder := fstest.MapFS{}
	get := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(data, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for from, to := range map[string]string{
		"senteval/raw/rt-polarity.pos": "MR/rt-polarity.pos", "senteval/raw/rt-polarity.neg": "MR/rt-polarity.neg",
		"senteval/raw/custrev.pos": "CR/custrev.pos", "senteval/raw/custrev.neg": "CR/custrev.neg",
		"senteval/raw/mpqa.pos": "MPQA/mpqa.pos", "senteval/raw/mpqa.neg": "MPQA/mpqa.neg",
		"senteval/raw/subj.objective": "SUBJ/subj.objective", "senteval/raw/subj.subjective": "SUBJ/subj.subjective",
		"senteval/SST_binary_phrases/sentiment-train": "SST/binary/sentiment-train",
		"senteval/SST_binary_phrases/sentiment-dev":   "SST/binary/sentiment-dev",
		"senteval/SST_binary_phrases/sentiment-test":  "SST/binary/sentiment-test",
		"senteval/stsa.fine.train":                    "SST/fine/sentiment-train",
		"senteval/stsa.fine.dev":                      "SST/fine/sentiment-dev",
		"senteval/stsa.fine.test":                     "SST/fine/sentiment-test",
		"stsb/sts-train.csv":                          "STS/STSBenchmark/sts-train.csv", "stsb/sts-dev.csv": "STS/STSBenchmark/sts-dev.csv",
		"stsb/sts-test.csv": "STS/STSBenchmark/sts-test.csv",
	} {
		folder[to] = &fstest.MapFile{Data: get(from)}
	}
	for from, to := range map[string]string{"train": "train_5500", "test": "TREC_10"} {
		data := unquoted.Replace(string(get("senteval/raw/TREC." + from)))
		folder["TREC/"+to+".label"] = &fstest.MapFile{Data: []byte(data)}
	}
	for _, year := range stsYears {
		for _, s := range year.subtasks {
			var input, gold bytes.Buffer
			name := strings.TrimPrefix(s.name, "surprise.")
			for line := range strings.Lines(string(get("sts/20" + year.year + "/" + name + ".test.tsv"))) {
				score, pair, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
				fmt.Fprintln(&input, pair)
				fmt.Fprintln(&gold, score)
			}
			base := "STS/STS" + year.year + "-en-test/STS."
			folder[base+"input."+s.name+".txt"] = &fstest.MapFile{Data: input.Bytes()}
			folder[base+"gs."+s.name+".txt"] = &fstest.MapFile{Data: gold.Bytes()}
		}
	}
	return folder
}

// smallFolder has the tasks that are not at hand, in their format.
func smallFolder() fstest.MapFS {
	folder := fstest.MapFS{}
	add := func(name, data string) { folder[name] = &fstest.MapFile{Data: []byte(data)} }
	for _, split := range []string{"train", "test"} {
		add("MRPC/msr_paraphrase_"+split+".txt", "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n"+
			"1\t702876\t702977\tHe said \"yes.\tHe agreed.\r\n0\t1\t2\tOne — two.\tThree.\r\n")
	}
	for _, split := range []string{"train", "trial", "test_annotated"} {
		add("SICK/SICK_"+split+".txt", "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"+
			"1\tA man sits\tA man is n't standing\t4.5\tNEUTRAL\n4\tTwo dogs run\tTwo dogs move\t4.7\tENTAILMENT\n9\tIt is red\tIt is not red\t3\tCONTRADICTION\n")
	}
	for _, split := range []string{"train", "dev", "test"} {
		add("SNLI/s1."+split, "A caf\xe9 is open .\nTwo men walk .\nA dog\n")
		add("SNLI/s2."+split, "A place is open .\nTwo men sleep .\nIt barks\n")
		add("SNLI/labels."+split, "entailment\ncontradiction\nneutral\n")
	}
	return folder
}

func reader(folder fs.FS) ReadFile {
	return func(name string) ([]byte, error) { return fs.ReadFile(folder, name) }
}

func task(t testing.TB, name string) Task {
	t.Helper()
	k, ok := TaskByName(name)
	if !ok {
		t.Fatalf("no task %q", name)
	}
	return k
}

// readAll reads a task that has nothing malformed.
func readAll(t testing.TB, s Source, k Task, folder fs.FS) []schemas.Benchmark {
	t.Helper()
	rows, malformed, err := benchmark.Rows(s.Read(k, reader(folder)))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range malformed {
		t.Errorf("%s line %d: %s: %s", m.Row.File, m.Line, m.Reason, m.Detail)
	}
	for _, r := range rows {
		if err := r.Validate(); err != nil {
			t.Fatalf("%s row %d: %v", r.File, r.Row, err)
		}
	}
	return rows
}

// place writes files into a folder of the disk.
func place(t testing.TB, folder string, files []benchmark.File) {
	t.Helper()
	for _, f := range files {
		name := filepath.Join(folder, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func filesOf(folder fstest.MapFS) (files []benchmark.File) {
	for name, f := range folder {
		files = append(files, benchmark.File{Name: name, Data: f.Data})
	}
	return files
}

func folderOf(files []benchmark.File) fstest.MapFS {
	folder := fstest.MapFS{}
	for _, f := range files {
		folder[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return folder
}
