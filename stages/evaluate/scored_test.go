package evaluate

import (
	"strings"
	"testing"

	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/metrics"
)

func TestScoredSources(t *testing.T) {
	sick := "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n" +
		strings.Repeat("1\ta b\ta c\t3.5\tNEUTRAL\n", 4925) + "2\ta b\ta b\t4.5\tENTAILMENT\n3\ta\tb\t1\tNEUTRAL\n"
	arguments := "regression_label,1,2,3,4,5,6,7,8,sentence_1,sentence_2\n1,,,,,,,,,\"a, b\",\"a, c\"\n2,,,,,,,,,a b,a b\n0,,,,,,,,,a,b\xff\n"
	files := map[string]string{
		"senteval/SICK/SICK_test_annotated.txt": sick,
		"sts2017-extended/STS.en-de.txt":        "a b\ta c\t1\na b\ta b\t2\na\tb\t0\n",
		"sts2017-extended/STS.fr-fr.txt":        "a b\ta c\t1\na b\ta b\t0\na\tb\t2\n",
		"mlqe/en-de/test20.ende.df.short.tsv":   "index\toriginal\ttranslation\tz_mean\n0\ta \"b\ta \"c\t.5\n1\ta b\ta b\t1\n2\ta\tb\t0\n",
		"mlqe/en-de/dev.ende.df.short.tsv":      "index\toriginal\ttranslation\tz_mean\n0\ta\tb\t.5\n",
		"mlqe/ro-en/test20.roen.df.short.tsv":   "z_mean\ttranslation\toriginal\n-.5\ta c\ta b\n-1\ta b\ta b\n0\tb\ta\n",
		"afs/ArgPairs_DP.csv":                   arguments,
		"afs/ArgPairs_GC.csv":                   arguments,
		"afs/ArgPairs_GM.csv":                   arguments,
		"stsb_multi_mt/stsb-en-test.csv":        "a b,a c,1\na b,a b,2\na,b,0\n",
		"stsb_multi_mt/stsb-de-test.csv":        "a b,b c,1\na b,x y,2\na,a,0\n",
	}
	root := storagetest.WriteFiles(t, t.TempDir(), files)
	tasks := []string{"sick-r-cos", "sts2017-extended", "mlqe", "afs"}
	rows := run(t, "baseline:bow", Config{Data: root, Tasks: tasks})
	for _, want := range []struct {
		task, subtask, language, value string
		n                              int64
	}{
		{"sick-r-cos", metrics.SubtaskAll, "eng", "100.00", 4927},
		{"sts2017-extended", "eng-deu", "deu-eng", "100.00", 3}, // similarities 1/2 1 0
		{"sts2017-extended", "fra-fra", "fra", "-100.00", 3},
		{"sts2017-extended", metrics.SubtaskMean, "", "0.00", 6},
		{"mlqe", "eng-deu", "deu-eng", "100.00", 3},
		{"mlqe", "ron-eng", "eng-ron", "-100.00", 3},
		{"mlqe", metrics.SubtaskMean, "", "0.00", 6},
		{"afs", "GM", "eng", "100.00", 3},
		{"afs", metrics.SubtaskMean, "eng", "100.00", 9},
	} {
		expect(t, rows, key{want.task, want.subtask, want.language, metrics.Spearman}, want.value, want.n)
	}
	// Every ordered pair. English to German: a b/b c 1/2, a b/x y 0, a/a 1; back: a b/a c 1/2,
	// a b/a b 1, a/b 0.
	cross := run(t, "baseline:bow", Config{Data: root, Tasks: []string{"stsb_multi_mt_pairs"}, Languages: []string{"deu", "eng"}})
	expect(t, cross, key{"stsb_multi_mt_pairs", "eng-deu", "deu-eng", metrics.Spearman}, "-100.00", 3)
	expect(t, cross, key{"stsb_multi_mt_pairs", "deu-eng", "deu-eng", metrics.Spearman}, "100.00", 3)
	expect(t, cross, key{"stsb_multi_mt_pairs", metrics.SubtaskMean, "", metrics.Spearman}, "0.00", 6)
	for _, test := range []struct{ task, file, text, want string }{
		{"mlqe", "mlqe/en-de/test20.ende.df.short.tsv", "original\ttranslation\tmean\na\tb\t1\n",
			`has no column "z_mean", but original, translation, mean`},
		{"mlqe", "mlqe/en-de/test20.ende.df.short.tsv", "original\ttranslation\tz_mean\na\tb\n", "line 2 has 2 fields, the header has 3"},
		{"mlqe", "mlqe/en-de/test20.ende.df.short.tsv", "original\ttranslation\tz_mean\na\tb\tnan\n", `line 2: score "nan"`},
		{"mlqe", "mlqe/en-de/test20.ende.df.short.tsv", "original\ttranslation\tz_mean\n", "has no row"},
		{"mlqe", "mlqe/et-en/dev.eten.df.short.tsv", "original\ttranslation\tz_mean\na\tb\t1\n",
			"missing: mlqe/et-en/test20.eten.df.short.tsv"},
		{"afs", "afs/ArgPairs_DP.csv", "h\n1,2\n", "record 2 has 2 fields, want at least 11"},
		{"afs", "afs/ArgPairs_DP.csv", "h\n", "has no pair"},
		{"sts2017-extended", "sts2017-extended/STS.fr-fr.txt", "a\tb\n", "line 1 has 2 fields, want 3"},
		{"sick-r-cos", "senteval/SICK/SICK_test_annotated.txt", sick[:len(sick)-10], "SICK_test_annotated.txt"},
		{"stsb_multi_mt_pairs", "stsb_multi_mt/stsb-de-test.csv", "a,b,1\na,b,2\na,b,3\n", "scores of eng are not those of deu"},
	} {
		c := Config{Data: storagetest.WriteFiles(t, storagetest.WriteFiles(t, t.TempDir(), files), map[string]string{test.file: test.text}),
			Tasks: []string{test.task}, Split: "test"}
		if test.task == "stsb_multi_mt_pairs" {
			c.Languages = []string{"deu", "eng"}
		}
		if _, _, err := load(t.Context(), c); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.task, err, test.want)
		}
	}
	for _, task := range tasks {
		if _, _, err := load(t.Context(), Config{Data: t.TempDir(), Tasks: []string{task}, Split: "test"}); err == nil ||
			!strings.Contains(err.Error(), "missing: ") {
			t.Errorf("%s without files: %v", task, err)
		}
	}
}
