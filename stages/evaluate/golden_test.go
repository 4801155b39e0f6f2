package evaluate

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/realdata"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/protocol"
	"sentweave/stages/metrics"
)

// key tells the rows of one model apart.
type key struct{ Task, Subtask, Language, Metric string }

func run(t testing.TB, model string, c Config) map[key]schemas.Result {
	t.Helper()
	e, err := encoder.Open(t.Context(), model, nil)
	if err != nil {
		t.Fatal(err)
	}
	return collect(t, e, c)
}

func collect(t testing.TB, e encoder.Encoder, c Config) map[key]schemas.Result {
	t.Helper()
	if c.Split == "" {
		c.Split = "test"
	}
	rows := map[key]schemas.Result{}
	tasks, _, err := load(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string][]protocol.Part{}
	list := map[string][]schemas.Result{}
	for r, err := range measureAll(t.Context(), tasks, e, func(task string, p protocol.Part) { parts[task] = append(parts[task], p) }) {
		if err != nil {
			t.Fatal(err)
		}
		list[r.Task] = append(list[r.Task], r)
		k := key{r.Task, r.Subtask, r.Language, r.Metric}
		if _, twice := rows[k]; twice {
			t.Errorf("two rows of %+v", k)
		}
		if r.Model != e.Name() || len(r.DataXXH3) < 16 {
			t.Errorf("row %+v", r)
		}
		rows[k] = r
	}
	for task, results := range list {
		followFromItems(t, results, parts[task])
	}
	return rows
}

func expect(t *testing.T, rows map[key]schemas.Result, k key, want string, n int64) {
	t.Helper()
	r, ok := rows[k]
	if got := fmt.Sprintf("%.2f", 100*r.Value); !ok || got != want || r.N != n {
		t.Errorf("%+v: %s of %d items, want %s of %d", k, got, r.N, want, n)
	}
}

// The figures were computed for this project by a program in Python with whole
// numbers, from the same files; the numbers of pairs are those of SentEval.
func TestGoldenSTS(t *testing.T) {
	rows := run(t, "baseline:bow",
		Config{Data: realdata.Folder(t, "sts"), Tasks: []string{"sts12", "sts13", "sts14", "sts15", "sts16", "stsb"}})
	for _, g := range []struct {
		task                      string
		n                         int64
		all, mean, wmean, pearson string
	}{
		{"sts12", 3108, "30.57", "43.55", "42.98", "27.69"},
		{"sts13", 1500, "46.26", "35.81", "44.18", "46.65"},
		{"sts14", 3750, "45.49", "53.02", "53.24", "45.22"},
		{"sts15", 3000, "61.80", "56.39", "58.92", "62.18"},
		{"sts16", 1186, "51.58", "51.09", "52.20", "52.30"},
	} {
		expect(t, rows, key{g.task, metrics.SubtaskAll, "eng", metrics.Spearman}, g.all, g.n)
		expect(t, rows, key{g.task, metrics.SubtaskMean, "eng", metrics.Spearman}, g.mean, g.n)
		expect(t, rows, key{g.task, metrics.SubtaskWeightedMean, "eng", metrics.Spearman}, g.wmean, g.n)
		expect(t, rows, key{g.task, metrics.SubtaskAll, "eng", metrics.Pearson}, g.pearson, g.n)
	}
	expect(t, rows, key{"stsb", metrics.SubtaskAll, "eng", metrics.Spearman}, "42.53", 1379)
	expect(t, rows, key{"stsb", metrics.SubtaskAll, "eng", metrics.Pearson}, "42.41", 1379)
	for _, g := range []struct {
		task, subtask, want string
		n                   int64
	}{
		{"sts12", "MSRpar", "39.14", 750}, {"sts12", "MSRvid", "25.64", 750}, {"sts12", "SMTeuroparl", "55.61", 459},
		{"sts12", "OnWN", "58.82", 750}, {"sts12", "SMTnews", "38.54", 399}, {"sts13", "FNWN", "15.66", 189},
		{"sts13", "headlines", "62.56", 750}, {"sts13", "OnWN", "29.23", 561}, {"sts16", "postediting", "78.95", 244},
		{"sts16", "question-question", "8.28", 209},
	} {
		expect(t, rows, key{g.task, g.subtask, "eng", metrics.Spearman}, g.want, g.n)
	}
}

