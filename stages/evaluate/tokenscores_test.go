package evaluate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/encoder"
	"sentweave/stages/evaluate/classifiers"
	"sentweave/stages/evaluate/encoders"
	"sentweave/stages/evaluate/evaluatetest"
	"sentweave/stages/metrics"
)

// cos is that of degrees.
func cos(degrees float64) float64 { return math.Cos(degrees * math.Pi / 180) }

// measureTokens measures a folder by letterAngles, and returns the scores of items by model, and the settings of
// the figures by model.
func measureTokens(t *testing.T, c Config, m encoders.Models) (scores map[string][]float64, settings map[string]string) {
	t.Helper()
	out, encoded, closed, opened := filepath.Join(t.TempDir(), "results"), 0, 0, 0
	o := Options{
		Open: func(context.Context, string) (encoder.Encoder, error) { return told{}, nil },
		OpenTokens: func(context.Context, string) (encoder.TokenEncoder, error) {
			opened++
			return evaluatetest.LetterAngles{Encoded: &encoded, Closed: &closed}, nil
		},
	}
	c.Split, m.NoCache = "test", true
	m.Model = append(m.Model, "m="+evaluatetest.BERTFolder(t))
	if _, _, err := Run(t.Context(), out, c, withModels(o, m)); err != nil {
		t.Fatal(err)
	}
	if opened == 0 || closed != opened || encoded == 0 {
		t.Errorf("%d opened, %d closed, %d texts", opened, closed, encoded)
	}
	if _, done, err := Run(t.Context(), out, c, withModels(o, m)); err != nil || !done {
		t.Errorf("again: %t, %v", done, err)
	}
	scores, settings = map[string][]float64{}, map[string]string{}
	for _, item := range rowsAt[schemas.Item](t, filepath.Join(out, dataset.ItemsFolder)) {
		scores[item.Model] = append(scores[item.Model], item.Score)
	}
	for _, r := range rowsAt[schemas.Result](t, out) {
		settings[r.Model] = r.Settings
	}
	return scores, settings
}

func nearlyEqual(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-6 { // of float32
			return false
		}
	}
	return true
}

var tokenPairs = map[string]string{"sts2017-extended/STS.en-de.txt": "a\tc\t1\na d\ta\t2\ng\ta\t3\n"}

