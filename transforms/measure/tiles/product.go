package tiles

import (
	"runtime"
	"sync"

	"gonum.org/v1/gonum/blas/blas32"
)

// Pack sets the rows to those of a matrix, in memory of its own, in groups of a size.
func (r *Rows) Pack(m blas32.General, group int) {
	r.resize(m.Rows, m.Cols, group)
	for i := range m.Rows {
		r.Set(i, m.Data[i*m.Stride:][:m.Cols])
	}
}

// PackColumns sets the rows to the columns of a matrix.
func (r *Rows) PackColumns(m blas32.General, group int) {
	r.resize(m.Cols, m.Rows, group)
	for k := range m.Rows {
		row := m.Data[k*m.Stride:][:m.Cols]
		for offset := k * group; len(row) > 0; offset += group * r.dim {
			row = row[copy(r.data[offset:offset+group], row):]
		}
	}
}

// resize makes room for n rows, of which a group that is not full ends in zeros.
func (r *Rows) resize(n, dim, group int) {
	size := (n + group - 1) / group * group * dim
	if cap(r.data) < size {
		r.data = make([]float32, size)
	}
	r.data, r.group, r.dim = r.data[:size], group, dim
	if n%group != 0 {
		clear(r.data[n/group*group*dim:])
	}
}

// Products adds the inner product of each row with each column to sums, on all processors. Rows
// are in groups of Height, columns of Width, all of one length. Each product is a sum in the
// order of its terms, whatever the number of processors.
func Products(rows, columns Rows, sums blas32.General) {
	workers := min(runtime.GOMAXPROCS(0), rows.Groups())
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			var tile Tile
			var thresholds [Height]float32
			for j := range columns.Groups() { // its columns stay in the cache of a processor
				for i := rows.Groups() * w / workers; i < rows.Groups()*(w+1)/workers; i++ {
					tile.Multiply(rows, i, columns, j, &thresholds)
					for k := range min(Height, sums.Rows-i*Height) {
						row := sums.Data[(i*Height+k)*sums.Stride+j*Width:][:min(Width, sums.Cols-j*Width)]
						for c, x := range tile.Products[k*Width:][:len(row)] {
							row[c] += x
						}
					}
				}
			}
		})
	}
	wait.Wait()
}
