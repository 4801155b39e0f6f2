package evaluate

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/encoder"
)

// The similarities of bow are 1/2 1 0 for gold 1 2 0, so the correlations are 1, and those of
// the other two parts of sts13 1 and −1; the plain mean is 1/3.
func TestFigure(t *testing.T) {
	bow, err := encoder.Parse(t.Context(), "baseline:bow")
	if err != nil {
		t.Fatal(err)
	}
	root := storagetest.WriteFiles(t, t.TempDir(), ownFiles())
	storagetest.WriteFiles(t, root, sts13)
	storagetest.WriteFiles(t, root, map[string]string{
		"stsb/sts-dev.csv": "g\tf\ty\t1\t2.0\tx y\tx y\ng\tf\ty\t2\t1.0\tx y\tx z\ng\tf\ty\t3\t3.0\tx\ty\n"})
	hashes := map[string]string{}
	for _, test := range []struct {
		name, location string
		want           float64
	}{
		{"sts13/FNWN/pearson", root, 1},
		{"sts13/FNWN/eng/spearman", root, 1},
		{"sts13/OnWN/spearman", root, -1},
		{"sts13/mean/spearman", root, 1. / 3},
		{"mine/pearson", filepath.Join(root, "scores.yaml"), 1},
		{"mine/spearman", filepath.Join(root, "scores.yaml"), 1},
		{"stsb/spearman", root, -.5}, // cosines 1 1/2 0 for 2 1 3: ranks 3 2 1 for 2 1 3
	} {
		f, err := OpenFigure(t.Context(), test.name, []string{test.location})
		if err != nil {
			t.Error(err)
			continue
		}
		for range 2 {
			if got, err := f.Measure(t.Context(), bow); err != nil || math.Abs(got-test.want) > 1e-12 || f.Better != 1 {
				t.Errorf("%s: %v, %v, want %v", test.name, got, err, test.want)
			}
		}
		in := f.Input("validation")
		hashes[in.XXH3] = test.name
		if in.Role != "validation" || in.XXH3 == "" {
			t.Errorf("%+v", in)
		}
	}
	if len(hashes) != 3 {
		t.Errorf("the hashes of 3 data are %v", hashes)
	}
}

// By the figures of TestNewstest a smaller error is better.
func TestFigureThatFalls(t *testing.T) {
	files := map[string]string{"newstest2012/newstest2012.de": "d1\nd2\n", "newstest2012/newstest2012.en": "e1\ne2\n",
		"newstest2012/newstest2012.fr": "f1\nf2\n"}
	f, err := OpenFigure(t.Context(), "newstest2012/error", []string{storagetest.WriteFiles(t, t.TempDir(), files)})
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Measure(t.Context(), angles{"d1": 0, "e1": 10, "f1": 25, "d2": 90, "e2": 18, "f2": 100})
	if err != nil || got != .25 || f.Better != -1 {
		t.Errorf("%v, %v, better is %d", got, err, f.Better)
	}
}

func TestFigureFaults(t *testing.T) {
	root := storagetest.WriteFiles(t, t.TempDir(), ownFiles())
	storagetest.WriteFiles(t, root, sts13)
	storagetest.WriteFiles(t, root, map[string]string{
		"tatoeba/tatoeba.deu-eng.deu": "a\nb\nc\n", "tatoeba/tatoeba.deu-eng.eng": "d\ne\nf\n",
		"tatoeba/tatoeba.fra-eng.fra": "g\nh\ni\n", "tatoeba/tatoeba.fra-eng.eng": "d\ne\nf\n"})
	texts := datasettest.Write(t, nil,
		[]schemas.Pair{{ID: schemas.DerivedID("test", "1"), Kind: schemas.KindBitext, Origin: "test", LanguageA: "eng", LanguageB: "deu",
			TextA: "a", TextB: "b"}})
	for _, test := range []struct {
		name      string
		locations []string
		want      string
	}{
		{"sts13/accuracy", []string{root},
			`metric "sts13/accuracy": the task has no such figure: give one of sts13/FNWN/spearman, sts13/FNWN/pearson, sts13/headlines/spearman, `},
		{"sts13/FNWN/spaerman", []string{root}, " more, did you mean sts13/FNWN/spearman?"},
		{"sts13", []string{root}, "the task has no such figure: give one of "},
		{"sts13/spearman", []string{root},
			"several figures have this name: give one of sts13/FNWN/spearman, sts13/headlines/spearman, sts13/OnWN/spearman, sts13/all/spearman, sts13/mean/spearman, sts13/wmean/spearman"},
		{"stsB/spearman", []string{root}, `"stsB" is not one of sts12, `},
		{"stsB/spearman", []string{root}, "did you mean stsb?"},
		{"sts/spearman", []string{root}, "sts is a group of tasks in a folder of test data: name one of them, such as stsb"},
		{"sts14/all/spearman", []string{root}, "sts14: 6 files are missing"},
		{"stsb/spearman", []string{texts}, "stsb reads the folder of the test data: give such a one"},
		{"retrieval/accuracy", []string{root}, "retrieval reads a dataset of texts: give such a one"},
		{"stsb/spearman", []string{root, filepath.Join(root, "sts")}, "there are two folders of test data"},
		{"retrieval/accuracy", []string{texts, texts}, "there are two datasets of texts"},
		{"tatoeba-languages/language_accuracy", []string{root}, "neither a greater nor a smaller language_accuracy is better"},
		{"mine/accuracy", []string{filepath.Join(root, "scores.yaml")},
			"the task has no such figure: give one of mine/spearman, mine/pearson"},
		{"mine/spearman", []string{filepath.Join(root, "none.yaml")}, "it does not exist"},
	} {
		if _, err := OpenFigure(t.Context(), test.name, test.locations); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}
