package evaluate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/stages/encoder"
	"sentweave/stages/metrics"
)

// angles is an encoder that knows the direction of each text, in degrees.
type angles map[string]float64

func (angles) Name() string { return "angles" }
func (a angles) Encode(_ context.Context, texts []encoder.Text) (encoder.Vectors, error) {
	var data []float32
	for _, t := range texts {
		degrees, ok := a[t.Text]
		if !ok {
			return nil, fmt.Errorf("no angle for %q", t.Text)
		}
		data = append(data, float32(math.Cos(degrees*math.Pi/180)), float32(math.Sin(degrees*math.Pi/180)))
	}
	return encoder.NewDense(data, 2)
}

// bitext is a pair of two texts "language:text".
func bitext(group uint64, a, b string) schemas.Pair {
	languageA, textA, _ := strings.Cut(a, ":")
	languageB, textB, _ := strings.Cut(b, ":")
	return schemas.Pair{
		ID: schemas.DerivedID("test", fmt.Sprint(group), a, b), Kind: schemas.KindBitext, Origin: "test", Group: &group,
		TextA: textA, TextB: textB, LanguageA: languageA, LanguageB: languageB,
	}
}

func threeLanguages(t *testing.T) string {
	ungrouped := bitext(9, "deu:d9", "eng:e9")
	ungrouped.Group = nil
	return datasettest.Write(t, struct{}{}, []schemas.Pair{
		bitext(2, "deu:d2", "eng:e2"), bitext(2, "deu:d2", "fra:f2"),
		bitext(1, "deu:d1", "eng:e1"), bitext(1, "eng:e1", "fra:f1"),
		bitext(3, "deu:d3", "eng:e3"),                                // not in French
		bitext(4, "deu:d4", "eng:e4"), bitext(4, "deu:d5", "fra:f4"), // two German texts
		bitext(4, "eng:e4", "fra:f4"), ungrouped,
	})
}

func TestRetrieval(t *testing.T) {
	// By hand. d1 0°, e1 10°, e2 18°, f1 25°, d2 90°, f2 100°.
	model := angles{"d1": 0, "e1": 10, "f1": 25, "d2": 90, "e2": 18, "f2": 100}
	rows := collect(t, model, Config{Texts: threeLanguages(t), Tasks: []string{"retrieval"}})
	for _, want := range []struct {
		subtask, language, metric, value string
		n                                int64
	}{
		{"deu-eng", "deu-eng", metrics.Accuracy, "100.00", 2}, // d2 is 72° from e2 and 80° from e1
		{"deu-fra", "deu-fra", metrics.Accuracy, "100.00", 2},
		{"eng-deu", "eng-deu", metrics.Accuracy, "50.00", 2}, // e2 is nearer to d1
		{"eng-fra", "eng-fra", metrics.Accuracy, "50.00", 2}, // and to f1
		{"fra-deu", "fra-deu", metrics.Accuracy, "100.00", 2},
		{"fra-eng", "fra-eng", metrics.Accuracy, "50.00", 2}, // f1 is nearer to e2
		{metrics.SubtaskMean, "", metrics.Accuracy, "75.00", 12},
		{metrics.SubtaskMean, "", metrics.TextAccuracy, "75.00", 12},
		{"eng", "eng", metrics.SameLanguage, "50.00", 2}, // e1 has e2 next to it, e2 has f1
		{"deu", "deu", metrics.SameLanguage, "0.00", 2},
		{"fra", "fra", metrics.SameLanguage, "0.00", 2},
		{metrics.SubtaskMean, "", metrics.SameLanguage, "16.67", 6},
	} {
		expect(t, rows, key{"retrieval", want.subtask, want.language, want.metric}, want.value, want.n)
	}
	mean := rows[key{"retrieval", metrics.SubtaskMean, "", metrics.Accuracy}]
	for _, s := range []string{`"languages":3`, `"directions":6`, `"paragraphs":2`, `"ambiguous":1`, `"ties":0`} {
		if !strings.Contains(mean.Settings, s) {
			t.Errorf("settings %s, want %s", mean.Settings, s)
		}
	}
	if s := rows[key{"retrieval", metrics.SubtaskMean, "", metrics.SameLanguage}].Settings; !strings.Contains(s, `"chance":0.2,`) {
		t.Errorf("settings %s, want a chance of one other text of the language in five", s)
	}
	two := collect(t, angles{"d1": 0, "e1": 1, "d2": 50, "e2": 51, "d3": 90, "e3": 91},
		Config{Texts: threeLanguages(t), Tasks: []string{"retrieval"}, Languages: []string{"eng", "deu"}})
	expect(t, two, key{"retrieval", metrics.SubtaskMean, "", metrics.Accuracy}, "100.00", 6) // group 3 is in both
}

// Corpora that share no text in all languages are measured two languages at a time; by hand.
func TestRetrievalByPairs(t *testing.T) {
	texts := datasettest.Write(t, struct{}{},
		[]schemas.Pair{bitext(1, "deu:d1", "eng:e1"), bitext(2, "deu:d2", "eng:e2"), bitext(3, "eng:e3", "fra:f3"),
			bitext(4, "eng:e4", "fra:f4")})
	model := angles{"d1": 0, "e1": 10, "e2": 18, "d2": 90, "e3": 0, "f3": 5, "e4": 40, "f4": 45}
	rows := collect(t, model, Config{Texts: texts, Tasks: []string{"retrieval"}})
	for _, want := range []struct {
		subtask, metric, value string
		n                      int64
	}{
		{"deu-eng", metrics.Accuracy, "100.00", 2},
		{"eng-deu", metrics.Accuracy, "50.00", 2}, // e2 is nearer to d1
		{"eng-fra", metrics.Accuracy, "100.00", 2},
		{"fra-eng", metrics.Accuracy, "100.00", 2},
		{metrics.SubtaskMean, metrics.Accuracy, "87.50", 8},
		{metrics.SubtaskMean, metrics.SameLanguage, "25.00", 8}, // e1 and e2 are next to each other
	} {
		language := want.subtask
		if language == metrics.SubtaskMean {
			language = ""
		}
		expect(t, rows, key{"retrieval", want.subtask, language, want.metric}, want.value, want.n)
	}
	if s := rows[key{"retrieval", metrics.SubtaskMean, "", metrics.Accuracy}].Settings; !strings.Contains(s, `"pairs_of_languages":2`) ||
		!strings.Contains(s, `"paragraphs":4`) {
		t.Errorf("settings %s", s)
	}
}