func TestGoldenTatoeba(t *testing.T) {
	rows := run(t, "baseline:char3",
		Config{Data: realdata.Folder(t, "sts"), Tasks: []string{"tatoeba"}, Languages: []string{"nld", "deu", "fra", "afr", "ita", "jav"}})
	for _, g := range []struct {
		language, to, from string
		n                  int64
	}{
		{"nld", "27.30", "29.00", 1000}, {"deu", "19.50", "17.30", 1000}, {"fra", "16.10", "16.60", 1000},
		{"afr", "18.10", "19.40", 1000}, {"ita", "21.60", "21.30", 1000}, {"jav", "9.76", "8.29", 205},
	} {
		expect(t, rows, key{"tatoeba", g.language + "-eng", g.language, metrics.Accuracy}, g.to, g.n)
		expect(t, rows, key{"tatoeba", "eng-" + g.language, g.language, metrics.Accuracy}, g.from, g.n)
		to, from, both := rows[key{"tatoeba", g.language + "-eng", g.language, metrics.Accuracy}],
			rows[key{"tatoeba", "eng-" + g.language, g.language, metrics.Accuracy}],
			rows[key{"tatoeba", g.language, g.language, metrics.Accuracy}]
		if math.Abs(both.Value-(to.Value+from.Value)/2) > 1e-12 || *both.Spread >= *to.Spread {
			t.Errorf("%s: mean %v ± %v of %v and %v ± %v", g.language, both.Value, *both.Spread, to.Value, from.Value, *to.Spread)
		}
	}
}

// The counts are those of the data's research note; the English track and the
// English side of the multilingual benchmark have no published figure for words,
// but the latter has the texts of STS-B.
func TestCrossLingualData(t *testing.T) {
	rows := run(t, "baseline:bow",
		Config{Data: realdata.Folder(t, "sts"), Tasks: []string{"sts2017", "stsb", "stsb_multi_mt", "stsb_multi_mt_cross"}})
	for track, language := range map[string]string{
		"track1.ar-ar": "ara", "track2.ar-en": "ara-eng", "track3.es-es": "spa", "track4a.es-en": "eng-spa", "track4b.es-en": "eng-spa",
		"track5.en-en": "eng", "track6.tr-en": "eng-tur",
	} {
		if r := rows[key{"sts2017", track, language, metrics.Pearson}]; r.N != 250 {
			t.Errorf("%s has %d pairs, want 250", track, r.N)
		}
	}
	if r := rows[key{"sts2017", "track6.tr-en", "eng-tur",
		metrics.Pearson}]; r.Settings != `{"similarity":"cosine","split":"test","unscored":250}` {
		t.Errorf("track 6: %s", r.Settings)
	}
	for _, metric := range []string{metrics.Spearman, metrics.Pearson} {
		a, b := rows[key{"stsb", metrics.SubtaskAll, "eng", metric}], rows[key{"stsb_multi_mt", "eng", "eng", metric}]
		if math.Abs(a.Value-b.Value) > .01 || a.N != b.N {
			t.Errorf("%s: %v of %d pairs in STS-B, %v of %d in its multilingual copy", metric, a.Value, a.N, b.Value, b.N)
		}
	}
	for _, pair := range strings.Fields("deu-eng eng-fra eng-ita eng-jpn eng-nld eng-pol eng-por eng-rus eng-spa eng-zho") {
		if r := rows[key{"stsb_multi_mt_cross", pair, pair, metrics.Spearman}]; r.N != 1379 {
			t.Errorf("%s has %d pairs, want 1379", pair, r.N)
		}
	}
}

func TestTatoeba36(t *testing.T) {
	data := realdata.Folder(t, "sts")
	few := map[string]int{"jav": 205, "tel": 234, "tam": 307, "swh": 390, "tha": 548, "kaz": 575, "mal": 687, "kat": 746}
	tasks, _, err := load(t.Context(), Config{Data: data, Tasks: []string{"tatoeba36", "tatoeba"}, Split: "test"})
	if err != nil {
		t.Fatal(err)
	}
	var counts [2]map[string]int // of sentences in languages other than English
	for i, task := range tasks {
		counts[i] = map[string]int{}
		for text := range task.Texts() {
			counts[i][text.Language]++
		}
		delete(counts[i], "eng")
	}
	if len(counts[0]) != 36 || len(counts[1]) != 112 {
		t.Errorf("%d and %d languages, want 36 and 112", len(counts[0]), len(counts[1]))
	}
	for language, got := range counts[0] {
		want := 1000
		if n, ok := few[language]; ok {
			want = n
		}
		if got != want {
			t.Errorf("%s has %d sentences, want %d", language, got, want)
		}
	}
}

func BenchmarkTatoeba(b *testing.B) {
	c := Config{Data: realdata.Folder(b, "sts"), Tasks: []string{"tatoeba"}, Languages: []string{"nld", "deu", "fra"}, Split: "test"}
	for _, model := range []string{"baseline:char3", "baseline:random"} {
		b.Run(model, func(b *testing.B) {
			for b.Loop() {
				run(b, model, c)
			}
		})
	}
}
