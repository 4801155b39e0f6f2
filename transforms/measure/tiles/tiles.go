// Package tiles computes inner products of rows of float32 by tiles of 12 × 32 of them, as
// many as the registers of a processor hold.
//
// Rows are packed: those of a tile stand column by column, so that a step of the kernel reads
// what it needs in order. Kernels in assembly run where the processor has AVX-512, or AVX2 with
// FMA; elsewhere it is Go. Products of different processors differ in their last bits.
package tiles

// Height and Width are the numbers of rows of a tile and of its columns.
const (
	Height = 12
	Width  = 32
)

// Tile is the products of Height rows with Width others, row by row.
type Tile struct {
	Products [Height * Width]float32
	// Reached has for each row a bit for each product that is at least the row's threshold.
	Reached [Height]uint32
}

// Rows are packed rows of one length in groups of Height or Width; the last group is filled
// with zeros.
type Rows struct {
	data       []float32
	group, dim int
}

// NewRows returns n rows of zeros in groups of a size.
func NewRows(n, dim, group int) Rows {
	groups := (n + group - 1) / group
	return Rows{make([]float32, groups*group*dim), group, dim}
}

// Groups is the number of groups.
func (r Rows) Groups() int {
	if r.dim == 0 {
		return 0
	}
	return len(r.data) / (r.group * r.dim)
}

// Set sets row i.
func (r Rows) Set(i int, row []float32) {
	group := r.data[i/r.group*r.group*r.dim:]
	offset := i % r.group
	for _, x := range row {
		group[offset] = x
		offset += r.group
	}
}

// Multiply sets the tile to the products of group i of rows with group j of columns, which must be of one length
// in groups of Height and of Width. Thresholds are those of the rows.
func (t *Tile) Multiply(rows Rows, i int, columns Rows, j int, thresholds *[Height]float32) {
	a := rows.data[i*Height*rows.dim:][:Height*rows.dim]
	b := columns.data[j*Width*rows.dim:][:Width*rows.dim]
	kernel(a, b, rows.dim, thresholds, t)
}

// kernel is the fastest one of the processor. The lengths of a and b are those of whole groups,
// of rows of at least one value.
var kernel = multiplyGo

// multiplyGo is the kernel of processors without one of their own.
func multiplyGo(a, b []float32, dim int, thresholds *[Height]float32, tile *Tile) {
	for i := range Height {
		row := tile.Products[i*Width:][:Width]
		for j := 0; j < Width; j += 8 { // eight sums stay in registers
			var s0, s1, s2, s3, s4, s5, s6, s7 float32
			for k := range dim {
				x, y := a[k*Height+i], (*[8]float32)(b[k*Width+j:])
				s0 += x * y[0]
				s1 += x * y[1]
				s2 += x * y[2]
				s3 += x * y[3]
				s4 += x * y[4]
				s5 += x * y[5]
				s6 += x * y[6]
				s7 += x * y[7]
			}
			copy(row[j:], []float32{s0, s1, s2, s3, s4, s5, s6, s7})
		}
		tile.Reached[i] = 0
		for j, x := range row {
			if x >= thresholds[i] {
				tile.Reached[i] |= 1 << j
			}
		}
	}
}
