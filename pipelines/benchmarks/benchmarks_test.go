package benchmarks

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage/storagetest"
)

var settings = pipelinetest.Settings(1 << 20)

// folder writes files by name and returns where.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	return storagetest.WriteFiles(t, t.TempDir(), files)
}

// configure reads the format, which is SentEval's if the first argument names none, and
// its flags.
func configure(args ...string) (pipelinetest.Pipeline, error) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return pipelinetest.Configure[Format[SentEval]](args...)
	}
	switch format, args := args[0], args[1:]; format {
	case formatMultiNLI:
		return pipelinetest.Configure[Format[MultiNLI]](args...)
	case formatSNLI:
		return pipelinetest.Configure[Format[SNLI]](args...)
	case formatXNLI:
		return pipelinetest.Configure[Format[XNLI]](args...)
	case formatXNLIMT:
		return pipelinetest.Configure[Format[XNLIMT]](args...)
	case formatPAWSX:
		return pipelinetest.Configure[Format[PAWSX]](args...)
	default:
		return pipelinetest.Configure[Format[Table]](args...)
	}
}

func parse(t testing.TB, args ...string) pipelinetest.Pipeline {
	t.Helper()
	c, err := configure(args...)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return c
}

// rows runs the pipeline and returns what it made.
func rows(t testing.TB, args ...string) ([]schemas.Benchmark, *dataset.Manifest, string) {
	t.Helper()
	location, m := pipelinetest.Run(t, parse(t, args...), settings, pipelinetest.Plain(2))
	return pipelinetest.Rows[schemas.Benchmark](t, location), m, location
}

// shown prints what a test looks at.
func shown(list []schemas.Benchmark) (lines []string) {
	for _, r := range list {
		line := strings.Join([]string{r.Task, r.Split, r.File, fmt.Sprint(r.Row), r.LanguageA, r.TextA, r.TextB, r.Label}, "|")
		if r.Target != nil {
			line += fmt.Sprint("|", *r.Target)
		}
		if r.Skip {
			line += "|skip"
		}
		lines = append(lines, line)
	}
	return lines
}

var mr = map[string]string{
	"MR/rt-polarity.pos": "it is n't -lrb- yet -rrb- dull .\ni like it .\n",
	"MR/rt-polarity.neg": "caf\xe9 life\n",
	"TREC/TREC_10.label": "HUM:ind Who is he ?\n", "TREC/train_5500.label": "LOC:city What is Rome ?\nNONE:x What ?\n",
}

func TestDetokenize(t *testing.T) {
	root := folder(t, mr)
	got, m, location := rows(t, "--input", root, "--partial")
	want := [][5]string{
		{"mr", "It isn't (yet) dull.", "it is n't -lrb- yet -rrb- dull .", "lower", "1"},
		{"mr", "I like it.", "i like it .", "lower", "1"},
		{"mr", "Café life", "café life", "lower", "0"},
		{"trec", "What is Rome?", "What is Rome ?", "mixed", "LOC:city"},
		{"trec", "Who is he?", "Who is he ?", "mixed", "HUM:ind"},
	}
	var found [][5]string
	for _, r := range got {
		found = append(found, [5]string{r.Task, r.TextA, r.OriginalA, r.CasingA, r.Label})
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int64{"items read label": 1}, pipelinetest.Dropped(m)); diff != "" {
		t.Error(diff)
	}
	rejects := pipelinetest.Rejects(t, location)
	if len(rejects) != 1 || rejects[0].Source != "TREC/train_5500.label" || rejects[0].Sample != "What ?" ||
		!strings.HasPrefix(rejects[0].Detail, `line 2: label "NONE:x"`) {
		t.Errorf("rejects %+v", rejects)
	}
	if m.Plan.Units != 2 {
		t.Errorf("%d units, want one a task", m.Plan.Units)
	}
	plain, _, _ := rows(t, "--input", root, "--partial", "--no-detokenize")
	for i, r := range plain {
		if r.TextA != got[i].OriginalA || r.OriginalA != "" || r.CasingA != got[i].CasingA || r.ID != got[i].ID {
			t.Errorf("without detokenizing: %+v", r)
		}
	}
}

