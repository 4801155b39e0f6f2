package vectors

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"sentweave/stages/report/markup"
	"sentweave/transforms/measure/neighbors"
	"sentweave/transforms/random"
)

// By hand: of the vectors (3, 4) and (4, 3), at length 1, each dimension has the values .6 and
// .8, of variance .01; one vector twice has none; zeros count as they are.
func TestLanguageVariances(t *testing.T) {
	m := neighbors.Matrix{Dim: 2, Data: []float32{3, 4, 1, 0, 8, 6, 5, 0, 0, 0, 0, 2}}
	v, codes := languageVariances(
		m, []Placed{{Language: "eng"}, {Language: "deu"}, {Language: "eng"}, {Language: "deu"}, {Language: "rus"}, {Language: "rus"}})
	if fmt.Sprint(codes) != "[deu eng rus]" {
		t.Errorf("languages %v", codes)
	}
	for i, want := range []float64{0, 0, .01, .01, 0, .25} {
		if math.Abs(float64(v.Data[i])-want) > 1e-7 {
			t.Errorf("variances %v, want %v at %d", v.Data, want, i)
		}
	}
	s := languageDots([]markup.Point{{X: 1, Y: 2}, {X: 3, Y: 4}, {X: 5, Y: 6}}, codes, v)
	if fmt.Sprint(s.Groups) != "[Germanic Slavic]" || s.Dots[2].Group != 1 ||
		s.Dots[1].Label != "English, mean variance of a dimension 0.01" {
		t.Errorf("%+v", s)
	}
}

// Texts of languages that lie apart stand by language in the plane, with all their dots; few
// languages have no plot of their own.
func TestPlotsOf(t *testing.T) {
	draw := random.New(1, 1, "plots", "", 0)
	made := func(languages []string, groups int) (m neighbors.Matrix, texts []Placed) {
		m.Dim = 8
		for g := range groups {
			for l, code := range languages {
				for k := range m.Dim {
					x := draw.Float64() - .5
					if k == l {
						x += 4
					}
					m.Data = append(m.Data, float32(x))
				}
				texts = append(texts, Placed{Language: code, Group: uint64(g + 1), Text: "a"})
			}
		}
		return m, texts
	}
	m, texts := made([]string{"deu", "eng", "rus", "spa"}, 20)
	list, err := plotsOf(t.Context(), "Texts", m, texts)
	if err != nil || len(list) != 2 { // four dots of languages show nothing
		t.Fatalf("%d plots, %v", len(list), err)
	}
	more, manyTexts := made([]string{"ces", "deu", "eng", "fra", "ita", "nld", "rus", "spa"}, 20)
	many, err := plotsOf(t.Context(), "Texts", more, manyTexts)
	if err != nil || len(many) != 4 {
		t.Fatalf("%d plots, %v", len(many), err)
	}
	for i, want := range []string{"Texts", "Texts, t-SNE", "Texts: languages by the variance of each dimension",
		"Texts: languages by the variance of each dimension, t-SNE"} {
		if s := many[i]; s.Title != want || (s.X == "") != strings.HasSuffix(want, "t-SNE") || s.Validate() != nil {
			t.Errorf("%+v, want the title %q", s, want)
		}
	}
	near := list[1]
	if len(near.Dots) != 80 || !strings.Contains(near.Note, "Perplexity 26.3, divergence ") ||
		!strings.HasPrefix(near.Note, "Lines join ") {
		t.Errorf("%d dots, %q", len(near.Dots), near.Note)
	}
	for i, a := range near.Dots {
		nearest, least := -1, math.Inf(1)
		for j, b := range near.Dots {
			if d := math.Hypot(a.X-b.X, a.Y-b.Y); i != j && d < least {
				nearest, least = j, d
			}
		}
		if near.Dots[nearest].Group != a.Group {
			t.Errorf("dot %d of %s is nearest to one of %s", i, near.Groups[a.Group], near.Groups[near.Dots[nearest].Group])
		}
	}
	// Families have the colours of texts where there are not enough for languages; what has none comes last.
	m, texts = made([]string{"deu", "eng", "rus", "eus", "fra", "hun", "spa"}, 4)
	if list, err = plotsOf(t.Context(), "Texts", m, texts); err != nil || len(list) != 4 {
		t.Fatalf("%d plots, %v", len(list), err)
	}
	for _, s := range list {
		if fmt.Sprint(s.Groups) != "[Germanic Romance Slavic Uralic other]" || s.Dots[3].Group != 4 && s.Dots[2].Group != 4 ||
			s.Validate() != nil {
			t.Errorf("%+v", s)
		}
	}
	if near := list[1].Dots[3]; near.Label != "Basque: a" {
		t.Errorf("%+v", near)
	}
	m, texts = made([]string{"deu", "eng"}, 1)
	if list, err := plotsOf(t.Context(), "Texts", m, texts); err != nil || len(list) != 1 {
		t.Errorf("two texts: %d plots, %v", len(list), err)
	}
	equal := neighbors.Matrix{Dim: 8, Data: make([]float32, 8*8)}
	if list, err := plotsOf(t.Context(), "Texts", equal,
		append(append([]Placed(nil), texts...), append(texts, append(texts, texts...)...)...)); err != nil || len(list) != 1 {
		t.Errorf("equal vectors: %d plots, %v", len(list), err)
	}
}
