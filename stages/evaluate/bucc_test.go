package evaluate

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/metrics"
)

// Two sources and their translations, one target more; the training has both pairs in order,
// the test a pair that lies apart. By hand.
func buccFiles() map[string]string {
	return map[string]string{
		"bucc/de-en.training.de": "de-1\ta1\nde-2\ta2\n", "bucc/de-en.training.en": "en-1\tb1\nen-2\tb2\nen-3\tb3\n",
		"bucc/de-en.training.gold": "de-1\ten-1\nde-2\ten-2\n",
		"bucc/de-en.test.de":       "x\ta1\ny\ta2\nz\ttwice\nw\ttwice\n", "bucc/de-en.test.en": "p\tb1\nq\tb4\nr\tb5\n",
		"bucc/de-en.test.gold": "x\tp\ny\tq\nz\tr\n",
	}
}

func TestBUCC(t *testing.T) {
	model := angles{"a1": 0, "b1": 2, "a2": 90, "b2": 95, "b3": 200, "b4": 120, "twice": 300, "b5": 300}
	c := Config{Data: storagetest.WriteFiles(t, t.TempDir(), buccFiles()), Tasks: []string{"bucc-mining"}}
	rows := collect(t, model, c)
	for _, want := range []struct {
		subtask, metric, value string
		n                      int64
	}{
		{"training/absolute-max/oracle", metrics.F1, "100.00", 2},
		{"training/absolute-max/oracle", metrics.Threshold, fmt.Sprintf("%.2f", 100*math.Cos(5*math.Pi/180)),
			2}, // b3 has no cosine above 0: after the last pair there is none
		{"test/absolute-max", metrics.F1, "50.00",
			3}, // at cos 5°, x-p alone: P 1, R 1/3
		{"test/absolute-max", metrics.Precision, "100.00", 3},
		{"test/absolute-max", metrics.Recall, "33.33", 3},
		{"test/absolute-max/oracle", metrics.F1, "80.00", 3}, // x-p and y-q: the third sentence is repeated
		{"test/absolute-fwd/oracle", metrics.Recall, "66.67", 3},
	} {
		expect(t, rows, key{"bucc-mining", want.subtask, "deu-eng", want.metric}, want.value, want.n)
	}
	f1 := rows[key{"bucc-mining", "test/absolute-max", "deu-eng", metrics.F1}]
	if s := f1.Settings; !strings.Contains(s, `"repeated":1,`) || !strings.Contains(s, `"extracted":1,`) || !strings.Contains(s, `"k":4,`) {
		t.Errorf("settings %s", s)
	}
	// One pair of three is extracted, and nothing else.
	if low, high := metrics.Wilson(1./3, 3); f1.Spread == nil || math.Abs(2**f1.Spread-(2*high/(1+high)-2*low/(1+low))) > 1e-9 {
		t.Errorf("F1 %+v", f1)
	}
	if _, ok := rows[key{"bucc-mining", "test", "deu-eng", metrics.F1}]; !ok {
		t.Error("the ratio with max has no figure on the test at the threshold of the training")
	}
	// The mean is over all languages or not at all: French has no training.
	two := buccFiles()
	for name, text := range buccFiles() {
		if strings.Contains(name, ".test.") {
			two[strings.Replace(name, "de-en", "fr-en", 1)] = text
		}
	}
	delete(two, "bucc/de-en.test.gold")
	stem := "bucc2018/zh_Hant-en/zh_Hant-en.training."
	two[stem+"zh_Hant"], two[stem+"en"], two[stem+"gold"] = "1\ta1\n", "1\tb1\n", "1\t1\n"
	delete(two, "bucc/fr-en.test.fr")
	two["bucc/fr-en.training.fr"], two["bucc/fr-en.training.en"], two["bucc/fr-en.training.gold"] = "1\ta1\n2\ta2\n", "1\tb1\n2\tb3\n",
		"1\t1\n2\t2\n"
	for name := range two {
		if strings.Contains(name, "fr-en.test") {
			delete(two, name)
		}
	}
	several := collect(t, model, Config{Data: storagetest.WriteFiles(t, t.TempDir(), two), Tasks: c.Tasks})
	mean := several[key{"bucc-mining", "training/oracle/" + metrics.SubtaskMean, "", metrics.F1}]
	if mean.N != 2+2+1 || mean.Spread == nil || mean.Settings != `{"languages":3,"spread":"deviation over languages"}` {
		t.Errorf("mean %+v", mean)
	}
	// German 1, French: a1-b1 right, a2-b3 has no positive score; 2/3. Chinese 1.
	if math.Abs(several[key{"bucc-mining", "mean/training/absolute-max/oracle", "", metrics.F1}].Value-(1+2./3+1)/3) > 1e-9 {
		t.Errorf("mean %v", several[key{"bucc-mining", "mean/training/absolute-max/oracle", "", metrics.F1}])
	}
}