// A line without a text keeps its place, where the user takes other rows than the
// published ones; without that it is refused, however many rows there are.
func TestEmptyText(t *testing.T) {
	root := folder(t, map[string]string{"TREC/TREC_10.label": "HUM:ind Who ?\nHUM:ind\nNUM:date When ?\n",
		"TREC/train_5500.label": "LOC:city Rome ?\n"})
	got, m, _ := rows(t, "--input", root, "--partial")
	want := []string{"trec|train|TREC/train_5500.label|0|eng|Rome?||LOC:city", "trec|test|TREC/TREC_10.label|0|eng|Who?||HUM:ind",
		"trec|test|TREC/TREC_10.label|1|eng|||HUM:ind", "trec|test|TREC/TREC_10.label|2|eng|When?||NUM:date"}
	if diff := cmp.Diff(want, shown(got)); diff != "" || len(pipelinetest.Dropped(m)) > 0 {
		t.Errorf("%s %v", diff, pipelinetest.Dropped(m))
	}
	whole := folder(t, map[string]string{"TREC/TREC_10.label": strings.Repeat("HUM:ind Who ?\n", 500),
		"TREC/train_5500.label": "LOC:city\n" + strings.Repeat("LOC:city Rome ?\n", 5452)})
	err := pipelinetest.Fails(t, parse(t, "--input", whole), settings)
	if want := "task trec: the number of rows differs from that of lines; the first line that is not a row: TREC/train_5500.label line 1: empty: a text is empty; give --partial"; !strings.Contains(err.Error(),
		want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// The way out of a refusal is no other plan.
func TestPartialLater(t *testing.T) {
	root, output := folder(t, mr), filepath.Join(t.TempDir(), "out")
	strict := parse(t, "--input", root)
	job, err := strict.Plan(t.Context(), output, settings)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pipelinetest.Plain(1)(t.Context(), job); err == nil || !strings.Contains(err.Error(), "give --partial") {
		t.Fatalf("got %v", err)
	}
	if m := pipelinetest.RunTo(t, parse(t, "--input", root, "--partial"), output, settings, pipelinetest.Plain(1)); m.Rows != 5 {
		t.Errorf("%d rows", m.Rows)
	}
}

// However many languages differ, the error is one line.
func TestCountsInOneLine(t *testing.T) {
	var lines strings.Builder
	for _, code := range []string{"ar", "bg", "de", "el", "en", "es"} {
		fmt.Fprintf(&lines, "%s\tneutral\tA.\tB.\t1\n", code)
	}
	root := folder(t, map[string]string{"xnli.dev.tsv": "language\tgold_label\tsentence1\tsentence2\tpairID\n" + lines.String()})
	err := pipelinetest.Fails(t, parse(t, "xnli", "--input", root), settings)
	if want := "xnli.dev.tsv has 1 in ara, 1 in bul, 1 in deu, other numbers in 3 more languages with gold, the published file has 2490 in each language; give --partial"; !strings.Contains(err.Error(),
		want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want %s", err, want)
	}
}

// The folds are those of the seed, the same whatever else there is.
func TestFolds(t *testing.T) {
	root := pipelinetest.TestSets(t)
	got, _, _ := rows(t, "--input", root, "--partial", "--folds", "4")
	counts := map[string][4]int{}
	for _, r := range got {
		if (r.Fold != nil) != (r.Split == "pool") {
			t.Fatalf("row %+v", r)
		}
		if r.Fold != nil {
			n := counts[r.Task+r.Label]
			n[*r.Fold]++
			counts[r.Task+r.Label] = n
		}
	}
	if len(counts) != 4 {
		t.Errorf("folds of %v", counts)
	}
	for name, n := range counts {
		if slices.Max(n[:])-slices.Min(n[:]) > 1 {
			t.Errorf("%s: folds of %v rows", name, n)
		}
	}
	alone, _, _ := rows(t, "--input", root, "--partial", "--folds", "4", "--tasks", "cr")
	of := slices.DeleteFunc(got, func(r schemas.Benchmark) bool { return r.Task != "cr" })
	if diff := cmp.Diff(of, alone); diff != "" {
		t.Error(diff)
	}
}

// The folder is found where the checkout has it, and the plan is the same.
func TestFolderAbove(t *testing.T) {
	var hashes []string
	for _, above := range []string{"", "downstream/", "data/downstream/"} {
		files := map[string]string{}
		for name, content := range mr {
			files[above+name] = content
		}
		job, err := parse(t, "--input", folder(t, files), "--partial").Plan(t.Context(), t.TempDir(), settings)
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, job.Plan.Hash)
		if want := "not there: cr, mpqa, subj, sst2"; len(job.Notes) != 1 || !strings.Contains(job.Notes[0], want) {
			t.Errorf("notes %q, want %q", job.Notes, want)
		}
	}
	if len(slices.Compact(hashes)) != 1 {
		t.Errorf("plans differ: %v", hashes)
	}
}

func TestRefused(t *testing.T) {
	half := folder(t, map[string]string{"MR/rt-polarity.pos": "a\n", "SST/binary/sentiment-dev": "a\t1\n", "CR/custrev.pos": "a\n",
		"CR/custrev.neg": "b\n"})
	tables := folder(t, map[string]string{"a.csv": "x,y\n1,2\n", "b.csv": "", "c.tsv": "x\ty\n", "d.tsv": "x\ty\n1\t2\n3\n"})
	twice := folder(t, map[string]string{"a/snli_1.0_dev.txt": "", "b/snli_1.0_dev.txt": ""})
	table := []string{"table", "--input", half, "--task", "x"}
	paws := folder(t, map[string]string{"fr/dev_2k.tsv": "id\tsentence1\tsentence2\tlabel\n" + strings.Repeat("1\tUn.\tDeux.\t0\n", 1999) +
		"1\tUn.\n"})
	xnli := folder(t, map[string]string{"xnli.dev.tsv": "language\tgold_label\tsentence1\tsentence2\tpairID\n" + xnliLine})
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"paws-x", "--input", paws},
			"fr/dev_2k.tsv: the number of rows differs from that of lines; the first line that is not a row: fr/dev_2k.tsv line 2001: fields: 2 fields, want at least 4; give --partial"},
		{[]string{"paws-x", "--input", paws, "--languages", "fr,de"},
			"has no file of paws-x in deu, which --languages names; there are fra"},
		{[]string{"xnli", "--input", xnli, "--partial", "--languages", "sv,fr,de"},
			"xnli.dev.tsv has no row in swe, fra, which --languages names; there are deu, eng"},
		{[]string{"table", "--input", tables, "--task", "x", "--files", "d.tsv", "--columns", "text_a=x,label=y"},
			"d.tsv: the number of rows differs from that of lines; the first line that is not a row: d.tsv line 3: fields: 1 fields, want at least 2; --separator says what stands between fields, and whether they may be quoted; --partial takes the others"},
		{append(table, "--files", "MR/rt-polarity.pos", "--columns", "text_a=1,label=2", "--no-header", "--tokenized", "ptb", "--language",
			"de"), "only English"},
		{[]string{"--input", folder(t, mr), "--tasks", "mr"},
			`task mr: the number of rows differs: MR/rt-polarity.pos has 2 rows with gold, SentEval's has 5331; give --partial`},
		{[]string{"--input", folder(t, mr), "--tasks", "trec"},
			`TREC/train_5500.label has 1 rows with gold, SentEval's has 5452; the first line that is not a row: TREC/train_5500.label line 2: label: label "NONE:x" is not one of`},
		{[]string{"--input", half, "--tasks", "cr,mr"}, "task mr: 1 of its 2 files are missing: MR/rt-polarity.neg"},
		{[]string{"--input", half, "--tasks", "MR"}, `task "MR" is not one of mr, cr`},
		{[]string{"--input", t.TempDir()}, "holds no file"},
		{[]string{"--input", folder(t, map[string]string{"x": ""})}, "get_transfer_data.bash"},
		{[]string{"snli", "--input", half}, "no file of snli (snli_1.0_train.txt"},
		{[]string{"snli", "--input", twice}, "are both the split dev"},
		{[]string{"--input", half, "--files", "x"}, "unknown flag --files"},
		{[]string{"snli", "--input", half, "--languages", "de"}, "unknown flag --languages"},
		{[]string{"--input", half, "--folds", "1"}, "want at least 2"},
		{[]string{"--input", half, "--language", "xx"}, "xx"},
		{append(table, "--files", "nil", "--columns", "text_a=1,label=2", "--no-header"), "has no file nil"},
		{append(table, "--files", "MR/rt-polarity.pos", "--columns", "text=1"), "is not COLUMN=NAME"},
		{append(table, "--files", "MR/rt-polarity.pos", "--columns", "label=1"), "no column of the first text"},
		{append(table, "--files", "MR/rt-polarity.pos", "--columns", "text_a=2", "--separator", "none"), "each line is a text"},
		{append(table, "--files", "a.csv"), "no column of the first text"},
		{table, "files is empty"},
		{[]string{"table", "--input", tables, "--task", "x", "--files", "a.csv,b.csv", "--columns", "text_a=x,label=y"},
			"b.csv: empty; leave out"},
		{[]string{"table", "--input", tables, "--task", "x", "--files", "a.csv,c.tsv", "--columns", "text_a=x,label=y"},
			"c.tsv has no row but its header: leave it out"},
	}
	for _, test := range tests {
		c, err := configure(test.args...)
		if err == nil {
			err = pipelinetest.Fails(t, c, settings)
		}
		if !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v:\ngot  %v\nwant %s", test.args, err, test.want)
		}
	}
}

