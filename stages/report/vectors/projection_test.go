package vectors

import (
	"math"
	"slices"
	"strings"
	"testing"

	"sentweave/stages/report/markup"
	"sentweave/transforms/measure/neighbors"
)

func project(t *testing.T, dim int, data ...float32) Projection {
	t.Helper()
	m, err := neighbors.NewMatrix(data, dim)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Project(m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProject(t *testing.T) {
	nan := float32(math.NaN())
	root := math.Sqrt2
	for _, test := range []struct {
		name   string
		dim    int
		data   []float32
		points []markup.Point
		share  [2]float64
	}{
		// Less their mean (5, 5) the rows are (3, 3), (-3, -3), (1, -1), (-1, 1): 36 of
		// the 40 squares lie along (1, 1)/√2, 4 along (1, -1)/√2.
		{"a cross of two lengths", 2, []float32{8, 8, 2, 2, 6, 4, 4, 6},
			[]markup.Point{{X: 3 * root, Y: 0}, {X: -3 * root, Y: 0}, {X: 0, Y: root}, {X: 0, Y: -root}}, [2]float64{.9, .1}},
		// Less rows than columns: through XXᵀ. Mean (0, 0, 0, 2).
		{"few rows", 4, []float32{0, -2, 0, 2, 0, 2, 0, 2, 1, 0, 0, 2, -1, 0, 0, 2}[:16],
			[]markup.Point{{X: -2, Y: 0}, {X: 2, Y: 0}, {X: 0, Y: 1}, {X: 0, Y: -1}}, [2]float64{.8, .2}},
		// 3² + 3² along x, 1² + 1² along y, in five dimensions and three rows: mean 0.
		{"three rows on a line", 5, []float32{0, 0, -3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0},
			[]markup.Point{{X: -3, Y: 0}, {X: 0, Y: 0}, {X: 3, Y: 0}}, [2]float64{1, 0}},
		{"one dimension", 1, []float32{1, 3}, []markup.Point{{X: -1, Y: 0}, {X: 1, Y: 0}}, [2]float64{1, 0}},
		{"equal rows", 2, []float32{7, 7, 7, 7}, []markup.Point{{X: 0, Y: 0}, {X: 0, Y: 0}}, [2]float64{0, 0}},
		{"one row", 3, []float32{1, 2, 3}, []markup.Point{{X: 0, Y: 0}}, [2]float64{0, 0}},
		{"a row that is not a number takes no part", 1, []float32{1, nan, 3},
			[]markup.Point{{X: -1, Y: 0}, {X: math.NaN(), Y: math.NaN()}, {X: 1, Y: 0}}, [2]float64{1, 0}},
		{"no row", 2, nil, nil, [2]float64{}},
	} {
		p := project(t, test.dim, test.data...)
		if len(p.Points) != len(test.points) {
			t.Errorf("%s: %d points, want %d", test.name, len(p.Points), len(test.points))
			continue
		}
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 || a != a && b != b }
		for i, want := range test.points {
			if got := p.Points[i]; !near(got.X, want.X) || !near(got.Y, want.Y) {
				t.Errorf("%s: row %d at %v, want %v", test.name, i, got, want)
			}
		}
		if !near(p.Share[0], test.share[0]) || !near(p.Share[1], test.share[1]) {
			t.Errorf("%s: shares %v, want %v", test.name, p.Share, test.share)
		}
	}
}

// The places do not depend on whether the small matrix is XᵀX or XXᵀ: zeros in
// further columns change nothing.
func TestProjectWide(t *testing.T) {
	var narrow, wide []float32
	for i := range 12 {
		row := []float32{float32(i*i%7) - 3, float32(i*5%11) / 2, float32(i*i*i%5) / 3}
		narrow = append(narrow, row...)
		wide = append(append(wide, row...), make([]float32, 17)...)
	}
	a, b := project(t, 3, narrow...), project(t, 20, wide...)
	for i := range a.Points {
		if math.Abs(a.Points[i].X-b.Points[i].X) > 1e-9 || math.Abs(a.Points[i].Y-b.Points[i].Y) > 1e-9 {
			t.Errorf("row %d: %v and %v", i, a.Points[i], b.Points[i])
		}
	}
}

func TestParallelScatter(t *testing.T) {
	p := Projection{Points: []markup.Point{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 2, Y: 1}, {X: math.NaN(), Y: 0}, {X: 5, Y: 5}}}
	texts := []Placed{{"spa", 9, "uno"}, {"eng", 9, strings.Repeat("ä", 100)}, {"spa", 7, "dos"}, {"eng", 7, "two"}, {"eng", 3, "alone"}}
	s, err := parallelScatter("before", p, texts, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Groups, []string{"eng", "spa"}) {
		t.Errorf("groups %v", s.Groups)
	}
	var sets, groups []int
	for _, d := range s.Dots {
		sets, groups = append(sets, d.Set), append(groups, d.Group)
	}
	if !slices.Equal(sets, []int{0, 0, 1, 1, 0}) || !slices.Equal(groups, []int{1, 0, 1, 0, 0}) {
		t.Errorf("sets %v, groups %v", sets, groups)
	}
	if got := s.Dots[1].Label; got != strings.Repeat("ä", 80)+"…" {
		t.Errorf("label %q", got)
	}
	if _, err := parallelScatter("x", p, texts[1:], 1); err == nil {
		t.Error("4 texts for 5 points are taken")
	}
	_, view := s.View()
	v := view.(markup.ScatterView)
	if len(v.Marks) != 4 || !strings.HasPrefix(v.Left, "1 dot ") || len(v.Joins) != 0 {
		t.Errorf("%d marks, %d lines, %q: want 4, none as one of the two has no place, and a word on it", len(v.Marks), len(v.Joins),
			v.Left)
	}
}

func BenchmarkProject(b *testing.B) {
	const rows, dim = 1600, 128
	data := make([]float32, rows*dim)
	for i := range data {
		data[i] = float32(i*7919%1009) / 1009
	}
	m, err := neighbors.NewMatrix(data, dim)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(4 * rows * dim)
	for b.Loop() {
		if _, err := Project(m); err != nil {
			b.Fatal(err)
		}
	}
}
