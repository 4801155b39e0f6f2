package markup

import (
	"math"
	"strings"
	"testing"
)

func TestPath(t *testing.T) {
	nan := math.NaN()
	var l Lines
	x, y := scale{0, 10}, scale{1, 100}
	for _, test := range []struct {
		name   string
		points []Point
		want   string
	}{
		{"nothing", nil, ""},
		{"a line", []Point{{0, 1}, {5, 50.5}, {10, 100}}, "M0 260L500 130L1000 0"},
		{"a point alone is a dot", []Point{{5, 50.5}}, "M500 130h0"},
		{"a gap", []Point{{0, 1}, {2, 1}, {5, nan}, {10, 100}}, "M0 260L200 260M1000 0h0"},
		{"no number has no place", []Point{{0, nan}, {5, 50.5}, {10, 50.5}}, "M500 130L1000 130"},
	} {
		if got := l.path(test.points, x, y); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// A peak of one point among many is still drawn, and few points are.
func TestThin(t *testing.T) {
	var l Lines
	points := make([]Point, 100_000)
	for i := range points {
		points[i] = Point{float64(i), 1}
	}
	points[54_321].Y, points[54_323].Y = 9, -9
	points[70_000].Y = math.NaN()
	out := l.thin(points, scale{0, 100_000})
	if len(out) > 4*(buckets+3) {
		t.Errorf("%d points", len(out))
	}
	found := 0
	for i, p := range out {
		if p == points[54_321] || p == points[54_323] || p.Y != p.Y {
			found++
		}
		if i > 0 && out[i-1].X >= p.X {
			t.Fatalf("point %v after %v", p, out[i-1])
		}
	}
	if found != 3 || out[0] != points[0] || out[len(out)-1] != points[len(points)-1] {
		t.Errorf("%d of the peaks and the gap are kept; ends %v %v", found, out[0], out[len(out)-1])
	}
}

func TestSmoothed(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		name  string
		width int
		y     []float64
		want  []float64
	}{
		{"means inside", 3, []float64{0, 3, 0, 3, 0}, []float64{1, 1, 2, 1, 1}},
		{"a line stays, to its ends", 5, []float64{1, 2, 3, 4, 5, 6, 7}, []float64{1, 2, 3, 4, 5, 6, 7}},
		{"wider than the data: the line of all", 9, []float64{0, 3, 0}, []float64{1, 1, 1}},
		{"a gap stays and takes no part", 3, []float64{2, nan, 4, 6}, []float64{2, nan, 4, 6}},
	} {
		points := make([]Point, len(test.y))
		for i, v := range test.y {
			points[i] = Point{float64(i), v}
		}
		for i, p := range smoothed(points, test.width) {
			if want := test.want[i]; math.Abs(p.Y-want) > 1e-12 || (p.Y != p.Y) != (want != want) {
				t.Errorf("%s: value %d is %v, want %v", test.name, i, p.Y, want)
			}
		}
	}
}

func TestBandsTellValues(t *testing.T) {
	l := Lines{X: Axis{Label: "step"}, Series: []Series{{"cmlm", []Point{{1, 9}, {101, 4.25}}}, {"bitext", []Point{{101, .0031}}}}}
	bands := l.bands(scale{1, 101})
	if len(bands) != 2 || bands[0].Title != "step 1: cmlm 9.000" || bands[1].Title != "step 101: cmlm 4.250\nstep 101: bitext 0.0031" {
		t.Errorf("%+v", bands)
	}
}

func TestShapes(t *testing.T) {
	seen := map[string]bool{}
	for g := range Looks {
		path := shape(g, 8, 8, 4)
		if seen[path] || !strings.HasSuffix(path, "Z") {
			t.Errorf("group %d: %s", g, path)
		}
		seen[path] = true
	}
	if shape(Looks, 8, 8, 4) == shape(0, 8, 8, 4) {
		t.Error("a group of the same colour has the same shape")
	}
}
