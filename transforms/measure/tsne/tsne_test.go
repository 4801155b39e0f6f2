package tsne

import (
	"context"
	"math"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/transforms/measure/neighbors"
	"sentweave/transforms/random"
)

// clusters are rows around so many centres, in turn, and places to start from.
func clusters(rows, centres, dim int, spread float64) (m neighbors.Matrix, start [][2]float64) {
	draw := random.New(1, 1, "clusters", "", 0)
	middles := make([]float64, centres*dim)
	for i := range middles {
		middles[i] = draw.Float64()
	}
	m.Dim = dim
	for i := range rows {
		for k := range dim {
			m.Data = append(m.Data, float32(middles[i%centres*dim+k]+spread*(draw.Float64()-.5)))
		}
		start = append(start, [2]float64{draw.Float64(), draw.Float64()})
	}
	return m, start
}

// Every row has rows of its own cluster as its nearest in the plane, from places at random, and
// the divergence is less than at the start.
func TestPlanted(t *testing.T) {
	const rows, centres = 90, 3
	m, start := clusters(rows, centres, 20, .2)
	places, perplexity, divergence, err := Fit(t.Context(), m, start)
	if err != nil {
		t.Fatal(err)
	}
	p, err := similarities(m, perplexity)
	if err != nil {
		t.Fatal(err)
	}
	first, err := scaled(start)
	if err != nil {
		t.Fatal(err)
	}
	if before := newDescent(p, first).divergence(); perplexity != 89./3 || divergence <= 0 || divergence > before/4 {
		t.Errorf("perplexity %v, divergence %v after %v", perplexity, divergence, before)
	}
	distance := func(i, j int) float64 { return math.Hypot(places[i][0]-places[j][0], places[i][1]-places[j][1]) }
	within, between := 0.0, math.Inf(1)
	for i := range rows {
		for j := range i {
			if i%centres == j%centres {
				within = max(within, distance(i, j))
			} else {
				between = min(between, distance(i, j))
			}
		}
	}
	if between < within/2 {
		t.Errorf("clusters are %v wide and %v apart", within, between)
	}
	for i := range rows {
		nearest := (i + 1) % rows
		for j := range rows {
			if j != i && distance(i, j) < distance(i, nearest) {
				nearest = j
			}
		}
		if nearest%centres != i%centres {
			t.Errorf("row %d of cluster %d is nearest to %d of cluster %d", i, i%centres, nearest, nearest%centres)
		}
	}
	again, _, _, err := Fit(t.Context(), m, start)
	if err != nil || again[7] != places[7] {
		t.Errorf("another run gives %v, not %v (%v)", again[7], places[7], err)
	}
}

// The gradient is that of the divergence, by differences.
func TestGradient(t *testing.T) {
	m, start := clusters(12, 2, 5, .5)
	p, err := similarities(m, 3)
	if err != nil {
		t.Fatal(err)
	}
	d := newDescent(p, start)
	d.differentiate(1)
	const h = 1e-5
	for i := range start {
		for k := range 2 {
			at := start[i][k]
			start[i][k] = at + h
			above := d.divergence()
			start[i][k] = at - h
			below := d.divergence()
			start[i][k] = at
			if want := (above - below) / (2 * h); math.Abs(d.gradient[i][k]-want) > 1e-8 {
				t.Errorf("row %d, coordinate %d: %v, by differences %v", i, k, d.gradient[i][k], want)
			}
		}
	}
}

