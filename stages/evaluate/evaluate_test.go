package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/encoder"
	"sentweave/stages/metrics"
)

// constant gives all texts the same vector.
type constant struct{}

func (constant) Name() string { return "constant" }
func (constant) Encode(_ context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	data := make([]float32, len(texts))
	for i := range data {
		data[i] = 1
	}
	return encoder.NewDense(data, 1)
}

var sts13 = map[string]string{
	"sts/2013/FNWN.test.tsv":      "1\ta b\ta c\n\tnot scored\tno gold\n2\ta b\ta b\n0\ta\tb",
	"sts/2013/headlines.test.tsv": "\ufeff3\tx\tx\r\n1\tx\ty\r\n",
	"sts/2013/OnWN.test.tsv":      "3\tx\ty\n1\tx\tx\n",
}

func TestSimilarity(t *testing.T) {
	c := Config{Data: storagetest.WriteFiles(t, t.TempDir(), sts13), Tasks: []string{"sts13"}, Split: "test"}
	rows := run(t, "baseline:bow", c)
	// Similarities 1/2 1 0 | 1 0 | 0 1 for gold 1 2 0 | 3 1 | 3 1.
	expect(t, rows, key{"sts13", "FNWN", "eng", metrics.Pearson}, "100.00", 3)
	expect(t, rows, key{"sts13", "headlines", "eng", metrics.Spearman}, "100.00", 2)
	expect(t, rows, key{"sts13", "OnWN", "eng", metrics.Spearman}, "-100.00", 2)
	expect(t, rows, key{"sts13", metrics.SubtaskMean, "eng", metrics.Spearman}, "33.33", 7)
	expect(t, rows, key{"sts13", metrics.SubtaskWeightedMean, "eng", metrics.Spearman}, "42.86", 7) // (3+2-2)/7
	// Together: deviations 0 1 -1 1 -1 -1 1 halved, and gold less 11/7.
	expect(t, rows, key{"sts13", metrics.SubtaskAll, "eng", metrics.Pearson},
		fmt.Sprintf("%.2f", 100*.5*(2-0+3-1-3+1)/math.Sqrt(1.5*(25-121./7))), 7)
	flat := collect(t, constant{}, c)
	for _, r := range flat {
		if r.Value != 0 || !strings.Contains(r.Settings, `"undefined":`) {
			t.Errorf("all similarities are equal: %+v", r)
		}
	}
	if r := flat[key{"sts13", metrics.SubtaskMean, "eng", metrics.Spearman}]; !strings.Contains(r.Settings, `"undefined":3`) {
		t.Errorf("mean of three undefined subtasks: %s", r.Settings)
	}
}