// By hand: the first text of a pair is the reference.
func TestBERTScore(t *testing.T) {
	c := Config{Data: storagetest.WriteFiles(t, t.TempDir(), tokenPairs), Tasks: []string{"sts2017-extended"}}
	f1 := func(p, r float64) float64 { return 2 * p * r / (p + r) }
	all := []string{metrics.SimilarityF1, metrics.SimilarityCosine, metrics.SimilarityPrecision, metrics.SimilarityRecall}
	second := (1 + cos(30)) / 2
	scores, settings := measureTokens(t, c, encoders.Models{Similarity: all, Layer: 1})
	for model, want := range map[string][]float64{
		"m+" + metrics.SimilarityF1: {cos(20), f1(1, second), cos(60)}, "m+" + metrics.SimilarityPrecision: {cos(20), 1, cos(60)},
		"m+" + metrics.SimilarityRecall: {cos(20), second, cos(60)},
	} {
		if !nearlyEqual(scores[model], want) {
			t.Errorf("%s: %v, want %v", model, scores[model], want)
		}
	}
	if len(scores["m"]) != 3 || len(scores) != 4 {
		t.Errorf("%v", scores)
	}
	if want := `{"layer":"1","pooling":"none","similarity":"bertscore-f1","split":"test","subtasks":1}`; settings["m+"+
		metrics.SimilarityF1] != want {
		t.Errorf("settings %s, want %s", settings["m+"+metrics.SimilarityF1], want)
	}
	var s struct{ Similarity string }
	if err := json.Unmarshal([]byte(settings["m"]), &s); err != nil || s.Similarity != metrics.SimilarityCosine {
		t.Errorf("settings %s, %v", settings["m"], err)
	}

	// Of the three references a is in two, d and g in one.
	baseline := storagetest.WriteFiles(t, t.TempDir(), map[string]string{"base.tsv": "LAYER,P,R,F\n0,0.9,0.9,0.9\n2,0.25,-0.5,0.5\n"}) +
		"/base.tsv"
	weighted := (math.Log(4./3) + math.Log(2)*cos(30)) / (math.Log(4./3) + math.Log(2))
	scores, settings = measureTokens(
		t, c, encoders.Models{Similarity: []string{metrics.SimilarityRecall, metrics.SimilarityF1}, Layer: -1, BERTScoreIDF: true,
			BERTScoreBaseline: baseline})
	if want := []float64{(cos(20) + .5) / 1.5, (weighted + .5) / 1.5, (cos(60) + .5) / 1.5}; !nearlyEqual(
		scores["m+"+metrics.SimilarityRecall], want) {
		t.Errorf("weighted and rescaled: %v, want %v", scores["m+"+metrics.SimilarityRecall], want)
	}
	if want := []float64{(cos(20) - .5) / .5, (f1(1, weighted) - .5) / .5, (cos(60) - .5) / .5}; !nearlyEqual(
		scores["m+"+metrics.SimilarityF1], want) {
		t.Errorf("weighted and rescaled: %v, want %v", scores["m+"+metrics.SimilarityF1], want)
	}
	if want := `{"baseline":"base.tsv","idf":"of the first texts","layer":"last","pooling":"none","similarity":"bertscore-f1","split":"test","subtasks":1}`; settings["m+"+metrics.SimilarityF1] != want {
		t.Errorf("settings %s, want %s", settings["m+"+metrics.SimilarityF1], want)
	}
}

