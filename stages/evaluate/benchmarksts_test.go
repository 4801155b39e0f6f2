package evaluate

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/realdata"
	"sentweave/stages/encoder"
	"sentweave/stages/metrics"
	"sentweave/transforms/read/texts"
	"sentweave/transforms/testsets/senteval"
)

// scored is an item "task/split|language:text|language:text" with a score; NaN is none.
func scored(row int32, item string, score float64) schemas.Benchmark {
	part := strings.Split(item, "|")
	r := schemas.Benchmark{ID: schemas.DerivedID(part[0], fmt.Sprint(row)), Row: row}
	r.Task, r.Split, _ = strings.Cut(part[0], "/")
	r.File = r.Task + ".tsv"
	r.LanguageA, r.TextA, _ = strings.Cut(part[1], ":")
	if len(part) > 2 {
		r.LanguageB, r.TextB, _ = strings.Cut(part[2], ":")
	}
	if r.Target = &score; math.IsNaN(score) {
		r.Target, r.Skip = nil, true
	}
	return r
}

func label(r schemas.Benchmark) schemas.Benchmark {
	r.Target, r.Skip, r.Label = nil, false, "1"
	return r
}

func scoredPairs() []schemas.Benchmark {
	fold := int32(1)
	rows := []schemas.Benchmark{
		scored(0, "stsb/train|eng:a|eng:b", 5), scored(0, "stsb/dev|eng:a|eng:a", 1), scored(1, "stsb/dev|eng:a|eng:b", 2),
		scored(0, "stsb/test|eng:a b|eng:a c", 1), scored(1, "stsb/test|eng:not|eng:scored", math.NaN()),
		scored(2, "stsb/test|eng:a b|eng:a b", 2), scored(3, "stsb/test|eng:a|eng:b", 0),
		scored(0, "stsb/test|spa:x|spa:y", 1), scored(2, "stsb/test|spa:x|spa:x y", 2), scored(3, "stsb/test|spa:x|spa:x", 0),
		scored(0, "sts99/one|eng:a b|eng:a c", 1), scored(1, "sts99/one|eng:a b|eng:a b", 2), scored(2, "sts99/one|eng:a|eng:b", 0),
		scored(0, "sts99/two|eng:x|eng:x", 3), scored(1, "sts99/two|eng:x|eng:y", 1), scored(0, "sts99/three|eng:x|eng:y", 3),
		scored(1, "sts99/three|eng:x|eng:x", 1),
		scored(0, "cross/test|eng:x|deu:x", 2), scored(1, "cross/test|eng:x|deu:y", 1), scored(0, "cross/test|eng:x|fra:y", 2),
		scored(1, "cross/test|eng:x|fra:x", 1),
		label(scored(0, "mr/pool|eng:good", 0)),
	}
	rows[3].Fold = &fold // which folds are for is no matter here
	return rows
}

