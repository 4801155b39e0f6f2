package vectors

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/stages/distill"
	"sentweave/stages/report/markup"
)

// Vectors whose greatest part is their language are plotted apart by it; their meanings are not, and what is left of
// them tells nothing else.
func TestDistilledPlots(t *testing.T) {
	var pairs []schemas.Pair
	var embeddings []schemas.Embedding
	for i := range 90 {
		group := uint64(i)
		p := schemas.Pair{ID: schemas.DerivedID("test", fmt.Sprint(i)), Kind: schemas.KindBitext, Origin: "test", Group: &group,
			LanguageA: "eng", LanguageB: "ron", TextA: fmt.Sprint("e", i), TextB: fmt.Sprint("r", i)}
		pairs = append(pairs, p)
		for side, language := range []string{"eng", "ron"} {
			v := make([]float32, 6)
			for k := range 5 {
				v[k] = float32(math.Sin(float64((i+1)*(k+2)) * 1.7)) // the meaning
			}
			v[5] = float32(10 * (1 - 2*side))
			embeddings = append(embeddings, schemas.Embedding{ID: p.ID + []string{"/a", "/b"}[side], Language: language, Vector: v})
		}
	}
	c := Texts{Embeddings: datasettest.Write(t, nil, embeddings), Texts: datasettest.Write(t, nil, pairs), Groups: 50}
	// apart is the distance between the means of two languages along the first component, by the deviation from them.
	apart := func(s markup.Scatter) float64 {
		var means [2]float64
		squares, n := 0., float64(len(s.Dots))
		for _, d := range s.Dots {
			means[d.Group] += d.X / n * 2
		}
		for _, d := range s.Dots {
			squares += (d.X - means[d.Group]) * (d.X - means[d.Group]) / n
		}
		return math.Abs(means[0]-means[1]) / math.Sqrt(squares)
	}
	for _, test := range []struct {
		into   string
		titles []string
	}{
		{"", []string{"Parallel texts", "The same, distilled, meaning", "The same, distilled, language"}},
		{"eng", []string{"Parallel texts", "The same, projected into eng"}},
	} {
		c.Distilled = t.TempDir() + "/distilled"
		learn := distill.Config{Embeddings: c.Embeddings, Into: test.into, MaxPairs: 1000, Reconstruction: 1, Meaning: 1, Language: 1,
			Batch: 32, Rate: .02, Epochs: 200, Validation: .1, Patience: 50}
		if _, _, err := distill.Run(t.Context(), c.Distilled, learn, distill.Options{}); err != nil {
			t.Fatal(err)
		}
		texts, err := c.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		plots, err := texts.Plots(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var titles []string
		far := map[string]float64{}
		for _, s := range plots {
			if strings.Contains(s.X, "component") {
				titles, far[s.Title] = append(titles, s.Title), apart(s)
			}
			if len(s.Dots) != 100 {
				t.Errorf("%s: %d dots", s.Title, len(s.Dots))
			}
		}
		if !slices.Equal(titles, test.titles) {
			t.Errorf("plots %q, want %q", titles, test.titles)
		}
		if far[test.titles[0]] < 10 || far[test.titles[1]] > 1 || test.into == "" && far[test.titles[2]] < 10 {
			t.Errorf("how far apart languages are: %v", far)
		}
	}
}
