package evaluate

import (
	"math"
	"strings"
	"testing"

	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/metrics"
)

// By hand: d1 0°, e1 10°, e2 18°, f1 25°, d2 90°, f2 100°, as in TestRetrieval.
func TestNewstest(t *testing.T) {
	model := angles{"d1": 0, "e1": 10, "f1": 25, "d2": 90, "e2": 18, "f2": 100}
	files := map[string]string{"newstest2012/newstest2012.de": "d1\nd2\n", "newstest2012/newstest2012.en": "e1\ne2\n",
		"newstest2012/newstest2012.fr": "f1\nf2\n"}
	rows := collect(t, model, Config{Data: storagetest.WriteFiles(t, t.TempDir(), files), Tasks: []string{"newstest2012"}})
	for _, want := range []struct {
		subtask, language, value string
		n                        int64
		spread                   float64
	}{
		{"deu-eng", "deu-eng", "0.00", 2, -1}, {"eng-deu", "eng-deu", "50.00", 2, -1},
		{"from/deu", "deu", "0.00", 4, 0}, {"from/eng", "eng", "50.00", 4, 0}, {"from/fra", "fra", "25.00", 4, math.Sqrt(2 * .25 * .25)},
		{"to/deu", "deu", "25.00", 4, math.Sqrt(2 * .25 * .25)}, {"to/eng", "eng", "25.00", 4, math.Sqrt(2 * .25 * .25)},
		{metrics.SubtaskMean, "", "25.00", 12, math.Sqrt(6 * .25 * .25 / 5)},
	} {
		k := key{"newstest2012", want.subtask, want.language, metrics.ErrorRate}
		expect(t, rows, k, want.value, want.n)
		if r := rows[k]; want.spread >= 0 && (r.Spread == nil || math.Abs(*r.Spread-want.spread) > 1e-12) {
			t.Errorf("%s: %+v, want a deviation of %v", want.subtask, r, want.spread)
		}
	}
	// Wilson's interval of no error in two, and the same figure beside other languages.
	k := key{"newstest2012", "deu-eng", "deu-eng", metrics.ErrorRate}
	if r := rows[k]; !strings.Contains(r.Settings, `"high":0.6576`) || !strings.Contains(r.Settings, `"low":0,`) {
		t.Errorf("%+v", r)
	}
	if two := collect(t, model, Config{Data: storagetest.WriteFiles(t, t.TempDir(), files), Tasks: []string{"newstest2012"},
		Languages: []string{"deu", "eng"}}); two[k].DataXXH3 != rows[k].DataXXH3 || two[k].Settings != rows[k].Settings {
		t.Errorf("%+v beside other languages, and %+v", rows[k], two[k])
	}
	for want, change := range map[string]map[string]string{
		"line 2 of newstest2012/newstest2012.en is blank":              {"newstest2012/newstest2012.en": "e1\n \n"},
		"there are 2 texts in deu and 1 in eng: they are not parallel": {"newstest2012/newstest2012.en": "e1\n"},
		"newstest2012.en: its lines end with only a carriage return":   {"newstest2012/newstest2012.en": "e1\re2\r"},
		"line 2 is not UTF-8": {"newstest2012/newstest2012.en": "e1\n\xff\n"},
	} {
		if _, _, err := load(t.Context(), Config{Data: storagetest.WriteFiles(t, storagetest.WriteFiles(t, t.TempDir(), files), change),
			Tasks: []string{"newstest2012"}, Split: "test"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, _, err := load(t.Context(), Config{Data: storagetest.WriteFiles(t, t.TempDir(), files), Tasks: []string{"newstest2012"},
		Split: "test", Languages: []string{"deu"}}); err == nil || !strings.Contains(err.Error(), "in two languages") {
		t.Errorf("one language: %v", err)
	}
}

// Means over groups of languages are beside that over all.
func TestTatoebaGroups(t *testing.T) {
	model := angles{"a": 0, "b": 90, "near a": 1, "near b": 80, "far a": 89, "far b": 3}
	files := map[string]string{
		"tatoeba/tatoeba.deu-eng.deu": "near a\nnear b\n", "tatoeba/tatoeba.deu-eng.eng": "a\nb\n",
		"tatoeba/tatoeba.fra-eng.fra": "far a\nfar b\n", "tatoeba/tatoeba.fra-eng.eng": "a\nb\n",
		"groups.tsv": "\ufeff# families\ngermanic\tdeu\n\nboth of them\tdeu fra\r\n",
	}
	root := storagetest.WriteFiles(t, t.TempDir(), files)
	c := Config{Data: root, Tasks: []string{"tatoeba"}, Groups: root + "/groups.tsv"}
	rows := collect(t, model, c)
	for subtask, want := range map[string]string{"germanic/mean": "100.00", "germanic/mean-eng": "100.00", "both of them/mean": "50.00",
		metrics.SubtaskMean: "50.00", "both of them/eng-mean": "50.00"} {
		if r, ok := rows[key{"tatoeba", subtask, "", metrics.Accuracy}]; !ok ||
			want != map[float64]string{1: "100.00", .5: "50.00"}[r.Value] {
			t.Errorf("%s: %+v, want %s", subtask, r, want)
		}
	}
	for want, text := range map[string]string{
		"the group x of ":                         "x\tdeu nld\n",
		`line 1, "deu fra", is not a name, a tab`: "deu fra\n",
		"line 2: the group x occurs twice":        "x\tdeu\nx\tfra\n",
		"line 1: deu occurs twice in the group":   "x\tdeu deu\n",
		"has no group":                            "# nothing\n",
	} {
		storagetest.WriteFiles(t, root, map[string]string{"groups.tsv": text})
		c.Split = "test"
		if _, _, err := load(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	c.Groups = root + "/absent.tsv"
	if _, _, err := load(t.Context(), c); err == nil || !strings.Contains(err.Error(), "read --groups") {
		t.Errorf("%v", err)
	}
	c.Tasks = []string{"tatoeba36"}
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "groups has no effect on tatoeba36: it is for tatoeba") {
		t.Errorf("%v", err)
	}
}
