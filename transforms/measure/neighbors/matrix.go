// Package neighbors finds nearest neighbours exactly: it compares every query with
// every candidate, by cosine or by inner product.
//
// # Result
//
// The similarity of two rows is defined in float64: the products of float32 values are
// exact there, they are added from the first column to the last, and the cosine is
// dot/sqrt(|a|²|b|²), or 0 where a row is all zeros. Candidates are ordered by
// similarity, the greatest first. Of equal similarities the lowest index comes first.
//
// # Method
//
// Rows are scaled to length 1 and compared in float32, by tiles (see package tiles). A float32 dot
// product of d terms, added in any order, is off by at most d·2⁻²⁴ for unit rows
// (Higham, Accuracy and Stability of Numerical Algorithms, 3.1). So each candidate has
// an interval. The few candidates of a query whose upper end reaches the k-th greatest
// lower end are compared again in float64. Nothing of the fast pass is left in the
// result: it does not depend on the processor, the blocks or the number of workers. So
// another library may do the fast pass (see Products).
package neighbors

import (
	"errors"
	"fmt"
	"math"
)

// MaxDim is the greatest number of columns: up to it the error bound holds with
// room to spare.
const MaxDim = 1 << 16

// Matrix is a dense matrix, row by row. It shares Data with the caller.
type Matrix struct {
	Data []float32
	Dim  int
}

// NewMatrix returns the matrix of len(data)/dim rows.
func NewMatrix(data []float32, dim int) (Matrix, error) {
	m := Matrix{data, dim}
	return m, m.Validate()
}

// Validate returns an error unless dim is in [1, MaxDim] and divides the data.
func (m Matrix) Validate() error {
	if m.Dim < 1 || m.Dim > MaxDim {
		return fmt.Errorf("matrix of %d columns: want 1 to %d", m.Dim, MaxDim)
	}
	if len(m.Data)%m.Dim != 0 {
		return fmt.Errorf("matrix of %d values does not have whole rows of %d columns", len(m.Data), m.Dim)
	}
	return nil
}

// Rows is the number of rows.
func (m Matrix) Rows() int {
	if m.Dim < 1 {
		return 0
	}
	return len(m.Data) / m.Dim
}

// Row returns row i, which is shared.
func (m Matrix) Row(i int) []float32 { return m.Data[i*m.Dim : (i+1)*m.Dim : (i+1)*m.Dim] }

// Dot returns the inner product of two rows of equal length, added in float64
// from the first column to the last.
func Dot(a, b []float32) float64 {
	b = b[:len(a)]
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i]) // exact, so a fused multiplication gives the same
	}
	return sum
}

// Cosine returns the cosine of two rows of equal length, 0 where one is all zeros.
func Cosine(a, b []float32) float64 { return cosine(Dot(a, b), Dot(a, a), Dot(b, b)) }

func cosine(dot, squareA, squareB float64) float64 {
	if squareA == 0 || squareB == 0 {
		return 0
	}
	return dot / math.Sqrt(squareA*squareB)
}

var errNotFinite = errors.New("it holds a value that is not finite")

// squares returns the squared length of each row. A sum of squares of float32
// values cannot overflow float64, so only a value that is not finite shows.
func (m Matrix) squares(dst []float64) error {
	for i := range dst {
		s := Dot(m.Row(i), m.Row(i))
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return fmt.Errorf("row %d: %w", i, errNotFinite)
		}
		dst[i] = s
	}
	return nil
}

// unit writes row scaled to length 1, or zeros for a row of zeros.
func unit(dst, row []float32, square float64) {
	if square == 0 {
		clear(dst)
		return
	}
	length := math.Sqrt(square)
	for i, x := range row {
		dst[i] = float32(float64(x) / length)
	}
}