func TestBUCCFaults(t *testing.T) {
	for want, files := range map[string]map[string]string{
		`training.gold line 2, "de-2\ten-9": expected two known ids`: {"bucc/de-en.training.gold": "de-1\ten-1\nde-2\ten-9\n"},
		`training.gold line 2, "de-1\ten-1": expected`:               {"bucc/de-en.training.gold": "de-1\ten-1\nde-1\ten-1\n"},
		`training.de line 2, "de-1\tb", is not an id of its own`:     {"bucc/de-en.training.de": "de-1\ta\nde-1\tb\n"},
		`training.en line 1, "no tab", is not`:                       {"bucc/de-en.training.en": "no tab\n"},
		"training.gold in ":                                          {"bucc/de-en.training.gold": "\n"},
		"line 1 is not UTF-8":                                        {"bucc/de-en.training.en": "en-1\t\xe9\n"},
		"is in two folders": {"bucc2018/de-en/de-en.test.de": "1\ta\n",
			"bucc2018/de-en/de-en.test.en": "1\ta\n", "bucc2018/de-en/de-en.test.gold": "1\t1\n"},
	} {
		root := storagetest.WriteFiles(t, t.TempDir(), buccFiles())
		if _, _, err := load(t.Context(), Config{Data: storagetest.WriteFiles(t, root, files),
			Tasks: []string{"bucc-mining"}, Split: "test"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, _, err := load(t.Context(), Config{Data: t.TempDir(), Tasks: []string{"bucc-mining"}, Split: "test"}); err == nil ||
		!strings.Contains(err.Error(), "3 files are missing: bucc/XX-en.training.XX, bucc/") {
		t.Errorf("no file: %v", err)
	}
	// Names that are not read are told: beside others, and where there are no others.
	foreign := map[string]string{"bucc/README": "x\n", "bucc/de-en.training.fr": "1\ta\n"}
	alone := Config{Data: storagetest.WriteFiles(t, t.TempDir(), foreign), Tasks: []string{"bucc-mining"}, Split: "test"}
	beside := Config{Data: storagetest.WriteFiles(t, storagetest.WriteFiles(t, t.TempDir(), buccFiles()), foreign),
		Tasks: alone.Tasks, Split: "test"}
	if _, _, err := load(t.Context(), alone); err == nil ||
		!strings.Contains(err.Error(), "gold, with codes of languages, but there are: bucc/README, bucc/de-en.tr") {
		t.Errorf("unread files alone: %v", err)
	}
	if _, notes, err := load(t.Context(), beside); err != nil ||
		!strings.Contains(strings.Join(notes, ""), "languages: bucc/README, bucc/de-en.tr") {
		t.Errorf("unread files beside others: %v, %q", err, notes)
	}
	sourceless := buccFiles()
	delete(sourceless, "bucc/de-en.training.de")
	if _, _, err := load(t.Context(), Config{Data: storagetest.WriteFiles(t, t.TempDir(), sourceless), Tasks: alone.Tasks,
		Split: "test"}); err == nil ||
		!strings.Contains(err.Error(), "1 file is missing: bucc/de-en.training.de") {
		t.Errorf("no sources: %v", err)
	}
	lost := buccFiles()
	delete(lost, "bucc/de-en.training.en")
	delete(lost, "bucc/de-en.test.gold")
	if _, notes, err := load(t.Context(), Config{Data: storagetest.WriteFiles(t, t.TempDir(), lost), Tasks: []string{"bucc-mining"},
		Split: "test"}); err == nil || !strings.Contains(err.Error(), "1 file is missing: bucc/de-en.training.en") {
		t.Errorf("%v, %v", err, notes)
	}
}
