package evaluate

import (
	"fmt"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/stages/evaluate/classifiers"
	"sentweave/stages/metrics"
	"sentweave/transforms/random"
)

// inferred are n rows of pairs whose class the encoder told can tell from the angle between the
// texts, in the share that is asked for.
func inferred(task, split, language string, n int, share float64) (rows []schemas.Benchmark) {
	labels := []string{"contradiction", "entailment", "neutral"}
	draw := random.New(1, 1, "inferred", task+split+language, 0)
	for i := range n {
		class := i % 3
		if draw.Float64() > share {
			class = draw.IntN(3)
		}
		rows = append(rows, schemas.Benchmark{
			ID: schemas.DerivedID(task, split, fmt.Sprint(i)), Task: task, Split: split, Row: int32(i), File: task + split,
			LanguageA: language, LanguageB: language,
			TextA: fmt.Sprintf("x=0 first %d", i), TextB: fmt.Sprintf("x=%d second %d", 2*class, i), Label: labels[i%3],
		})
	}
	return rows
}

// A classifier that was trained in English is as good in each language as the encoder tells its
// texts: XNLI by the training of MultiNLI, and reviews by their stars.
func TestTransfer(t *testing.T) {
	var rows []schemas.Benchmark
	rows = append(rows, inferred("multinli", "train", "eng", 600, 1)...)
	rows = append(rows, inferred("xnli", "dev", "eng", 90, 1)...)
	for code, share := range map[string]float64{"eng": 1, "deu": .5, "tha": 1} {
		rows = append(rows, inferred("xnli", "test", code, 300, share)...)
	}
	for _, split := range []string{"train", "test"} {
		for _, code := range []string{"eng", "fra"} {
			for i := range 300 {
				stars := float64(1 + i%5)
				x := 0.
				if (stars > 3) == (code == "eng" || split == "train") { // French tells the opposite
					x = 2
				}
				rows = append(rows, schemas.Benchmark{ID: schemas.DerivedID("reviews", split, fmt.Sprint(i)), Task: "reviews", Split: split,
					Row: int32(i), File: split, LanguageA: code, TextA: fmt.Sprintf("x=%g review %d", x, i), Target: &stars})
			}
		}
	}
	rows = append(rows, scored(0, "pairs/test|eng:a|eng:b", 1)) // no class
	c := Config{Benchmarks: []string{datasettest.Write(t, nil, rows)}, Tasks: []string{"transfer"}, Probe: classifiers.ProbePrototyping,
		Seeds: 2}
	got := collect(t, told{}, c)
	for _, want := range []struct {
		subtask, language string
		low, high         float64
		n                 int64
	}{
		{"xnli/eng", "eng", .97, 1, 300}, {"xnli/tha", "tha", .97, 1, 300}, {"xnli/deu", "deu", .58, .75, 300}, // .5 + .5/3
		{"xnli/mean", "", .84, .93, 900},
		{"reviews/eng", "eng", .97, 1, 300}, {"reviews/fra", "fra", 0, .03, 300},
	} {
		r, ok := got[key{"transfer", want.subtask, want.language, metrics.Accuracy}]
		if !ok || r.Value < want.low || r.Value > want.high || r.N != want.n || r.Spread == nil {
			t.Errorf("%s: %t %+v, want %v to %v of %d", want.subtask, ok, r, want.low, want.high, want.n)
		}
	}
	if s := got[key{"transfer", "xnli/deu", "deu",
		metrics.Accuracy}].Settings; s != `{"head":"u v |u-v| u*v","probe":"prototyping","seeds":2,"spread":"deviation over seeds","trained":"eng"}` {
		t.Errorf("settings %s", s)
	}
	if s := got[key{"transfer", "reviews/mean", "", metrics.Accuracy}].Settings; !strings.Contains(s, `"head":"u"`) ||
		!strings.Contains(s, `"languages":"eng fra"`) {
		t.Errorf("settings %s", s)
	}
	if len(got) != 4+3 {
		t.Errorf("%d figures: %v", len(got), got)
	}
	c.Languages, c.Seeds = []string{"tha"}, 1
	if few := collect(t, told{}, c); len(few) != 3+1 { // English is always tested
		t.Errorf("in Thai: %v", few)
	}
}

func TestTransferFaults(t *testing.T) {
	train, test := inferred("paws", "train", "eng", 30, 1), inferred("paws", "test", "eng", 9, 1)
	other := inferred("paws", "test", "deu", 9, 1)
	other[3].Label = "maybe"
	single := inferred("paws", "test", "deu", 9, 1)
	single[0].TextB, single[0].LanguageB = "", ""
	for want, rows := range map[string][]schemas.Benchmark{
		`row 3 of pawstest of test in deu has the label "maybe", which does not occur in the training: the labels there are `: append(append(train[:30:30], test...),
			other...),
		"row 0 of pawstest of test in deu has one text where the first training row has two": append(append(train[:30:30], test...),
			single...),
		"paws has no training of labelled rows in eng": test,
		"paws has no test in eng":                      train,
		"xnli has no training of labelled rows in eng, which would be the part train of multinli": inferred("xnli", "test", "eng", 9, 1),
		"the training has the label contradiction alone":                                          append(train[:1:1], test...),
	} {
		_, _, err := load(t.Context(), Config{Benchmarks: []string{datasettest.Write(t, nil, rows)}, Tasks: []string{"transfer"},
			Split: "test", Probe: classifiers.ProbeLiterature, Seeds: 1})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