// Neighbourhoods have the perplexity, whatever the scale of the rows; rows that are equal share
// theirs.
func TestNeighbourhood(t *testing.T) {
	for _, scale := range []float64{1e-8, 1, 1e8} {
		squared, shares := make([]float64, 40), make([]float64, 40)
		for j := range squared {
			squared[j] = scale * float64(j*j)
		}
		neighbourhood(squared, 0, math.Log(7), shares)
		sum, entropy := 0.0, 0.0
		for _, s := range shares {
			if sum += s; s > 0 {
				entropy -= s * math.Log(s)
			}
		}
		if shares[0] != 0 || math.Abs(sum-1) > 1e-12 || math.Abs(math.Exp(entropy)-7) > 1e-6 {
			t.Errorf("scale %v: shares sum to %v, perplexity %v", scale, sum, math.Exp(entropy))
		}
	}
	shares := make([]float64, 5)
	neighbourhood([]float64{0, 2, 2, 2, 2}, 0, math.Log(2), shares)
	for _, s := range shares[1:] {
		if s != .25 {
			t.Errorf("shares %v of rows that are equally far", shares)
		}
	}
}

// Probabilities, and places, gradient and divergence after some steps, are those of numpy.
func TestBesideNumpy(t *testing.T) {
	python := peertest.Python(t)
	m, start := clusters(60, 4, 8, .6)
	const perplexity, count = 9, 12
	rows := make([][]float32, m.Rows())
	for i := range rows {
		rows[i] = m.Row(i)
	}
	var want struct {
		Joint            [][]float64
		Places, Gradient [][2]float64
		Divergence       float64
	}
	peertest.Answer(t, map[string]any{"x": rows, "start": start, "perplexity": perplexity, "steps": count}, &want, python,
		"testdata/tsne.py")
	p, err := similarities(m, perplexity)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i := range rows {
		for j := range i {
			got := p[i*(i-1)/2+j]
			if sum += 2 * got; math.Abs(got-want.Joint[i][j]) > 1e-11 {
				t.Errorf("pair %d, %d: %v, want %v", i, j, got, want.Joint[i][j])
			}
		}
	}
	if math.Abs(sum-1) > 1e-8 {
		t.Errorf("the probabilities sum to %v", sum)
	}
	places, err := scaled(start)
	if err != nil {
		t.Fatal(err)
	}
	d := newDescent(p, places)
	for range count {
		d.step(exaggeration, earlyMomentum)
	}
	got := d.divergence()
	d.differentiate(1)
	if math.Abs(got-want.Divergence) > 1e-6 {
		t.Errorf("divergence %v, want %v", got, want.Divergence)
	}
	for i := range places {
		for k := range 2 {
			if math.Abs(places[i][k]-want.Places[i][k]) > 1e-6*(1+math.Abs(want.Places[i][k])) ||
				math.Abs(d.gradient[i][k]-want.Gradient[i][k]) > 1e-6 {
				t.Errorf("row %d: at %v with the gradient %v, want %v and %v", i, places[i], d.gradient[i], want.Places[i],
					want.Gradient[i])
			}
		}
	}
}

func TestFaults(t *testing.T) {
	m, start := clusters(8, 2, 3, .1)
	broken := neighbors.Matrix{Dim: 3, Data: append([]float32{float32(math.NaN())}, m.Data[1:]...)}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		want  string
		ctx   context.Context
		m     neighbors.Matrix
		start [][2]float64
	}{
		{"there are 3 rows", t.Context(), neighbors.Matrix{Dim: 3, Data: m.Data[:9]}, start[:3]},
		{"there are 1001 rows", t.Context(), neighbors.Matrix{Dim: 1, Data: make([]float32, 1001)}, make([][2]float64, 1001)},
		{"7 places to start from for 8 rows", t.Context(), m, start[:7]},
		{"all rows start at one place", t.Context(), m, make([][2]float64, 8)},
		{"a place to start from is not finite", t.Context(), m, append([][2]float64{{math.Inf(1), 0}}, start[1:]...)},
		{"not finite", t.Context(), broken, start},
		{"canceled", stopped, m, start},
	} {
		if _, _, _, err := Fit(test.ctx, test.m, test.start); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

func BenchmarkFit(b *testing.B) {
	m, start := clusters(MostRows, 5, 128, .5)
	for b.Loop() {
		if _, _, _, err := Fit(b.Context(), m, start); err != nil {
			b.Fatal(err)
		}
	}
}
