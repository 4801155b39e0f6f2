package bertscore

import (
	"math"
	"strings"
	"testing"
)

// of makes tokens of two dimensions, given by their angles in degrees; 0 and 9 are the marks.
func of(ids []int32, degrees ...float64) Tokens {
	t := Tokens{IDs: ids}
	for _, d := range degrees {
		length := 1 + float64(len(t.Vectors)) // which cosines do not depend on
		t.Vectors = append(t.Vectors, float32(length*math.Cos(d*math.Pi/180)), float32(length*math.Sin(d*math.Pi/180)))
	}
	return t
}

// By hand: the cosine of two tokens is that of the difference of their angles.
func TestScore(t *testing.T) {
	cos := func(degrees float64) float64 { return math.Cos(degrees * math.Pi / 180) }
	f1 := func(p, r float64) float64 { return 2 * p * r / (p + r) }
	frequencies := NewIDF() // of three texts: 1 is in all, 2 in two, 3 in one, 4 in none
	for _, ids := range [][]int32{{0, 1, 2, 9}, {0, 1, 1, 2, 9}, {0, 1, 3, 9}} {
		frequencies.Add(ids)
	}
	two, three, four := math.Log(4./3), math.Log(4./2), math.Log(4)
	reference := of([]int32{0, 2, 3, 9}, 200, 0, 90, 250)
	for _, test := range []struct {
		name                 string
		idf                  *IDF
		candidate, reference Tokens
		p, r                 float64
	}{
		{"equal", nil, reference, reference, 1, 1},
		{"nearest", nil, of([]int32{0, 1, 2, 4, 9}, 200, 10, 20, 60, 250), reference, (cos(10) + cos(20) + cos(30)) / 3,
			(cos(10) + cos(30)) / 2},
		{"a mark is the nearest", nil, of([]int32{0, 1, 9}, 200, 205, 250), reference, cos(5),
			(cos(110) + cos(110)) / 2}, // the other mark is 160 from 90, and 110 from 0
		{"opposite", nil, of([]int32{0, 1, 9}, 180, 180, 180), of([]int32{0, 2, 9}, 0, 0, 0), -1, -1},
		{"weighted", frequencies, of([]int32{0, 1, 2, 4, 9}, 200, 10, 20, 60, 250), reference, (two*cos(20) + four*cos(30)) / (two + four),
			(two*cos(10) + three*cos(30)) / (two + three)},
		{"no token of weight", frequencies, of([]int32{0, 1, 1, 9}, 200, 10, 20, 250), reference, 0, 0},
		{"no token", nil, of([]int32{0, 9}, 200, 250), reference, 0, 0},
		{"no token of the reference", nil, reference, of([]int32{0, 9}, 200, 250), 0, 0},
		{"a vector of zeros", nil, Tokens{IDs: []int32{0, 1, 9}, Vectors: make([]float32, 6)}, reference, 0, 0},
		{"marks within a text", nil, of([]int32{0, 1, 9, 9}, 200, 10, 90, 250), reference, cos(10), (cos(10) + cos(0)) / 2},
	} {
		for name, s := range map[string]*Scorer{"new": {IDF: test.idf}, "used": used(t, test.idf)} {
			got, err := s.Score(test.candidate, test.reference)
			want := Score{test.p, test.r, f1(test.p, test.r)}
			if test.p+test.r == 0 {
				want.F1 = 0
			}
			near := func(a, b float64) bool { return math.Abs(a-b) < 1e-6 } // of float32
			if err != nil || !near(got.Precision, want.Precision) || !near(got.Recall, want.Recall) || !near(got.F1, want.F1) {
				t.Errorf("%s, %s scorer: %+v, %v; want %+v", test.name, name, got, err, want)
			}
		}
	}
}

// used is a scorer whose buffers hold another pair.
func used(t *testing.T, idf *IDF) *Scorer {
	t.Helper()
	s := &Scorer{IDF: idf}
	if _, err := s.Score(of([]int32{0, 1, 2, 3, 4, 9}, 1, 2, 3, 4, 5, 6), of([]int32{0, 1, 2, 3, 4, 9}, 1, 2, 3, 4, 5, 6)); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestScoreFaults(t *testing.T) {
	good, inf := of([]int32{0, 1, 9}, 1, 2, 3), of([]int32{0, 1, 9}, 1, 2, 3)
	inf.Vectors[2] = float32(math.Inf(1))
	for name, test := range map[string]struct {
		a, b Tokens
		want string
	}{
		"no token at all": {Tokens{}, good, "a text of 0 tokens"},
		"no vectors":      {good, Tokens{IDs: []int32{0, 9}}, "a text of 2 tokens has 0 numbers"},
		"another size":    {good, Tokens{IDs: []int32{0, 9}, Vectors: make([]float32, 6)}, "a text of 2 tokens has 6 numbers"},
		"not finite":      {inf, good, "not finite"},
	} {
		if _, err := new(Scorer).Score(test.a, test.b); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

func BenchmarkScore(b *testing.B) {
	text := Tokens{IDs: make([]int32, 40), Vectors: make([]float32, 40*384)}
	for i := range text.Vectors {
		text.Vectors[i] = float32(i%17) - 8
	}
	for i := range text.IDs {
		text.IDs[i] = int32(i)
	}
	var s Scorer
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Score(text, text); err != nil {
			b.Fatal(err)
		}
	}
}