func TestFaults(t *testing.T) {
	english := "sts2017/STS2017.eval.v1.1/STS.input.track1.ar-ar.txt"
	tests := []struct {
		name   string
		change map[string]string // files, "-" removes one
		tasks  string
		want   string
	}{
		{"a missing subtask", map[string]string{"sts/2013/OnWN.test.tsv": "-"}, "sts13",
			"sts13: 1 file is missing: sts/2013/OnWN.test.tsv, expected in "},
		{"all that is missing at once", map[string]string{"sts/2013/OnWN.test.tsv": "-"}, "sts13,stsb",
			"missing: stsb/sts-test.csv, expected in"},
		{"a task without any file", nil, "sts2017", "14 files are missing: " + english},
		{"no language", nil, "tatoeba", "missing: tatoeba/tatoeba.XXX-eng.XXX"},
		{"a field too few", map[string]string{"sts/2013/OnWN.test.tsv": "1\ta\tb\n2\ta\n"}, "sts13",
			"OnWN.test.tsv line 2 has 2 fields, want 3"},
		{"gold that is not a number", map[string]string{"sts/2013/OnWN.test.tsv": "1,5\ta\tb\n"}, "sts13",
			`OnWN.test.tsv line 1: score "1,5"`},
		{"gold that is not finite", map[string]string{"sts/2013/OnWN.test.tsv": "inf\ta\tb\n"}, "sts13", "not a finite number"},
		{"gold out of range", map[string]string{"sts/2013/OnWN.test.tsv": "70\ta\tb\n"}, "sts13",
			"line 1: score 70 is outside 0 to 5"},
		{"gold of CSV out of range", map[string]string{"stsb_multi_mt/stsb-de-test.csv": "a,b,1\nc,d,-1\n"}, "stsb_multi_mt",
			"stsb-de-test.csv line 2: score -1 is outside 0 to 5"},
		{"gold of 2017 out of range", map[string]string{english: "a\tb\n", "sts2017/STS2017.gs/STS.gs.track1.ar-ar.txt": "55\n"}, "sts2017",
			"score 1 of track1.ar-ar: score 55 is outside 0 to 5"},
		{"gold of more languages out of range", map[string]string{"sts2017-extended/STS.en-de.txt": "a\tb\t5.1\n"}, "sts2017-extended",
			"STS.en-de.txt line 1: score 5.1 is outside 0 to 5"},
		{"gold of arguments out of range", map[string]string{"afs/ArgPairs_DP.csv": "h\n30,,,,,,,,,a,b\n"}, "afs",
			"ArgPairs_DP.csv record 2: score 30 is outside 0 to 5"},
		{"carriage returns alone", map[string]string{"tatoeba/tatoeba.deu-eng.deu": "a\rb\r", "tatoeba/tatoeba.deu-eng.eng": "a\rb\r"},
			"tatoeba", "tatoeba/tatoeba.deu-eng.deu: its lines end with only a carriage return"},
		{"carriage returns in CSV", map[string]string{"stsb/sts-test.csv": "g\tf\ty\ti\t1\ta\tb\rg\tf\ty\ti\t2\ta\tc\r"}, "stsb",
			"stsb/sts-test.csv: its lines end with only a carriage return"},
		{"no gold at all", map[string]string{"sts/2013/OnWN.test.tsv": "\ta\tb\n"}, "sts13", "no pair with gold"},
		{"an empty file", map[string]string{"stsb/sts-test.csv": "\n"}, "stsb", "stsb/sts-test.csv in "},
		{"two empty files", map[string]string{"tatoeba/tatoeba.deu-eng.deu": "", "tatoeba/tatoeba.deu-eng.eng": ""}, "tatoeba", "is empty"},
		{"not UTF-8", map[string]string{"sts/2013/OnWN.test.tsv": "1\ta\tb\n1\t\xff\tb\n"}, "sts13", "line 2 is not UTF-8"},
		{"quotes are text", map[string]string{"stsb/sts-test.csv": "g\tf\ty\ti\t1\t\"a\tb\ng\tf\ty\ti\tx\ta\tb"}, "stsb",
			`line 2: score "x"`},
		{"sides of unequal length", map[string]string{"tatoeba/tatoeba.deu-eng.deu": "a\nb\n", "tatoeba/tatoeba.deu-eng.eng": "a\n"},
			"tatoeba", "has 2 lines, tatoeba/tatoeba.deu-eng.eng 1"},
		{"the other side of another", map[string]string{"tatoeba/tatoeba.deu-eng.eng": "a\n", "tatoeba/tatoeba.fra-eng.fra": "a\n",
			"tatoeba/tatoeba.fra-eng.eng": "a\n"}, "tatoeba", "missing: tatoeba/tatoeba.deu-eng.deu"},
		{"a blank line", map[string]string{"tatoeba/tatoeba.deu-eng.deu": "a\n \nb\n", "tatoeba/tatoeba.deu-eng.eng": "a\nb\nc\n"},
			"tatoeba", "line 2 of tatoeba/tatoeba.deu-eng.deu is blank"},
		{"a blank translation", map[string]string{
			"mlqe/en-de/test20.ende.df.short.tsv": "index\toriginal\ttranslation\tz_mean\n0\ta\tb\t1\n1\tc\t \t2\n"}, "mlqe",
			"test20.ende.df.short.tsv line 3: a text is blank"},
		{"one of zero-width spaces", map[string]string{
			"mlqe/en-de/test20.ende.df.short.tsv": "index\toriginal\ttranslation\tz_mean\n0\t\u200b\tb\t1\n"}, "mlqe",
			"line 2: a text is blank"},
		{"a blank text of CSV", map[string]string{"stsb_multi_mt/stsb-de-test.csv": "a,b,1\n\"c\nd\",e,2\n\u200b,f,3\n"}, "stsb_multi_mt",
			"stsb-de-test.csv line 4: a text is blank"},
		{"CSV that is not UTF-8", map[string]string{"stsb_multi_mt/stsb-de-test.csv": "a,b,1\nc,\xff,2\n"}, "stsb_multi_mt",
			"stsb_multi_mt/stsb-de-test.csv line 2 is not UTF-8"},
		{"a stray quote", map[string]string{"stsb_multi_mt/stsb-de-test.csv": "a,b,1\n\"c,d,2\ne,f,3\n"}, "stsb_multi_mt",
			"stsb-de-test.csv line 2: a quote that the line does not close"},
		{"a blank text of STS", map[string]string{"sts/2013/OnWN.test.tsv": "1\ta\tb\n2\ta\t\u200b\n"}, "sts13",
			"OnWN.test.tsv line 2: a text is empty"},
		{"a blank text of the benchmark", map[string]string{"stsb/sts-test.csv": "g\tf\ty\ti\t1\ta\tb\ng\tf\ty\ti\t2\ta\t \n"}, "stsb",
			"stsb/sts-test.csv line 2: a text is empty"},
		{"a blank sentence of BUCC", map[string]string{"bucc/de-en.training.de": "de-1\ta\nde-2\t\u200b\n",
			"bucc/de-en.training.en": "en-1\tb\n", "bucc/de-en.training.gold": "de-1\ten-1\n"}, "bucc-mining",
			"bucc/de-en.training.de line 2 has a sentence that is blank"},
		{"one side", map[string]string{"tatoeba/tatoeba.deu-eng.deu": "a\n"}, "tatoeba", "missing: tatoeba/tatoeba.deu-eng.eng"},
	}
	bow, err := encoder.Parse(t.Context(), "baseline:bow")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		root := storagetest.WriteFiles(t, t.TempDir(), sts13)
		for name, text := range test.change {
			if text == "-" {
				os.Remove(filepath.Join(root, name))
			} else {
				storagetest.WriteFiles(t, root, map[string]string{name: text})
			}
		}
		rows := 0
		var err error
		for _, e := range Measure(t.Context(), Config{Data: root, Tasks: strings.Split(test.tasks, ","), Split: "test"}, bow) {
			if e == nil {
				rows++
			}
			err = e
		}
		if err == nil || !strings.Contains(err.Error(), test.want) || rows > 0 {
			t.Errorf("%s: %d rows, %v; want %q", test.name, rows, err, test.want)
		}
		if missing := strings.Contains(test.want, "missing"); missing != errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v matches fs.ErrNotExist: %t", test.name, err, !missing)
		}
	}
	for want, c := range map[string]Config{
		"tasks is empty":            {Split: "test"},
		`tasks: "sts11" is not one`: {Split: "test", Data: "x", Tasks: []string{"sts11"}},
		"twice":                     {Split: "test", Data: "x", Tasks: []string{"sts12", "sts12"}},
		"give --texts":              {Split: "test", Data: "x", Tasks: []string{"retrieval"}},
		"give --data":               {Split: "test", Texts: "x", Tasks: []string{"stsb"}},
		`split "all"`:               {Split: "all", Data: "x", Tasks: []string{"stsb"}},
		"split has no effect on sts12, sts2017: it is for stsb,": {Split: "dev", Data: "x", Tasks: []string{"sts12", "sts2017"}},
		"languages has no effect on stsb: it is for stsb_multi_mt": {Split: "test", Data: "x", Tasks: []string{"stsb"},
			Languages: []string{"deu"}},
		`benchmarks: "b" is empty or occurs twice`: {Split: "test", Data: "x", Tasks: []string{"stsb"},
			Benchmarks: []string{"b", "b"}},
		`language "deu" is empty o`: {Split: "test", Data: "x", Tasks: []string{"tatoeba"},
			Languages: []string{"deu", "deu"}},
	} {
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
	// What one of several tasks takes is not a fault.
	both := Config{Split: "dev", Data: "x", Tasks: []string{"sts12", "stsb", "tatoeba"}, Languages: []string{"deu"}}
	if err := both.Validate(); err != nil {
		t.Error(err)
	}
}