// What changes between plan and work is an error, not other rows.
func TestChanged(t *testing.T) {
	root := folder(t, mr)
	job, err := parse(t, "--input", root, "--partial").Plan(t.Context(), filepath.Join(t.TempDir(), "out"), settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "MR", "rt-polarity.neg"), []byte("a\nb\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := pipelinetest.Plain(1)(t.Context(), job); err == nil ||
		!strings.Contains(err.Error(), "MR/rt-polarity.neg has 4 bytes, and had 10 when") {
		t.Errorf("got %v", err)
	}
}

const (
	corpusLine = "neutral\tp\tq\tA man sits.\tHe \"rests.\n-\t\t\tNobody agrees.\tOr so.\n"
	xnliLine   = "en\tneutral\tA man.\tHe.\t1\nde\tneutral\tEin Mann.\tEr.\t1\n"
)

func TestInference(t *testing.T) {
	header := "gold_label\tx\ty\tsentence1\tsentence2\n"
	zstandard, _ := zstd.NewWriter(nil) // which the settings alone could refuse
	tests := []struct {
		format string
		files  map[string]string
		args   []string
		want   []string
	}{
		{"multinli", map[string]string{"multinli_1.0/multinli_1.0_train.txt": header + corpusLine,
			"multinli_1.0/multinli_1.0_train.jsonl": "{}", "__MACOSX/multinli_1.0_train.txt": ""}, nil, []string{
			`multinli|train|multinli_1.0_train.txt|0|eng|A man sits.|He "rests.|neutral`,
			"multinli|train|multinli_1.0_train.txt|1|eng|Nobody agrees.|Or so.||skip",
		}},
		{"snli", map[string]string{"snli_1.0_test.jsonl": `{"gold_label": "entailment", "sentence1": "A\tman.", "sentence2": "Somebody."}` +
			"\n"}, nil, []string{
			"snli|test|snli_1.0_test.jsonl|0|eng|A\tman.|Somebody.|entailment",
		}},
		{"xnli", map[string]string{"XNLI-1.0/xnli.dev.tsv": "language\tgold_label\tsentence1\tsentence2\tpairID\n" + xnliLine}, nil,
			[]string{
				"xnli|dev|xnli.dev.tsv|0|eng|A man.|He.|neutral", "xnli|dev|xnli.dev.tsv|1|deu|Ein Mann.|Er.|neutral",
			}},
		{"xnli", map[string]string{"XNLI-1.0/xnli.dev.tsv": "language\tgold_label\tsentence1\tsentence2\tpairID\n" + xnliLine},
			[]string{"--languages", "de"}, []string{
				"xnli|dev|xnli.dev.tsv|1|deu|Ein Mann.|Er.|neutral",
			}},
		{"xnli-mt", map[string]string{"multinli/multinli.train.zh.tsv": "premise\thypo\tlabel\n一\t二\tcontradictory\n",
			"multinli/multinli.train.ar.tsv": "premise\thypo\tlabel\n"}, []string{"--languages", "zh"}, []string{
			"xnli-mt|train|multinli.train.zh.tsv|0|zho|一|二|contradiction",
		}},
		{"paws-x", map[string]string{"x-final/de/dev_2k.tsv": "id\tsentence1\tsentence2\tlabel\n1\tEins.\tZwei.\t0\n2\tNS\tDrei.\t1\n"},
			nil, []string{
				"paws-x|dev|de/dev_2k.tsv|0|deu|Eins.|Zwei.|0", "paws-x|dev|de/dev_2k.tsv|1|deu|NS|Drei.|1|skip",
			}},
		{"table", map[string]string{"d/a.csv": "gold,first,score\nyes,\"One, two\",4.5\nno,Three,x\n",
			"b.tsv": "gold\tfirst\tscore\n\tFour\t\n"},
			[]string{"--files", "d/a.csv,b.tsv", "--columns", "text_a=first,label=gold,target=3", "--task", "mine", "--partial"}, []string{
				"mine|a|d/a.csv|0|eng|One, two||yes|4.5", "mine|b|b.tsv|0|eng|Four|||skip",
			}},
		{"table", map[string]string{"t.tsv": "it is n't -lrb- yet -rrb- .\tyes\n"},
			[]string{"--files", "t.tsv", "--no-header", "--columns", "text_a=1,label=2", "--task", "mine", "--tokenized", "ptb"}, []string{
				"mine|t|t.tsv|0|eng|It isn't (yet).||yes",
			}},
		{"table", map[string]string{"t.csv.zst": string(zstandard.EncodeAll([]byte("gold,first\nyes,\"One, two\"\n"), nil))},
			[]string{"--files", "t.csv.zst", "--columns", "text_a=first,label=gold", "--task", "mine"}, []string{
				"mine|t|t.csv.zst|0|eng|One, two||yes",
			}},
		{"table", map[string]string{"x": "a\tb\t1\n"},
			[]string{"--files", "x", "--no-header", "--columns", "text_a=2,text_b=1,label=3", "--task", "mine", "--split", "all",
				"--language", "de"}, []string{
				"mine|all|x|0|deu|b|a|1",
			}},
	}
	for _, test := range tests {
		root := folder(t, test.files)
		args := append([]string{test.format, "--input", root}, test.args...)
		if test.format != "table" {
			err := pipelinetest.Fails(t, parse(t, args...), settings)
			if !strings.Contains(err.Error(), "give --partial") || !strings.Contains(err.Error(), "the published file has") {
				t.Errorf("%s with other counts: %v", test.format, err)
			}
			args = append(args, "--partial")
		}
		got, m, _ := rows(t, args...)
		if diff := cmp.Diff(test.want, shown(got)); diff != "" {
			t.Errorf("%s: %s", test.format, diff)
		}
		if err := m.Funnel.Check(); err != nil {
			t.Error(err)
		}
	}
}
