package fasttext

// matrix is a table of float32 rows.
type matrix interface {
	rows() int64
	columns() int64
	// addRow adds row i to x.
	addRow(x []float32, i int32)
	// dot returns the product of row i and x.
	dot(x []float32, i int32) float32
}

// expandLimit is the largest quantised matrix, in bytes of its dense form, that
// is expanded when it is loaded. lid.176.ftz takes 3 MB.
const expandLimit = 64 << 20

// centroids is the number of centroids of each sub-vector: codes are bytes.
const centroids = 256

func readMatrix(r *reader, name string, quantised bool) matrix {
	if quantised {
		return readQuantised(r, name)
	}
	return readDense(r, name)
}

// shape reads rows and columns and refuses what no file of this size can hold.
func readShape(r *reader, name string) (rows, columns int64) {
	rows, columns = r.int64(name+" rows"), r.int64(name+" columns")
	if r.err == nil && (rows <= 0 || columns <= 0 || columns > maxDimension || rows > 1<<31-1) {
		r.fail("%s: shape %d × %d: the file is corrupt", name, rows, columns)
	}
	return rows, columns
}

type dense struct {
	data []float32
	m, n int64
}

func readDense(r *reader, name string) *dense {
	m, n := readShape(r, name)
	if r.err != nil {
		return &dense{}
	}
	return &dense{data: r.floats(name, m*n), m: m, n: n}
}

func (d *dense) rows() int64    { return d.m }
func (d *dense) columns() int64 { return d.n }

func (d *dense) row(i int32) []float32 { return d.data[int64(i)*d.n : int64(i+1)*d.n] }

func (d *dense) addRow(x []float32, i int32) {
	row := d.row(i)
	x = x[:len(row)]
	for j, v := range row {
		x[j] += v
	}
}

// addRows adds rows to x in their order. It takes eight columns at a time, whose sums stay in
// registers over all rows.
func (d *dense) addRows(x []float32, rows []int32) {
	n := int(d.n)
	column := 0
	for ; column+8 <= n; column += 8 {
		sums := (*[8]float32)(x[column:])
		a, b, c, e, f, g, h, k := sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]
		columns := d.data[column:]
		for _, i := range rows {
			v := (*[8]float32)(columns[int(i)*n:])
			a += v[0]
			b += v[1]
			c += v[2]
			e += v[3]
			f += v[4]
			g += v[5]
			h += v[6]
			k += v[7]
		}
		*sums = [8]float32{a, b, c, e, f, g, h, k}
	}
	for _, i := range rows {
		for j := column; j < n; j++ {
			x[j] += d.row(i)[j]
		}
	}
}

func (d *dense) dot(x []float32, i int32) float32 {
	row := d.row(i)
	x = x[:len(row)]
	var sum float32
	for j, v := range row {
		sum += float32(v * x[j]) // the conversion forbids fusing, which would differ between processors
	}
	return sum
}

// quantised holds product-quantised rows: a byte per sub-vector that names a
// centroid, and with norms a byte per row that names the row's length.
type quantised struct {
	m, n      int64
	codes     []byte
	parts     quantiser
	norms     []byte // nil: every row has length 1
	normParts quantiser
}

// quantiser holds the centroids of a product quantiser.
type quantiser struct {
	dim, subvectors, width, lastWidth int32
	centroids                         []float32
}

func readQuantised(r *reader, name string) *quantised {
	q := &quantised{}
	normalised := r.bool(name + " norms")
	q.m, q.n = readShape(r, name)
	size := int64(r.int32(name + " code size"))
	if r.err != nil {
		return q
	}
	q.codes = r.codes(name+" codes", size)
	q.parts = readQuantiser(r, name, q.n)
	if r.err == nil && int64(q.parts.subvectors)*q.m != size {
		r.fail("%s: %d codes for %d rows of %d sub-vectors: the file is corrupt", name, size, q.m, q.parts.subvectors)
	}
	if normalised {
		q.norms = r.codes(name+" norm codes", q.m)
		q.normParts = readQuantiser(r, name+" norms", 1)
	}
	return q
}

func readQuantiser(r *reader, name string, columns int64) quantiser {
	q := quantiser{
		dim:        r.int32(name + " quantiser dimension"),
		subvectors: r.int32(name + " sub-vectors"),
		width:      r.int32(name + " sub-vector width"),
		lastWidth:  r.int32(name + " last sub-vector width"),
	}
	if r.err != nil {
		return q
	}
	covered := int64(q.subvectors-1)*int64(q.width) + int64(q.lastWidth)
	if int64(q.dim) != columns || q.subvectors <= 0 || q.width <= 0 || q.lastWidth <= 0 || q.lastWidth > q.width || covered != columns {
		r.fail("%s: quantiser of %d sub-vectors of %d (the last %d) for %d columns: the file is corrupt",
			name, q.subvectors, q.width, q.lastWidth, columns)
		return q
	}
	q.centroids = r.floats(name+" centroids", int64(q.dim)*centroids)
	return q
}

// centroid returns the values of sub-vector part that code stands for.
func (q *quantiser) centroid(part int, code byte) []float32 {
	width := int(q.width)
	start := part * centroids * width
	if part == int(q.subvectors)-1 {
		width = int(q.lastWidth)
	}
	start += int(code) * width
	return q.centroids[start : start+width]
}

func (q *quantised) rows() int64    { return q.m }
func (q *quantised) columns() int64 { return q.n }

func (q *quantised) norm(i int32) float32 {
	if q.norms == nil {
		return 1
	}
	return q.normParts.centroid(0, q.norms[i])[0]
}

func (q *quantised) code(i int32) []byte {
	n := int64(q.parts.subvectors)
	return q.codes[int64(i)*n : int64(i+1)*n]
}

func (q *quantised) addRow(x []float32, i int32) {
	norm := q.norm(i)
	column := 0
	for part, code := range q.code(i) {
		for _, v := range q.parts.centroid(part, code) {
			x[column] += float32(norm * v)
			column++
		}
	}
}

// dot multiplies by the norm last, as the program does.
func (q *quantised) dot(x []float32, i int32) float32 {
	var sum float32
	column := 0
	for part, code := range q.code(i) {
		for _, v := range q.parts.centroid(part, code) {
			sum += float32(x[column] * v)
			column++
		}
	}
	return sum * q.norm(i)
}

// expand returns the dense form of a quantised matrix of at most limit bytes: adding
// a row then is the same float32 operations without the look-ups.
func expand(m matrix, limit int64) matrix {
	q, ok := m.(*quantised)
	if !ok || q.m*q.n*4 > limit {
		return m
	}
	d := &dense{data: make([]float32, q.m*q.n), m: q.m, n: q.n}
	for i := range int32(q.m) {
		q.addRow(d.row(i), i)
	}
	return d
}

// expandOutput is expand for a matrix whose rows are multiplied: with norms the
// product rounds differently, so such a matrix stays as it is.
func expandOutput(m matrix, limit int64) matrix {
	if q, ok := m.(*quantised); ok && q.norms != nil {
		return m
	}
	return expand(m, limit)
}