func TestRetrievalOfEqualTexts(t *testing.T) {
	texts := datasettest.Write(t, struct{}{}, []schemas.Pair{bitext(1, "deu:a", "eng:same"), bitext(2, "deu:b", "eng:same")})
	rows := collect(t, angles{"a": 0, "b": 50, "same": 10}, Config{Texts: texts, Tasks: []string{"retrieval"}})
	expect(t, rows, key{"retrieval", "deu-eng", "deu-eng", metrics.Accuracy}, "50.00", 2)
	expect(t, rows, key{"retrieval", "deu-eng", "deu-eng", metrics.TextAccuracy}, "100.00", 2)
	expect(t, rows, key{"retrieval", "eng-deu", "eng-deu", metrics.TextAccuracy}, "50.00", 2)
	if s := rows[key{"retrieval", "deu-eng", "deu-eng", metrics.Accuracy}].Settings; !strings.Contains(s, `"ties":2`) {
		t.Errorf("settings %s, want 2 ties", s)
	}
}

func page(language, name string, blocks ...string) schemas.Document {
	source := language + "/" + name + ".html"
	d := schemas.Document{
		ID: schemas.ID(source, 0), Source: source, Language: language, LanguageScore: 1,
		Scores: []schemas.Score{{Name: schemas.BlocksScore, Value: float32(len(blocks))}},
	}
	for i, text := range blocks {
		d.Sentences = append(d.Sentences, schemas.Sentence{Text: text, Language: language, LanguageScore: 1, Block: int32(i),
			Position: int32(i), Main: 1})
	}
	return d
}

func TestRetrievalOfDocuments(t *testing.T) {
	documents := []schemas.Document{
		page("deu", "one", "der erste Absatz", "der zweite Absatz"), page("eng", "one", "the first paragraph", "the second paragraph"),
		page("deu", "two", "noch ein Absatz"), page("eng", "two", "another paragraph"),
		page("eng", "three", "nobody translated this"),
	}
	layout := map[string]string{"layout": "{language}/{page}.html"}
	model := angles{
		"der erste Absatz": 0, "the first paragraph": 5, "der zweite Absatz": 20, "the second paragraph": 24,
		"noch ein Absatz": 80, "another paragraph": 10,
	}
	compressed := slices.Clone(documents)
	for i := range compressed[:3] { // pages of either kind belong together
		compressed[i].Source += ".gz"
	}
	for _, documents := range [][]schemas.Document{documents, compressed} {
		rows := collect(t, model, Config{Texts: datasettest.Write(t, layout, documents), Tasks: []string{"retrieval"}})
		expect(t, rows, key{"retrieval", "deu-eng", "deu-eng", metrics.Accuracy}, "66.67", 3) // 80° is nearer to 24°
		expect(t, rows, key{"retrieval", "eng-deu", "eng-deu", metrics.Accuracy}, "66.67", 3)
	}

	faults := []struct{ texts, want string }{
		{datasettest.Write(t, struct{}{}, documents), "do not tell which pages translate each other"},
		{datasettest.Write(t, map[string]string{"layout": "{page}/{language}.htm"}, documents), "does not match the layout"},
		{datasettest.Write(t, layout, documents[4:]), "in 0 languages"},
		{datasettest.Write(t, struct{}{}, []schemas.Pair{bitext(1, "deu:a", "eng:b"), bitext(1, "deu:c", "eng:d")}),
			"1 groups have two texts in one language"},
		{datasettest.Write(t, struct{}{}, []schemas.WordCount{{Word: "a", Language: "eng", Count: 1}}),
			"rows of schema wordcount; want documents or pairs"},
		{t.TempDir(), "no dataset"},
	}
	apart := datasettest.Write(t, struct{}{}, []schemas.Pair{bitext(1, "deu:a", "eng:b"), bitext(2, "deu:c", "fra:d")})
	if _, _, err := load(t.Context(), Config{Texts: apart, Tasks: []string{"retrieval"}, Languages: []string{"eng", "fra"},
		Split: "test"}); err == nil || !strings.Contains(err.Error(), "no paragraph is there in all of eng 1, fra 1") {
		t.Errorf("%v", err)
	}
	for _, test := range faults {
		_, _, err := load(t.Context(), Config{Texts: test.texts, Tasks: []string{"retrieval"}, Split: "test"})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// What an encoder cannot encode is an error of the task, after which nothing follows.
func TestRunStopsAtAnError(t *testing.T) {
	last := error(nil)
	for _, err := range Measure(t.Context(), Config{Texts: threeLanguages(t), Tasks: []string{"retrieval"}, Split: "test"}, angles{}) {
		if last != nil {
			t.Error("something follows an error")
		}
		last = err
	}
	if last == nil || !strings.Contains(last.Error(), `evaluate retrieval: no angle for "d1"`) {
		t.Errorf("%v", last)
	}
}
