package probe

// together is the number of rows that are multiplied at once, and of the lanes of a sum.
const together = 8

// bundle is rows of one length for the products with a layer.
//
// The order of all sums is fixed, and each product is rounded before it is added, so the
// kernels of processors give the bits of the code without them.
type bundle struct {
	rows [together][]float32
	// lanes are the parts of the inner product of each row: column k goes to lane k modulo
	// together.
	lanes   [together][together]float32
	factors [together]float32
}

// The kernels take the columns that fill whole lanes; nil where the processor has none.
var (
	// multiplyLanes sets the lanes to the products of each row with another one.
	multiplyLanes func(b *bundle, with []float32)
	// addLanes adds the rows, times their factors, to another one.
	addLanes func(b *bundle, to []float32)
)

// take takes the first rows of a list and returns their number. If they are too few, the last
// one is in the other places, too.
func (b *bundle) take(list [][]float32) int {
	n := min(together, len(list))
	for i := range b.rows {
		b.rows[i] = list[min(i, n-1)]
	}
	return n
}

// multiply sets the factors to the inner products of the rows with another one.
func (b *bundle) multiply(vector []float32) {
	b.lanes = [together][together]float32{}
	start := 0
	if multiplyLanes != nil {
		multiplyLanes(b, vector)
		start = len(vector) / together * together
	}
	for i, row := range b.rows {
		s := &b.lanes[i]
		for k := start; k < len(vector); k++ {
			s[k%together] += float32(row[k] * vector[k])
		}
		b.factors[i] = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
	}
}

// add adds the rows, times their factors, one after the other to another one.
func (b *bundle) add(vector []float32) {
	start := 0
	if addLanes != nil {
		addLanes(b, vector)
		start = len(vector) / together * together
	}
	for i, factor := range b.factors {
		for k := start; k < len(vector); k++ {
			vector[k] += float32(factor * b.rows[i][k])
		}
	}
}
