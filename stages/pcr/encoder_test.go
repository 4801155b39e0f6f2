package pcr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"sentweave/stages/encoder"
	"sentweave/transforms/measure/neighbors"
)

// The vectors of a fake encoder are those of the fit.
type fake struct{ vectors encoder.Dense }

func (fake) Name() string { return "fake" }
func (f fake) Encode(context.Context, []encoder.Text) (encoder.Vectors, error) {
	return f.vectors, nil
}

func TestEncoder(t *testing.T) {
	const n, dim = 40, 24
	data := append(embeddings(1, n, dim), embeddings(2, n, dim)...)
	before := append([]float32(nil), data...)
	texts := append(encoder.Texts("deu", make([]string, n)...), encoder.Texts("eng", make([]string, n)...)...)
	inner := fake{encoder.Dense{Matrix: neighbors.Matrix{Data: data, Dim: dim}}}
	for _, config := range []Config{{Components: 1}, {3, true}} {
		c, err := fitTexts(t.Context(), inner, texts, config)
		if err != nil {
			t.Fatal(err)
		}
		anew, err := Fitting(inner, config)
		if err != nil {
			t.Fatal(err)
		}
		var seen []encoder.Vectors
		for _, e := range []encoder.Encoder{c.Encoder(inner), anew} {
			if want := map[bool]string{false: "fake+pcr1", true: "fake+pcr3-centred"}[config.Center]; e.Name() != want {
				t.Errorf("name %q, want %q", e.Name(), want)
			}
			v, err := e.Encode(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range texts {
				checkRemoved(t, c, text.Language, v.(encoder.Dense).Row(i))
			}
			seen = append(seen, v)
		}
		for i := range texts { // fitted on the same texts, both are the same
			if cosine := seen[0].Cosine(i, seen[1], i); math.Abs(cosine-1) > 1e-12 {
				t.Errorf("text %d: cosine %v between both ways", i, cosine)
			}
		}
		if _, err := c.Encoder(inner).Encode(t.Context(), encoder.Texts("fra", make([]string, 2*n)...)); !errors.Is(err, ErrLanguage) ||
			!strings.Contains(err.Error(), `"fra"; there are those of [deu eng]`) {
			t.Errorf("a language that was not fitted: %v", err)
		}
	}
	for i := range data {
		if data[i] != before[i] {
			t.Fatal("the encoder's own vectors were changed")
		}
	}
	bow, err := encoder.Parse(t.Context(), "baseline:bow")
	if err != nil {
		t.Fatal(err)
	}
	anew, err := Fitting(bow, Config{Components: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := anew.Encode(t.Context(), texts); !errors.Is(err, encoder.ErrSparse) {
		t.Errorf("sparse vectors: %v", err)
	}
}

// What the method is for: texts that lie by their language lie by their meaning
// when the direction of the language is gone.
func TestMeaningIsNearest(t *testing.T) {
	const n, dim = 50, 32
	r := rand.New(rand.NewPCG(7, 7))
	gauss := func(scale float64) []float64 {
		v := make([]float64, dim)
		for i := range v {
			v[i] = scale * r.NormFloat64()
		}
		return v
	}
	languages := []string{"deu", "eng", "fra"}
	var texts []encoder.Text
	data := make([]float32, len(languages)*n*dim)
	meanings := make([][]float64, n)
	for i := range meanings {
		meanings[i] = gauss(1)
	}
	for l, code := range languages {
		texts = append(texts, encoder.Texts(code, make([]string, n)...)...)
		shared := gauss(6)
		for i := range n {
			noise := gauss(.1)
			for k := range dim {
				data[(l*n+i)*dim+k] = float32(meanings[i][k] + shared[k] + noise[k])
			}
		}
	}
	self := make([]int, len(texts))
	for i := range self {
		self[i] = i
	}
	count := func(v encoder.Vectors) (sameLanguage, sameMeaning int) {
		found, err := v.Nearest(t.Context(), v, neighbors.Options{Exclude: self})
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range found {
			if f.Index/n == i/n {
				sameLanguage++
			}
			if f.Index%n == i%n {
				sameMeaning++
			}
		}
		return sameLanguage, sameMeaning
	}
	inner := fake{encoder.Dense{Matrix: neighbors.Matrix{Data: data, Dim: dim}}}
	if same, _ := count(inner.vectors); same != len(texts) {
		t.Errorf("before: %d of %d texts have a neighbour of their language", same, len(texts))
	}
	fitting, err := Fitting(inner, Config{Components: 1})
	if err != nil {
		t.Fatal(err)
	}
	v, err := fitting.Encode(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if _, right := count(v); right != len(texts) {
		t.Errorf("after: %d of %d texts have a translation next to them", right, len(texts))
	}
}

// fitTexts fits components on the embeddings of texts.
func fitTexts(ctx context.Context, e encoder.Encoder, texts []encoder.Text, c Config) (*Components, error) {
	if len(texts) == 0 {
		return nil, errors.New("fit components: there is no text")
	}
	dense, err := encoder.EncodeDense(ctx, e, texts)
	if err != nil {
		return nil, fmt.Errorf("fit components: %w", err)
	}
	languages := make([]string, len(texts))
	for i, t := range texts {
		languages[i] = t.Language
	}
	return Fit(dense.Matrix, languages, c)
}