// The figures are those of TestSimilarity for the same pairs, and by hand.
func TestScoredPairs(t *testing.T) {
	c := Config{Benchmarks: []string{datasettest.Write(t, nil, scoredPairs())}, Tasks: []string{"sts"}}
	rows := run(t, "baseline:bow", c)
	expect(t, rows, key{"sts", "stsb/all", "eng", metrics.Pearson}, "100.00", 3)      // similarities 1/2 1 0 for gold 1 2 0
	expect(t, rows, key{"sts", "stsb/all", "spa", metrics.Spearman}, "-50.00", 3)     // 0 1/√2 1 for gold 1 2 0
	expect(t, rows, key{"sts", "sts99/three", "eng", metrics.Spearman}, "-100.00", 2) // 0 1 for 3 1
	expect(t, rows, key{"sts", "sts99/mean", "eng", metrics.Spearman}, "33.33", 7)    // 1 1 -1
	expect(t, rows, key{"sts", "sts99/wmean", "eng", metrics.Spearman}, "42.86", 7)   // (3+2-2)/7
	expect(t, rows, key{"sts", "sts99/all", "eng", metrics.Pearson}, fmt.Sprintf("%.2f", 100*.5*(2-0+3-1-3+1)/math.Sqrt(1.5*(25-121./7))),
		7)
	expect(t, rows, key{"sts", "cross/all", "deu-eng", metrics.Spearman}, "100.00", 2)
	expect(t, rows, key{"sts", "cross/all", "eng-fra", metrics.Spearman}, "-100.00", 2)
	if len(rows) != 2*(2+3+3+2) { // two metrics
		t.Errorf("%d figures: %v", len(rows), rows)
	}
	if s := rows[key{"sts", "stsb/all", "spa", metrics.Spearman}].Settings; s != `{"similarity":"cosine","split":"test"}` {
		t.Errorf("settings %s", s)
	}
	// Another part, one language, and the same rows in other datasets.
	spanish := run(t, "baseline:bow", Config{Benchmarks: c.Benchmarks, Tasks: c.Tasks, Languages: []string{"spa"}})
	if len(spanish) != 2 {
		t.Errorf("figures of one language: %v", spanish)
	}
	var dev, two [][]schemas.Benchmark
	for _, r := range scoredPairs() {
		if r.Task == "stsb" && r.LanguageA == "eng" {
			dev = append(dev, []schemas.Benchmark{r})
		}
		if r.LanguageA == "spa" {
			two = append(two, []schemas.Benchmark{r})
		}
	}
	both := Config{Benchmarks: []string{datasettest.Write(t, nil, dev...)}, Tasks: c.Tasks, Split: "dev"}
	expect(t, run(t, "baseline:bow", both), key{"sts", "stsb/all", "eng", metrics.Spearman}, "-100.00", 2)
	again := run(t, "baseline:bow", Config{Benchmarks: []string{datasettest.Write(t, nil, two...)}, Tasks: c.Tasks})
	if diff := cmp.Diff(spanish, again); diff != "" {
		t.Errorf("the same items in another dataset: %s", diff)
	}
}

// A dataset of the files of the STS benchmark and of SemEval's years has their figures,
// which a program in Python computed: see TestGoldenSTS.
func TestGoldenScoredPairs(t *testing.T) {
	data := realdata.Folder(t, "sts", "stsb")
	var rows []schemas.Benchmark
	for _, name := range []string{"stsb", "sts13"} {
		source, _ := senteval.TaskByName(name)
		reader := senteval.Source{Language: "eng"}
		for r, err := range reader.Read(source, func(file string) ([]byte, error) { return sentEvalFile(data, file) }) {
			if err != nil || r.Reason != "" {
				t.Fatal(err, r)
			}
			rows = append(rows, r.Row)
		}
	}
	files := run(t, "baseline:bow", Config{Data: data, Tasks: []string{"stsb", "sts13"}})
	got := run(t, "baseline:bow", Config{Benchmarks: []string{datasettest.Write(t, nil, rows)}, Tasks: []string{"sts"}})
	expect(t, got, key{"sts", "stsb/all", "eng", metrics.Spearman}, "42.53", 1379)
	expect(t, got, key{"sts", "stsb/all", "eng", metrics.Pearson}, "42.41", 1379)
	expect(t, got, key{"sts", "sts13/all", "eng", metrics.Spearman}, "46.26", 1500)
	expect(t, got, key{"sts", "sts13/mean", "eng", metrics.Spearman}, "35.81", 1500)
	expect(t, got, key{"sts", "sts13/wmean", "eng", metrics.Spearman}, "44.18", 1500)
	for k, want := range files {
		r := got[key{"sts", k.Task + "/" + k.Subtask, k.Language, k.Metric}]
		if r.Value != want.Value || r.N != want.N {
			t.Errorf("%+v: %v of %d, of the files %v of %d", k, r.Value, r.N, want.Value, want.N)
		}
	}
	if len(got) != len(files) {
		t.Errorf("%d figures, of the files %d", len(got), len(files))
	}
}