func TestSTS2017(t *testing.T) {
	folder := map[string]string{}
	for _, track := range strings.Fields("track1.ar-ar track2.ar-en track3.es-es track4a.es-en track4b.es-en track5.en-en track6.tr-en") {
		folder["sts2017/STS2017.eval.v1.1/STS.input."+track+".txt"] = "a b\ta b\na b\ta c\na\tb\n"
		folder["sts2017/STS2017.gs/STS.gs."+track+".txt"] = "5.0\n3\n1.0\n"
	}
	input, gold := "sts2017/STS2017.eval.v1.1/STS.input.track6.tr-en.txt", "sts2017/STS2017.gs/STS.gs.track6.tr-en.txt"
	folder[input] += "not\tscored\nno tab either\nnor\tthis\n"
	c := Config{Data: storagetest.WriteFiles(t, t.TempDir(), folder), Tasks: []string{"sts2017"}}
	rows := collect(t, mustParse(t, "baseline:bow"), c) // similarities 1 ½ 0 for gold 5 3 1
	expect(t, rows, key{"sts2017", "track6.tr-en", "eng-tur", metrics.Pearson}, "100.00", 3)
	expect(t, rows, key{"sts2017", metrics.SubtaskMean, "", metrics.Spearman}, "100.00", 21)
	if s := rows[key{"sts2017", "track6.tr-en", "eng-tur", metrics.Pearson}].Settings; !strings.Contains(s, `"unscored":3`) {
		t.Errorf("settings %s, want 3 pairs without gold", s)
	}
	for want, files := range map[string]map[string]string{
		"has 1 pairs for 3 scores":                            {input: "a\tb\n"},
		"has 6 pairs for 2 scores":                            {gold: "5\n3\n"},
		"STS.input.track5.en-en.txt has 3 pairs for 2 scores": {"sts2017/STS2017.gs/STS.gs.track5.en-en.txt": "3\n1\n"},
		"line 2 has no tab":                                   {input: "a\tb\nc\nd\te\n"},
		"score 2 of track6.tr-en":                             {gold: "1\nx\n3\n"},
	} {
		if _, _, err := load(t.Context(), Config{Data: storagetest.WriteFiles(t, storagetest.WriteFiles(t, t.TempDir(), folder), files),
			Tasks: c.Tasks, Split: "test"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestMultilingualSTSB(t *testing.T) {
	folder := map[string]string{
		"stsb_multi_mt/stsb-en-dev.csv": "\"a, \"\"b\"\"\",x,5\r\nc d,c y,1\r\n",
		"stsb_multi_mt/stsb-de-dev.csv": "x,\"a, \"\"b\"\"\",5.0\nx,z,1.0\n",
		"stsb_multi_mt/stsb-fr-dev.csv": "x,z,5\nx,z,2\n",
	}
	c := Config{Data: storagetest.WriteFiles(t, t.TempDir(), folder), Tasks: []string{"stsb_multi_mt_cross"}, Languages: []string{"deu"},
		Split: "dev"}
	rows := collect(t, mustParse(t, "baseline:bow"), c)
	expect(t, rows, key{"stsb_multi_mt_cross", "deu-eng", "deu-eng", metrics.Pearson}, "100.00",
		2) // the quoted text is in both, English first
	for want, change := range map[string]func(*Config){
		"a language other than eng":          func(c *Config) { c.Languages = []string{"eng"} },
		`no language "swe"`:                  func(c *Config) { c.Languages = []string{"swe"} },
		"scores of fra are not those of eng": func(c *Config) { c.Languages = []string{"fra"} },
		"stsb-es-dev.csv, expected in":       func(c *Config) { c.Languages = []string{"spa"} },
	} {
		bad := c
		change(&bad)
		if _, _, err := load(t.Context(), bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func mustParse(t *testing.T, name string) encoder.Encoder {
	t.Helper()
	e, err := encoder.Parse(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestSameRowsAtAnyParallelism(t *testing.T) {
	root := t.TempDir()
	var foreign, english strings.Builder
	for i := range 300 {
		fmt.Fprintf(&foreign, "%d satz %d\n", i%37, i%11)
		fmt.Fprintf(&english, "%d sentence %d\n", i%37, i%7)
	}
	storagetest.WriteFiles(t, root, map[string]string{"tatoeba/tatoeba.deu-eng.deu": foreign.String(),
		"tatoeba/tatoeba.deu-eng.eng": english.String()})
	for _, model := range []string{"baseline:bow", "baseline:tfidf", "baseline:random"} {
		var first string
		for _, processors := range []int{1, 2, 5} {
			before := runtime.GOMAXPROCS(processors)
			var all strings.Builder
			for r, err := range Measure(t.Context(), Config{Data: root, Tasks: []string{"tatoeba"}, Split: "test"}, mustParse(t, model)) {
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintln(&all, r.Subtask, r.Metric, r.Value, *r.Spread, r.N, r.Settings, r.DataXXH3)
			}
			runtime.GOMAXPROCS(before)
			if first == "" {
				first = all.String()
			}
			if all.String() != first {
				t.Errorf("%s on %d processors:\n%swant\n%s", model, processors, all.String(), first)
			}
		}
	}
}

func TestTatoebaIsBesideEnglish(t *testing.T) {
	root := storagetest.WriteFiles(t, t.TempDir(),
		map[string]string{"tatoeba/tatoeba.deu-eng.deu": "eins\nzwei\n", "tatoeba/tatoeba.deu-eng.eng": "one\ntwo\n"})
	rows := func(languages ...string) (n int, err error) {
		for _, e := range Measure(t.Context(), Config{Data: root, Tasks: []string{"tatoeba"}, Languages: languages, Split: "test"},
			mustParse(t, "baseline:bow")) {
			if e != nil {
				return 0, e
			}
			n++
		}
		return n, nil
	}
	german, err := rows("deu")
	if err != nil || german == 0 {
		t.Fatal(german, err)
	}
	if both, err := rows("eng", "deu"); both != german || err != nil {
		t.Errorf("%d rows and %v with English, want the %d of German", both, err, german)
	}
	if _, err := rows("eng"); err == nil || !strings.Contains(err.Error(), "English alone") {
		t.Errorf("English alone: %v", err)
	}
}
