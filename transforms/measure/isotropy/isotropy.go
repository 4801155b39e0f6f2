// Package isotropy changes vectors so that their directions tell less of what all of them
// share: it centres the vectors of each group, such as a language, and whitens all of them.
//
// # Method
//
// Centring subtracts from each vector the mean of its group (Libovický et al. 2019).
// Whitening subtracts the mean of all vectors and scales the principal components to equal
// variance: y = (x − μ)·U·Λ^(−1/2)·Uᵀ, where U and Λ are those of the covariance over n rows.
// It is the symmetric form of Su et al. (2021), whose U·Λ^(−1/2) is a rotation of it and gives
// the same cosines. Directions whose variance is below 1e-12 of the greatest are dropped: with
// fewer rows than dimensions, or equal rows, they have none.
//
// Sums are float64 and their order is fixed, so the result does not depend on the machine.
package isotropy

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"sentweave/transforms/measure/neighbors"
)

// Centre returns vectors from which the mean of their group is taken; groups names that of
// each row.
func Centre(m neighbors.Matrix, groups []string) (neighbors.Matrix, error) {
	if err := m.Validate(); err != nil {
		return m, fmt.Errorf("centre vectors: %w", err)
	}
	if len(groups) != m.Rows() {
		return m, fmt.Errorf("centre vectors: %d groups for %d rows", len(groups), m.Rows())
	}
	sums, counts := map[string][]float64{}, map[string]float64{}
	for i, g := range groups {
		if sums[g] == nil {
			sums[g] = make([]float64, m.Dim)
		}
		counts[g]++
		for k, x := range m.Row(i) {
			sums[g][k] += float64(x)
		}
	}
	centred := neighbors.Matrix{Data: make([]float32, len(m.Data)), Dim: m.Dim}
	for i, g := range groups {
		target := centred.Row(i)
		for k, x := range m.Row(i) {
			target[k] = float32(float64(x) - sums[g][k]/counts[g])
		}
	}
	return centred, nil
}

// leastVariance is the share of the greatest variance below which a direction is dropped.
const leastVariance = 1e-12

// Whiten returns vectors with the mean 0 and, but for directions without variance, the
// covariance 1. It costs rows·dim² operations and dim³.
func Whiten(m neighbors.Matrix) (neighbors.Matrix, error) {
	if err := m.Validate(); err != nil {
		return m, fmt.Errorf("whiten vectors: %w", err)
	}
	n, d := m.Rows(), m.Dim
	if n < 2 {
		return m, fmt.Errorf("whiten vectors: %d rows, want at least 2", n)
	}
	x := mat.NewDense(n, d, nil)
	mean := make([]float64, d)
	for i := range n {
		for k, v := range m.Row(i) {
			if v-v != 0 {
				return m, fmt.Errorf("whiten vectors: row %d holds %v", i, v)
			}
			mean[k] += float64(v)
		}
	}
	for i := range n {
		row := x.RawRowView(i)
		for k, v := range m.Row(i) {
			row[k] = float64(v) - mean[k]/float64(n)
		}
	}
	covariance := mat.NewSymDense(d, nil)
	covariance.SymOuterK(1/float64(n), x.T())
	var eigen mat.EigenSym
	if !eigen.Factorize(covariance, true) {
		return m, errors.New("whiten vectors: the eigenvalues do not converge")
	}
	values := eigen.Values(nil) // ascending
	greatest := values[d-1]
	if greatest <= 0 {
		return m, errors.New("whiten vectors: all rows are equal")
	}
	var vectors, scaled, whitening, product mat.Dense
	eigen.VectorsTo(&vectors)
	scale := make([]float64, d)
	for k, v := range values {
		if v > greatest*leastVariance {
			scale[k] = 1 / math.Sqrt(v)
		}
	}
	scaled.Apply(func(_, k int, v float64) float64 { return v * scale[k] }, &vectors)
	whitening.Mul(&scaled, vectors.T())
	product.Mul(x, &whitening)
	whitened := neighbors.Matrix{Data: make([]float32, len(m.Data)), Dim: d}
	for i := range n {
		target := whitened.Row(i)
		for k, v := range product.RawRowView(i) {
			target[k] = float32(v)
		}
	}
	return whitened, nil
}