// sentEvalFile is a file of SentEval's folder, made of those at hand.
func sentEvalFile(data, name string) ([]byte, error) {
	if rest, ok := strings.CutPrefix(name, "STS/STSBenchmark/"); ok {
		return os.ReadFile(filepath.Join(data, "stsb", rest))
	}
	part := strings.Split(strings.TrimSuffix(name, ".txt"), ".") // STS/STS13-en-test/STS.gs.FNWN
	text, err := os.ReadFile(filepath.Join(data, "sts", "20"+name[len("STS/STS"):len("STS/STS13")], part[len(part)-1]+".test.tsv"))
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		score, pair, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if part[1] == "gs" {
			pair = score
		}
		b.WriteString(pair + "\n")
	}
	return []byte(b.String()), err
}

// Vectors that were made of the dataset serve the task, by text or by id.
func TestScoredPairsOfVectors(t *testing.T) {
	rows := scoredPairs()
	c := Config{Benchmarks: []string{datasettest.Write(t, nil, rows)}, Tasks: []string{"sts"}, Languages: []string{"eng"}}
	var all []encoder.Text
	for _, r := range rows {
		for x := range texts.OfBenchmark(r) {
			all = append(all, encoder.TextOf(x))
		}
	}
	random := mustParse(t, "baseline:random")
	made, err := random.Encode(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	want := collect(t, random, c)
	for _, silent := range []bool{false, true} {
		var vectors []schemas.Embedding
		for i, text := range all {
			e := schemas.Embedding{ID: text.ID, Language: text.Language, Text: text.Text, Vector: made.(encoder.Dense).Row(i)}
			if silent {
				e.Text = ""
			}
			vectors = append(vectors, e)
		}
		e, err := encoder.OpenEmbeddings(t.Context(), datasettest.Write(t, nil, vectors))
		if err != nil {
			t.Fatal(err)
		}
		got := collect(t, encoder.Rename(e, random.Name()), c)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("without texts %t: %s", silent, diff)
		}
	}
}

func TestScoredPairsFaults(t *testing.T) {
	write := func(rows ...schemas.Benchmark) string { return datasettest.Write(t, nil, rows) }
	good := scored(0, "stsb/test|eng:a|eng:b", 1)
	tests := []struct {
		benchmarks []string
		change     func(*Config)
		want       string
	}{
		{[]string{write(label(good), label(scored(0, "mr/pool|eng:a", 0)), scored(0, "x/|eng:a", 1))}, nil,
			"sts: the datasets have no pair with a score, but mr, stsb, x"},
		{[]string{write(good)}, func(c *Config) { c.Languages = []string{"eng", "spa"} },
			`sts: the datasets have no scored pair in "spa": they are in eng`},
		{[]string{write(good)}, func(c *Config) { c.Split = "dev" },
			`read sts: stsb in eng: there is no split "dev": give --split as one of test`},
		{[]string{write(good), write(good)}, nil, "row 0 of stsb.tsv occurs twice: give one dataset in each language"},
		{[]string{write(good, scored(1, "stsb/test|eng:a|eng:c", 5.5))}, nil, "row 1 of stsb.tsv: score 5.5 is outside 0 to 5"},
		{[]string{write(good, label(scored(1, "stsb/test|eng:a|eng:b", 0)))}, nil,
			"row 1 of stsb.tsv is not a scored pair, though other rows are"},
		{[]string{write(good, scored(1, "stsb/test|eng:a", 2))}, nil, "row 1 of stsb.tsv is not a scored pair, though other rows are"},
		{[]string{write()}, nil, "has no row"},
		{[]string{t.TempDir()}, nil, "benchmarks: no dataset"},
		{[]string{twoParagraphs(t)}, nil, "holds rows of pair"},
	}
	for _, test := range tests {
		c := Config{Benchmarks: test.benchmarks, Tasks: []string{"sts"}, Split: "test"}
		if test.change != nil {
			test.change(&c)
		}
		if _, _, err := load(t.Context(), c); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}