// Every ordered pair of languages has the scores of its own texts.
func TestBERTScoreOfLanguages(t *testing.T) {
	root := storagetest.WriteFiles(t, t.TempDir(), map[string]string{
		"stsb_multi_mt/stsb-en-test.csv": "a,b,1\nc,c,2\n", "stsb_multi_mt/stsb-de-test.csv": "d,e,1\nf,h,2\n",
	})
	scores, _ := measureTokens(t, Config{Data: root, Tasks: []string{"stsb_multi_mt_pairs"}, Languages: []string{"eng", "deu"}},
		encoders.Models{Similarity: []string{metrics.SimilarityF1}, Layer: -1})
	want := map[string]bool{fmt.Sprintf("%.4f", []float64{cos(40), cos(50)}): true, fmt.Sprintf("%.4f", []float64{cos(20), cos(30)}): true}
	got := scores["m+"+metrics.SimilarityF1]
	if len(got) != 4 || !want[fmt.Sprintf("%.4f", got[:2])] || !want[fmt.Sprintf("%.4f", got[2:])] || got[0] == got[2] {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestSimilarityFaults(t *testing.T) {
	root := storagetest.WriteFiles(t, t.TempDir(), tokenPairs)
	files := storagetest.WriteFiles(t, t.TempDir(), map[string]string{"other.csv": "P,R,F\n1,2,3\n", "few.csv": "LAYER,P,R,F\n0,0,0,0\n",
		"words.csv": "LAYER,P,R,F\n2,0,much,0\n", "one.csv": "LAYER,P,R,F\n2,0,1,0\n"})
	embeddings := datasettest.Write(t, nil, []schemas.Embedding{{ID: schemas.DerivedID("a"), Language: "eng", Vector: []float32{1}}})
	tokens := func(edit func(*encoders.Models)) encoders.Models {
		m := encoders.Models{Model: []string{"m=" + evaluatetest.BERTFolder(t)}, Similarity: []string{metrics.SimilarityF1}, Layer: -1}
		edit(&m)
		return m
	}
	for want, models := range map[string]encoders.Models{
		`similarity: "f1" is not one of cosine, bertscore-f1`: tokens(func(m *encoders.Models) { m.Similarity = []string{"f1"} }),
		"similarity: cosine occurs twice": tokens(
			func(m *encoders.Models) { m.Similarity = []string{metrics.SimilarityCosine, metrics.SimilarityCosine} }),
		"have no effect without --similarity": tokens(
			func(m *encoders.Models) { m.Similarity, m.BERTScoreIDF = nil, true }),
		"pooling, prompt and no-prompt have no effect": tokens(func(m *encoders.Models) { m.Pooling = "cls" }),
		"vectors has no effect":                        tokens(func(m *encoders.Models) { m.Vectors = []string{"pcr"} }),
		"similarity: bow has no vectors of tokens":     tokens(func(m *encoders.Models) { m.Baseline = []string{"bow"} }),
		"similarity: m has no vectors of tokens": tokens(
			func(m *encoders.Models) { m.Distilled = map[string]string{"m": "x"} }),
		"these are embeddings of texts": tokens(func(m *encoders.Models) { m.Model = []string{"m=" + embeddings} }),
		"this is the name of m by bertscore-f1": tokens(
			func(m *encoders.Models) { m.Model = append(m.Model, "m+bertscore-f1="+root) }),
		"there is no file nope": tokens(func(m *encoders.Models) { m.BERTScoreBaseline = files + "/nope" }),
		"the first line is not LAYER,P,R,F": tokens(
			func(m *encoders.Models) { m.BERTScoreBaseline = files + "/other.csv" }),
		"it has no line of layer 2": tokens(
			func(m *encoders.Models) { m.BERTScoreBaseline = files + "/few.csv" }),
		`line 2 has the baseline "much"`: tokens(
			func(m *encoders.Models) { m.BERTScoreBaseline = files + "/words.csv" }),
		`line 2 has the baseline "1"`: tokens(
			func(m *encoders.Models) { m.BERTScoreBaseline = files + "/one.csv" }),
		"the weights are gone": tokens(func(*encoders.Models) {}),
	} {
		out := filepath.Join(t.TempDir(), "out")
		o := Options{OpenTokens: func(context.Context, string) (encoder.TokenEncoder, error) {
			return nil, errors.New("the weights are gone")
		}}
		_, _, err := Run(t.Context(), out, Config{Data: root, Tasks: []string{"sts2017-extended"}, Split: "test"}, withModels(o, models))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	// Tasks that compare all texts with all cannot be named, and are left out of a group.
	storagetest.WriteFiles(t, root, map[string]string{"tatoeba/tatoeba.fra-eng.fra": "a\nb\n", "tatoeba/tatoeba.fra-eng.eng": "a\nb\n"})
	encoded, closed := 0, 0
	var notes []string
	o := Options{Note: func(text string) { notes = append(notes, text) },
		OpenTokens: func(context.Context, string) (encoder.TokenEncoder, error) {
			return evaluatetest.LetterAngles{Encoded: &encoded, Closed: &closed}, nil
		}}
	c := Config{Data: root, Tasks: []string{"sts2017-extended", "tatoeba"}, Languages: []string{"fra"}, Split: "test",
		Probe: classifiers.ProbeLiterature, Seeds: 1}
	_, _, err := Run(t.Context(), t.TempDir(), c, withModels(o, tokens(func(*encoders.Models) {})))
	if err == nil || !strings.Contains(err.Error(), "task tatoeba: by BERTScore texts are compared token by token") {
		t.Error(err)
	}
	c.Tasks = []string{"all"}
	if _, _, err := Run(t.Context(), t.TempDir(), c, withModels(o, tokens(func(*encoders.Models) {}))); err != nil ||
		!strings.Contains(strings.Join(notes, "\n"), "tatoeba: fra: m+bertscore-f1 is compared token by token") {
		t.Errorf("%q, %v", notes, err)
	}
}
