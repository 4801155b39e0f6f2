package neighbors

import (
	"context"
	"fmt"
	"math"
)

// Centroids moves the centroids of clusters by spherical k-means (Dhillon and Modha, Machine Learning 2001), so many times: each
// point joins the centroid with the greatest cosine, of equal ones the first, and each centroid becomes the mean of its points, all
// scaled to length 1. A centroid without points stays where it was. The first centroids are not changed. The result is the same on
// all processors: cosines and sums are float64, and sums are in the order of the points. An iteration costs
// 2·points·centroids·dim operations; moved, if it is not nil, is called after each.
func Centroids(ctx context.Context, points, first Matrix, iterations int, moved func()) (Matrix, error) {
	centroids := Matrix{append([]float32(nil), first.Data...), first.Dim}
	sums, counts := make([]float64, len(centroids.Data)), make([]int, centroids.Rows())
	for range iterations {
		index, err := NewIndex(centroids, ByCosine)
		if err != nil {
			return Matrix{}, fmt.Errorf("centroids: %w", err)
		}
		nearest, err := index.Nearest(ctx, points, Options{})
		if err != nil {
			return Matrix{}, err
		}
		clear(sums)
		clear(counts)
		for i, m := range nearest {
			row := points.Row(i)
			sum, length := sums[m.Index*points.Dim:][:points.Dim], math.Sqrt(Dot(row, row))
			if length == 0 {
				continue
			}
			counts[m.Index]++
			for j, x := range row {
				sum[j] += float64(x) / length
			}
		}
		for i, n := range counts {
			for j := range points.Dim {
				if n > 0 {
					centroids.Data[i*points.Dim+j] = float32(sums[i*points.Dim+j] / float64(n))
				}
			}
		}
		if moved != nil {
			moved()
		}
	}
	return centroids, nil
}
