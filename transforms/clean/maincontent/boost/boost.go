// Package boost fits and applies gradient-boosted decision trees for probabilities: the
// method of Friedman 2001 with histograms of binned features and trees that grow where the
// loss falls most (LightGBM, Ke et al. 2017), on the cross-entropy of labels from 0 to 1.
//
// # Determinism
//
// The same data, configuration and seed give the same bytes on every machine and with any
// number of threads. Sums of gradients are sums of integers, so that their order does not
// matter; products that are added to something are rounded first, so that no machine fuses
// the two; and the exponential function is this package's own.
package boost

import (
	"errors"
	"fmt"
	"slices"

	"sentweave/schemas/fault"
)

// maxBins is the greatest number of bins of a feature.
const maxBins = 128

// Config is the configuration of a fit.
type Config struct {
	// Trees is the number of trees, Leaves the greatest number of leaves of each.
	Trees, Leaves int
	// MinRows is the least number of rows, and MinHessian the least sum of second
	// derivatives, of a leaf.
	MinRows    int
	MinHessian float64
	// Rate is what the values of leaves are multiplied by; L2 is added to the sum of second
	// derivatives that they are divided by.
	Rate, L2 float64
	// Rows and Columns are the shares of rows and of features that a tree is grown on.
	Rows, Columns float64
	// Seed decides which.
	Seed uint64
	// Threads is how many goroutines work at once. It does not change the result.
	Threads int
}

// DefaultConfig returns a configuration for some hundred thousand rows.
func DefaultConfig() Config {
	return Config{Trees: 200, Leaves: 31, MinRows: 60, MinHessian: .5, Rate: .06, L2: 5, Rows: .6, Columns: .3, Seed: 1, Threads: 1}
}

// Validate returns all faults of the configuration.
func (c Config) Validate() error {
	var errs fault.List
	errs.Check(c.Trees >= 1 && c.Trees <= maxTrees, "boost: Trees is %d; it must be from 1 to %d", c.Trees, maxTrees)
	errs.Check(c.Leaves >= 2 && c.Leaves <= maxLeaves, "boost: Leaves is %d; it must be from 2 to %d", c.Leaves, maxLeaves)
	errs.Check(c.MinRows >= 1, "boost: MinRows is %d; it must be at least 1", c.MinRows)
	errs.Check(c.MinHessian >= 0, "boost: MinHessian is %v; it must not be negative", c.MinHessian)
	errs.Check(c.Rate > 0 && c.Rate <= 1, "boost: Rate is %v; it must be above 0 and at most 1", c.Rate)
	errs.Check(c.L2 > 0, "boost: L2 is %v; it must be above 0", c.L2)
	errs.Check(c.Rows > 0 && c.Rows <= 1, "boost: Rows is %v; it must be above 0 and at most 1", c.Rows)
	errs.Check(c.Columns > 0 && c.Columns <= 1, "boost: Columns is %v; it must be above 0 and at most 1", c.Columns)
	errs.Check(c.Threads >= 1, "boost: Threads is %d; it must be at least 1", c.Threads)
	return errs.Err()
}

// Table holds the features of rows, each value as the number of its bin: one byte.
type Table struct {
	rows    int
	columns [][]uint8
	bounds  [][]float32 // the greatest value of each bin but the last
}

// binSample is about how many values of a column decide its bins.
const binSample = 50_000

// NewTable bins columns of equal length. Values must not be NaN. Each column that is done
// with is taken out of the list, so that its memory can be used again.
func NewTable(columns [][]float32) (*Table, error) {
	if len(columns) == 0 || len(columns) > maxFeatures {
		return nil, fmt.Errorf("boost: %d features; there must be from 1 to %d", len(columns), maxFeatures)
	}
	t := &Table{rows: len(columns[0]), columns: make([][]uint8, len(columns)), bounds: make([][]float32, len(columns))}
	if t.rows == 0 {
		return nil, errors.New("boost: no rows")
	}
	for i, column := range columns {
		if len(column) != t.rows {
			return nil, fmt.Errorf("boost: feature %d has %d rows, feature 0 has %d", i, len(column), t.rows)
		}
		t.bounds[i] = boundsOf(column)
		bins := make([]uint8, t.rows)
		for row, value := range column {
			bin, _ := slices.BinarySearch(t.bounds[i], value)
			bins[row] = uint8(bin)
		}
		t.columns[i], columns[i] = bins, nil
	}
	return t, nil
}

// boundsOf returns the greatest value of each bin but the last: bins hold one value each
// where there are few, and about as many values as each other where there are many.
func boundsOf(column []float32) []float32 {
	step := max(1, len(column)/binSample)
	sample := make([]float32, 0, len(column)/step+1)
	for i := 0; i < len(column); i += step {
		sample = append(sample, column[i])
	}
	slices.Sort(sample)
	distinct := slices.Compact(slices.Clone(sample))
	if len(distinct) <= maxBins {
		return distinct[:len(distinct)-1]
	}
	var bounds []float32
	last := sample[len(sample)-1]
	for index := 0; index < len(sample); {
		remaining := maxBins - len(bounds)
		next := index + (len(sample)-index+remaining-1)/remaining - 1
		value := sample[next]
		if value == last || len(bounds) == maxBins-1 {
			break
		}
		bounds = append(bounds, value)
		index, _ = slices.BinarySearchFunc(sample, value, func(v, bound float32) int {
			if v <= bound {
				return -1
			}
			return 1
		})
	}
	return bounds
}
