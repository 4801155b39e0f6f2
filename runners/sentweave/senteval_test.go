package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/peertest"
	"sentweave/schemas/realdata"
	"sentweave/schemas/storage"
	"sentweave/transforms/testsets/benchmark"
	"sentweave/transforms/testsets/senteval"
)

// sentEvalFolder lays out what is at hand of SentEval's data as its data/downstream.
func sentEvalFolder(t testing.TB) string {
	t.Helper()
	data, root := realdata.Folder(t, "senteval", "sts", "stsb"), t.TempDir()
	read := func(name string) []byte {
		content, err := os.ReadFile(filepath.Join(data, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	put := func(name string, content []byte) { place(t, filepath.Join(root, filepath.FromSlash(name)), content) }
	for name, source := range map[string]string{
		"train_5500": "train", "TREC_10": "test"} { // without quotes, as get_transfer_data.bash leaves it
		put("TREC/"+name+".label", []byte(strings.NewReplacer("`", "", "'", "").Replace(string(read("senteval/raw/TREC."+source)))))
	}
	from := map[string]string{}
	for _, name := range []string{"MR/rt-polarity.pos", "MR/rt-polarity.neg", "CR/custrev.pos", "CR/custrev.neg", "MPQA/mpqa.pos",
		"MPQA/mpqa.neg", "SUBJ/subj.objective", "SUBJ/subj.subjective"} {
		from[name] = "senteval/raw/" + filepath.Base(name)
	}
	for _, split := range []string{"train", "dev", "test"} {
		from["SST/binary/sentiment-"+split] = "senteval/SST_binary_phrases/sentiment-" + split
		from["SST/fine/sentiment-"+split] = "senteval/stsa.fine." + split
		from["STS/STSBenchmark/sts-"+split+".csv"] = "stsb/sts-" + split + ".csv"
	}
	for name, source := range from {
		put(name, read(source))
	}
	for _, task := range senteval.Tasks() {
		year, ok := strings.CutPrefix(task.Name, "sts1")
		if !ok {
			continue
		}
		for _, f := range task.Files {
			var input, gold bytes.Buffer
			for line := range strings.Lines(string(read("sts/201" + year + "/" + strings.TrimPrefix(f.Split, "surprise.") + ".test.tsv"))) {
				score, pair, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
				fmt.Fprintln(&input, pair)
				fmt.Fprintln(&gold, score)
			}
			put(f.Name, input.Bytes())
			put(strings.Replace(f.Name, ".input.", ".gs.", 1), gold.Bytes())
		}
	}
	return root
}

func place(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
}

func benchmarkRows(t testing.TB, location string) []schemas.Benchmark {
	t.Helper()
	rows, err := dataset.ReadAll[schemas.Benchmark](t.Context(), storage.NewLocal(location))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// inCyrillic stands for a translation: letters of another script, in capitals, with
// those among them whose bytes are line ends and spaces in Latin-1.
func inCyrillic(text string) string {
	letters := []rune("АБЦДЕФГХИЙКЛМНОПЯРСТУВШхЫЗ")
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return letters[r-'A']
		}
		return r
	}, strings.ToUpper(benchmark.Clean(text)))
}

// inHan stands for a translation into a language without spaces between words.
func inHan(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return 0x4e00 + (r-'a')*37
		}
		return r
	}, strings.ToLower(benchmark.Clean(text)))
}

func translated(t testing.TB, rows []schemas.Benchmark, code string, change func(string) string) []schemas.Benchmark {
	t.Helper()
	list := make([]schemas.Benchmark, len(rows))
	for i, r := range rows {
		b := ""
		if r.TextB != "" {
			b = change(r.TextB)
		}
		row, err := benchmark.Translate(r, code, change(r.TextA), b)
		if err != nil {
			t.Fatal(err)
		}
		list[i] = row
	}
	return list
}

// loaders runs SentEval's own loaders on a folder: task, split, label, texts of each row.
func loaders(t *testing.T, folder, how string, tasks []string) [][]string {
	t.Helper()
	python, checkout := peertest.Python(t), os.Getenv("SENTWEAVE_SENTEVAL")
	if checkout == "" {
		t.Skip("skipped: SENTWEAVE_SENTEVAL, a checkout of facebookresearch/SentEval, is not set")
	}
	script := filepath.Join("..", "..", "transforms", "testsets", "senteval", "testdata", "loaders.py")
	return peertest.Values[[]string](t, peertest.Output(t, nil, python, "-W", "ignore", filepath.Join("testdata", "loaders.py"), script,
		checkout, folder, strings.Join(tasks, ","), how))
}

// asLoaded are rows with gold as the loaders give them.
func asLoaded(t *testing.T, rows []schemas.Benchmark, change func(string) string) (list [][]string) {
	t.Helper()
	for _, r := range rows {
		if r.Skip {
			continue
		}
		task, _ := senteval.TaskByName(r.Task)
		row := []string{r.Task, r.Split}
		if r.Target != nil {
			row = append(row, float(*r.Target))
		} else {
			class, ok := task.Class(r.Label)
			if !ok {
				t.Fatalf("%s has no class %q", r.Task, r.Label)
			}
			row = append(row, strconv.Itoa(class))
		}
		row = append(row, change(r.TextA))
		if task.Pairs() {
			row = append(row, change(r.TextB))
		}
		list = append(list, row)
	}
	return list
}

// float writes a number as Python's str does.
func float(x float64) string {
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

func equalRows(t *testing.T, got, want [][]string) {
	t.Helper()
	counts := map[string]int{}
	for _, row := range got {
		counts[row[0]]++
	}
	t.Logf("SentEval's loaders give %d rows: %v", len(got), counts)
	slices.SortFunc(got, slices.Compare) // SentEval orders STS by length
	slices.SortFunc(want, slices.Compare)
	if len(got) != len(want) {
		t.Fatalf("SentEval's loaders give %d rows, there are %d with gold", len(got), len(want))
	}
	different := 0
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			if different++; different < 4 {
				t.Errorf("SentEval %q\nours     %q", got[i], want[i])
			}
		}
	}
	if different > 0 {
		t.Errorf("%d rows differ", different)
	}
}
