package distill

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/stages/encoder"
	"sentweave/transforms/random"
)

// drawn are rows of the normal distribution.
func drawn(name string, rows, dim int) (list [][]float32) {
	s := random.New(1, 9, name, "", 0)
	for range rows {
		v := make([]float32, dim)
		for i := range v {
			v[i] = normal(&s)
		}
		list = append(list, v)
	}
	return list
}

// Worked out by hand: y = 2x₁ − x₂ + 1 and x₂ + 3, exactly.
func TestLeastSquares(t *testing.T) {
	l, err := leastSquares([][]float32{{0, 0}, {1, 0}, {0, 1}, {2, 3}}, [][]float32{{1, 3}, {3, 3}, {0, 4}, {2, 6}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{2, -1, 0, 1} {
		if math.Abs(float64(l.weight.Data[i]-want)) > 1e-6 {
			t.Errorf("weights %v", l.weight.Data)
		}
	}
	if math.Abs(float64(l.bias[0])-1) > 1e-6 || math.Abs(float64(l.bias[1])-3) > 1e-6 {
		t.Errorf("bias %v", l.bias)
	}
	// The map gives (3, 3) in the place of (3, 4), and misses 1 of the 2.5 by which (1, 3) and (3, 4) differ from their mean.
	if share, ok := l.unexplained([][]float32{{0, 0}, {1, 0}}, [][]float32{{1, 3}, {3, 4}}); !ok || math.Abs(share-1/2.5) > 1e-6 {
		t.Errorf("%v is unexplained", share)
	}
	for _, y := range [][][]float32{nil, {{5, 5}}, {{5, 5}, {5, 5}}} { // which do not differ
		if share, ok := l.unexplained([][]float32{{0, 0}, {1, 0}}[:len(y)], y); ok {
			t.Errorf("%v of %v is unexplained", share, y)
		}
	}
}

// The map is that of numpy, also where rows are fewer than dimensions and where a dimension says nothing.
func TestLeastSquaresAsNumpy(t *testing.T) {
	python := peertest.Python(t)
	for name, rows := range map[string]int{"more": 700, "fewer": 12, "constant": 90} {
		const dim = 20
		x, y := drawn("x", rows, dim), drawn("y", rows, dim)
		for i := range x {
			for k := range dim {
				y[i][k] += x[i][(k+1)%dim] + 5
			}
			if name == "constant" {
				x[i][3] = 2
			}
		}
		l, err := leastSquares(x, y)
		if err != nil {
			t.Fatal(err)
		}
		var want struct {
			Weight [][]float64
			Bias   []float64
		}
		peertest.Answer(t, map[string]any{"x": x, "y": y}, &want, python, "testdata/projection.py")
		for k := range dim {
			if math.Abs(float64(l.bias[k])-want.Bias[k]) > 1e-5 {
				t.Errorf("%s: bias %d is %v, numpy has %v", name, k, l.bias[k], want.Bias[k])
			}
			for i, w := range want.Weight[k] {
				if math.Abs(float64(l.weight.Data[k*dim+i])-w) > 1e-5 {
					t.Errorf("%s: weight %d %d is %v, numpy has %v", name, k, i, l.weight.Data[k*dim+i], w)
				}
			}
		}
	}
}

// Texts of a planted language, whose vectors are those of English turned and moved, are found by their
// projections; what is not translated into English has none.
func TestProjections(t *testing.T) {
	const dim = 12
	pairs := planted(400, dim)
	for i, turn := range drawn("turn", dim, dim) {
		for _, p := range pairs {
			for side, language := range p.languages {
				if language == 0 && i < dim/2 { // reflections
					v, dot, square := p.vectors[side], float32(0), float32(0)
					for k := range v {
						dot, square = dot+v[k]*turn[k], square+turn[k]*turn[k]
					}
					for k := range v {
						v[k] -= 2 * dot / square * turn[k]
					}
				}
			}
		}
	}
	var train, test []pair // of German and English
	for _, p := range pairs {
		if p.languages == [2]int{0, 1} {
			if len(train) < 100 {
				train = append(train, p)
			} else {
				test = append(test, p)
			}
		} else if p.languages == [2]int{2, 0} {
			train = append(train, p)
		}
	}
	c := settings()
	c.Embeddings, c.Into = write(t, train, false), "eng"
	out := t.TempDir()
	r, done, err := Run(t.Context(), out, c, Options{})
	if err != nil || done || len(r.Unexplained) != 1 || r.Unexplained["deu"] > .2 || r.Epochs != 0 {
		t.Fatalf("%+v %t %v", r, done, err)
	}
	if _, done, err = Run(t.Context(), out, c, Options{}); err != nil || !done {
		t.Errorf("the second time: %t, %v", done, err)
	}
	d, err := Load(t.Context(), folder(t, out))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Has(partLanguage); err == nil || !strings.Contains(err.Error(), "no part") || d.Has(partMeaning) != nil {
		t.Error(err)
	}
	e := Encoder(d, fixed(test), partMeaning)
	if found(t, fixed(test), test) > .3 || e.Name() != "fixed, projected into eng" {
		t.Errorf("%s; raw vectors find %.2f", e.Name(), found(t, fixed(test), test))
	}
	texts := map[string][]encoder.Text{}
	for i := range test {
		texts["deu"] = append(texts["deu"], encoder.Text{Text: fmt.Sprint(i, "/0"), Language: "deu"})
		texts["eng"] = append(texts["eng"], encoder.Text{Text: fmt.Sprint(i, "/1"), Language: "eng"})
	}
	german, err := e.Encode(t.Context(), texts["deu"])
	if err != nil {
		t.Fatal(err)
	}
	english, err := e.Encode(t.Context(), texts["eng"])
	if err != nil {
		t.Fatal(err)
	}
	hits := 0
	for i := range test {
		best := 0
		for j := range test {
			if german.Cosine(i, english, j) > german.Cosine(i, english, best) {
				best = j
			}
		}
		if best == i {
			hits++
		}
		if got, want := english.(encoder.Dense).Row(i)[3], test[i].vectors[1][3]; got != want {
			t.Fatalf("English changed: %v, was %v", got, want)
		}
	}
	if hits*10 < len(test)*9 {
		t.Errorf("%d of %d are found", hits, len(test))
	}
	texts["deu"][0].Language = "spa" // which has no projection
	other, err := e.Encode(t.Context(), texts["deu"])
	if err != nil || !slices.Equal(other.(encoder.Dense).Row(0), test[0].vectors[0]) || d.About() != "projections of deu into eng" ||
		d.Vectors(partMeaning) != "projected into eng" {
		t.Errorf("%s, %s: %v", d.About(), d.Vectors(partMeaning), err)
	}
}

func TestProjectionFaults(t *testing.T) {
	c := settings()
	c.Embeddings, c.Into = write(t, planted(60, 8), false), "eng"
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	out := t.TempDir()
	if _, _, err := Run(interrupted, out, c, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	c.Into = "fra"
	if _, _, err := Run(t.Context(), t.TempDir(), c, Options{}); err == nil ||
		!strings.Contains(err.Error(), "no pair is a translation into fra: they are in [deu eng spa]") {
		t.Error(err)
	}
	for into, want := range map[string]string{"english": `into: language "english" is unknown`,
		"en": `into: give eng for "en": codes are those of ISO 639-3`} {
		c.Into = into
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
