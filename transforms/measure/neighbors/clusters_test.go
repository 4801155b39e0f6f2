package neighbors

import (
	"math"
	"slices"
	"testing"
)

// Centroids after two steps, by hand: of the directions 0°, 60°, 90° and 10° with the first two as centroids, 0° gets 10°
// and 60° gets 90°.
func TestCentroids(t *testing.T) {
	points := Matrix{Dim: 2}
	for i, degrees := range []float64{0, 60, 90, 10} {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		length := float64(1 + i) // does not count
		points.Data = append(points.Data, float32(length*cos), float32(length*sin))
	}
	got, err := Centroids(t.Context(), points, Matrix{Data: points.Data[:4], Dim: 2}, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{5, 75} {
		if degrees := math.Atan2(float64(got.Row(i)[1]), float64(got.Row(i)[0])) * 180 / math.Pi; math.Abs(degrees-want) > 1e-4 {
			t.Errorf("centroid %d is at %v°, want %v°", i, degrees, want)
		}
	}
}

// With floors the nearest candidates that reach them are found, also those that equal them, and a query that none reaches has none.
func TestFloors(t *testing.T) {
	candidates := Matrix{Data: []float32{1, 0, 0, 1, 1, 1, 2, 2}, Dim: 2}
	x, err := NewIndex(candidates, ByCosine)
	if err != nil {
		t.Fatal(err)
	}
	queries := Matrix{Data: []float32{1, 1, 1, 0, 0, 1, 1, 1}, Dim: 2}
	floors := []float64{math.Inf(-1), Cosine(queries.Row(1), candidates.Row(2)), 1, 1.5}
	got, err := x.TopK(t.Context(), queries, 2, Options{Floors: floors})
	if err != nil {
		t.Fatal(err)
	}
	var indexes []int
	for _, n := range got {
		indexes = append(indexes, n.Index)
	}
	if want := []int{2, 3, 0, 2, 1, -1, -1, -1}; !slices.Equal(indexes, want) {
		t.Errorf("found %v, want %v", indexes, want)
	}
	if _, err := x.TopK(t.Context(), queries, 2, Options{Floors: floors[1:]}); err == nil {
		t.Error("three floors for four queries are no error")
	}
}
