package galechurch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// embed gives sentences vectors in the place of their words and lengths: that of the meaning, which the last word tells, of the
// language, and noise.
func embed(list []Sentence, language uint64) {
	draw := func(r *rand.Rand, size float64) (v []float32) {
		for range 32 {
			v = append(v, float32(size*r.NormFloat64()))
		}
		return v
	}
	own := draw(rand.New(rand.NewPCG(language, 7)), 2)
	for i, s := range list {
		word := s.Words[len(s.Words)-1]
		v, noise := draw(rand.New(rand.NewPCG(word, 0)), 1), draw(rand.New(rand.NewPCG(word, language)), .5)
		for d := range v {
			v[d] += own[d] + noise[d]
		}
		list[i] = Sentence{Length: 50, Vector: v}
	}
}

func TestVectors(t *testing.T) {
	// side has a sentence for each word, whose vector is of ones in the columns of its letters; that of "-" has none.
	side := func(length float64, words string) (list []Sentence) {
		for _, word := range strings.Fields(words) {
			s := Sentence{Length: length}
			if word != "-" {
				s.Vector = make([]float32, 26)
				for _, c := range word {
					s.Vector[c-'a'] = 1
				}
			}
			list = append(list, s)
		}
		return list
	}
	const long = "a b c d e f g h i j k l m n o p q r s t u v w x y z"
	five := "0-0 1-1 2-2 3-3 4-4"
	for _, c := range []struct {
		name string
		a, b []Sentence
		want string
	}{
		{"lengths alone", side(50, "- - - - -"), side(50, "- - - - -"), five},
		{"vectors against lengths", side(50, "a b c d e"), side(50, "b c d e f"), "1-0 2-1 3-2 4-3"},
		{"equal vectors tell nothing", side(50, "a a a a a"), side(50, "a a a a a"), five},
		{"one side has none", side(50, "- - - - -"), side(50, "a b c d e"), five},
		{"one vector is missing", side(50, "a b - d e"), side(50, "b c d e f"), "1-0 2-1 3-2 4-3"},
		{"one sentence is two", side(70, strings.Replace(long, "b c", "bc", 1)), side(50, long), "0-0 1-1,2 2-3 3-4 4-5"},
		{"two sentences are one", side(50, long), side(70, strings.Replace(long, "b c", "bc", 1)), "0-0 1,2-1 3-2 4-3 5-4"},
	} {
		got := ""
		for _, b := range Align(c.a, c.b) {
			got += fmt.Sprintf(" %s-%s", places(b.FirstA, b.EndA), places(b.FirstB, b.EndB))
		}
		if !strings.HasPrefix(got+" ", " "+c.want+" ") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestDistance compares with values by hand, and the distance of two neighbours with that of the sum of their vectors.
func TestDistance(t *testing.T) {
	sentences := []Sentence{{Vector: []float32{3, 4}}, {}, {Vector: []float32{8, 6}}}
	v := centre(sentences) // of (.6, .8) and (.8, .6), less (1.4, 1.4)/4
	for i, want := range [][]float32{{.48564293, .8741573}, nil, {.8741573, .48564293}} {
		if !slices.EqualFunc(v[i], want, func(x, y float32) bool { return math.Abs(float64(x-y)) < 1e-6 }) {
			t.Errorf("sentence %d: %v, want %v", i, v[i], want)
		}
	}
	if sentences[0].Vector[0] != 3 {
		t.Error("the vector of the caller has changed")
	}
	a, b := damaged(4, 1)
	embed(a, 1)
	embed(b, 2)
	x := newLattice(newLevel(a, b), nil)
	p, q := x.a.vectors, x.b.vectors
	for _, c := range []struct {
		k    kind
		a, b []float32
	}{{kind{1, 1}, p[2], q[1]}, {kind{2, 1}, merge(p[1], p[2]), q[1]}, {kind{1, 2}, p[2], merge(q[0], q[1])}} {
		if got, want := x.distance(c.k, 3, 2), 1-dot(c.a, c.b); math.Abs(got-want) > 1e-6 {
			t.Errorf("%v: distance %v, want %v", c.k, got, want)
		}
	}
	if h := x.level.halve(); math.Abs(dot(h.a.vectors[0], merge(p[0], p[1]))-1) > 1e-6 {
		t.Errorf("a run of two has the vector %v", h.a.vectors[0])
	}
}
